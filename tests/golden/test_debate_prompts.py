"""The prompts of a debate, as they are sent. After a change that is meant:

UPDATE_GOLDEN=1 python -m pytest tests/golden/test_debate_prompts.py
"""

import os
from pathlib import Path

import pytest

from service.debates.embedded import EmbeddedDebater
from service.debates.prompt import DebatePrompts
from service.debates.roles import DebateRole, default_roles, load_roles
from service.debates.statement import DebateSubject, Round, SpeakerContext, Speech, SpeechFailed, Statement
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.verdict import JudgeName, Verdict
from service.factors import load_factors
from service.judges.evaluation import JudgeInput
from tests.factories import gap, instance, scored
from tests.golden.renewing import assert_text

FOLDER = Path(__file__).parent / "debate"
FACTORS = load_factors()
ROLES = default_roles(load_roles(FACTORS))
CUSTOM = DebateRole("librarian", "Librarian", "You run a small library.", ("groundness", "coherence"))
JUDGE = JudgeName("openai", "m")
SCORES = {
    "coherence": 1,
    "recoverability": 4,
    "groundness": 3,
    "novelty": 2,
    "naturalness": 4,
    "explainability": 0,
}
CASES = [
    *((role, "movie") for role in ROLES),
    (ROLES[1], "health"),
    (ROLES[3], "health"),
    (CUSTOM, "library"),
]


def verdicts() -> list[Verdict]:
    rated = [scored(slug, score, JUDGE, rationale=f"Reasons for {slug}.") for slug, score in SCORES.items()]
    return [*rated, gap("effectiveness", JUDGE, detail="There is no wanted item.")]


def context(role: DebateRole, domain: str) -> SpeakerContext:
    log = ConversationLog(
        history=(Message(Role.ASSISTANT, "Hello again!"),),
        messages=(
            Message(Role.USER, "Something calm for a rainy evening?"),
            Message(Role.ASSISTANT, "Try Paper Lanterns.", ("Paper Lanterns", "Moss")),
        ),
        domain=domain,
    )
    roles = ROLES if role in ROLES else (role, *ROLES[1:])
    speeches: list[Speech] = [
        Statement(role=r.slug, judge=JUDGE, score=20 * i, statement=f"What the {r.title} says.")
        for i, r in enumerate(roles[:3], start=1)
    ]
    speeches.append(SpeechFailed(role=roles[3].slug, judge=JUDGE, code="refused", detail="no"))
    return SpeakerContext(
        role, roles, DebateSubject.of(JudgeInput(log), verdicts(), FACTORS), (Round(1, tuple(speeches), 4),)
    )


@pytest.mark.parametrize(("role", "domain"), CASES, ids=lambda value: getattr(value, "slug", value))
def test_the_prompt_is_the_one_on_file(role: DebateRole, domain: str) -> None:
    messages = DebatePrompts(200).messages(context(role, domain))
    text = "\n".join(f"===== {message.role}\n{message.content}" for message in messages) + "\n"
    file = FOLDER / f"{role.slug}.{domain}.txt"
    assert_text(file, text, __file__)


async def test_what_the_embedded_debater_says_is_on_file() -> None:
    said = []
    for role, domain in CASES:
        full = context(role, domain)
        for given in (SpeakerContext(role, full.roles, full.subject), full):
            speech = instance(Statement, await EmbeddedDebater().speak(given, Call()))
            said.append(f"{role.slug}, {domain}, round {given.number}: {speech.score}\n{speech.statement}\n")
    file = FOLDER / f"builtin.{EmbeddedDebater.revision}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        for old in FOLDER.glob("builtin.*.txt"):
            old.unlink()
    # The revision is in the name: another answer under the same revision fails here.
    assert_text(file, "\n".join(said), __file__)
