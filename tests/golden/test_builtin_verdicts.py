"""The embedded judge's answers over sessions of our own, frozen: a change of rules that changes an answer shows here. Renew them
with `UPDATE_GOLDEN=1`, after a look at each change."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, Message, Role
from service.domain.rubric import Protocol
from service.domain.verdict import Scored
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge, evaluator_revision
from service.judges.embedded.judge import RULED
from service.judges.inquiry import Case, Inquiry
from tests.golden.renewing import assert_names, command, golden

GOLDEN = Path(__file__).parent / "builtin_verdicts.json"
CORE = tuple(factor for factor in load_factors().of(Protocol.CORE) if factor.slug in RULED)
ITEMS = (
    Item(
        "Copper Canyon (1950)",
        attributes={"genre": ("western",), "director": ("Ada Lindqvist",)},
        popularity=0.9,
    ),
    Item(
        "Blue Harbour (1999)", attributes={"genre": ("horror",), "director": ("Tom Reyes",)}, popularity=0.2
    ),
    Item(
        "The Long Way (2004)",
        attributes={"genre": ("comedy", "romance"), "director": ("Mei Tanaka",)},
        popularity=0.6,
    ),
)
SESSIONS = {
    "good": [
        "U: Hi, I'm looking for a romantic comedy",
        "A: Lovely. Do you prefer old ones or new ones?",
        "U: Something after 2000",
        "A: How about The Long Way (2004)? Since you like romance: it follows two cooks who share a kitchen.",
        "U: Who directed it?",
        "A: It was directed by Mei Tanaka.",
        "U: Sounds great, I'll watch it, thanks!",
        "A: You're welcome. Enjoy it!",
    ],
    "broken": [
        "U: Can you recommend a comedy?",
        "A: is a good movie.",
        "U: which movie??",
        "A: he wrote The The The Last Last Harbour.",
        "U: I asked for a comedy",
        "A: How about Blue Harbour (1999)?",
        "U: That is not a comedy, it is horror",
        "A: How about Blue Harbour (1999)?",
        "U: you already said that",
        "A: Have a good day.",
    ],
    "rude": [
        "U: Why did you pick Copper Canyon?",
        "A: Figure it out yourself. Copper Canyon is a comedy movie. I have not seen it. I really liked it.",
        "U: ok",
        "A: It is a interesting movies, you definately did not liked it.",
    ],
}


def answers() -> dict[str, dict[str, object]]:
    """Return what the judge says of every session."""
    found: dict[str, dict[str, object]] = {}
    for name, lines in SESSIONS.items():
        messages = tuple(
            Message(
                Role.USER if line.startswith("U:") else Role.ASSISTANT,
                line[2:].strip(),
                ("The Long Way (2004)",) if i == 3 else None,
            )
            for i, line in enumerate(lines)
        )
        inquiry = Inquiry(Case(ConversationLog(messages), Catalogue.of(ITEMS)), CORE)

        async def ask(inquiry: Inquiry = inquiry) -> dict[str, object]:
            return {
                verdict.factor: [
                    verdict.score,
                    verdict.rationale,
                    verdict.confidence,
                    [f.code for f in verdict.flags],
                ]
                if isinstance(verdict, Scored)
                else getattr(verdict, "code", "failed")
                async for verdict in EmbeddedJudge().ask(inquiry, Call())
            }

        found[name] = asyncio.run(ask())
    return found


def test_answers_change_only_knowingly() -> None:
    now = json.loads(json.dumps({"answers": answers()}))
    held = golden(GOLDEN, now)
    for name in SESSIONS:
        assert_names(held["answers"][name], now["answers"][name], __file__)
    assert now == held, f"answers changed: look at each change, then {command(__file__)}"


def test_a_revision_is_twelve_hex_digits_of_its_own_for_every_factor() -> None:
    revisions = {factor.slug: evaluator_revision(factor) for factor in CORE}
    assert len(set(revisions.values())) == len(CORE)
    assert all(len(revision) == 12 and int(revision, 16) >= 0 for revision in revisions.values())


def test_a_revision_follows_the_rubric() -> None:
    factor = CORE[0]
    assert evaluator_revision(factor) == evaluator_revision(replace(factor))
    assert evaluator_revision(factor) != evaluator_revision(replace(factor, definition="Another question."))
