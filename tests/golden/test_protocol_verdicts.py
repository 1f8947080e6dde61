"""The embedded judge's answers on the factors of CONCEPT, PEPPER and iEvaLM over sessions of our own, frozen.

A change of rules that changes an answer shows here. Renew them with `UPDATE_GOLDEN=1`, after a look at each change."""

import asyncio
import json
from pathlib import Path

from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, Message, Role, User
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Scored, Verdict
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge, evaluator_revision
from service.judges.embedded.judge import RULED
from service.judges.inquiry import Case, Inquiry
from tests.golden.renewing import assert_names, command, golden

GOLDEN = Path(__file__).parent / "protocol_verdicts.json"
FACTORS = load_factors()
OTHERS = tuple(
    factor for factor in FACTORS.values() if factor.protocol is not Protocol.CORE and factor.slug in RULED
)
ITEMS = (
    Item("Copper Canyon (1950)", attributes={"genre": ("western",), "director": ("Ada Lindqvist",)}),
    Item("Blue Harbour (1999)", attributes={"genre": ("horror",), "director": ("Tom Reyes",)}),
    Item("The Long Way (2004)", attributes={"genre": ("comedy", "romance"), "director": ("Mei Tanaka",)}),
)
TASTE = User(preferences="You enjoy romantic comedies and anything by Mei Tanaka. You cannot stand horror.")
#: Lines of user and recommender; what stands behind a bar is noted by the user, not said.
SESSIONS = {
    "good": [
        "U: Hi, I feel a bit sad and I'm looking for a romantic comedy | I am curious what it will suggest.",
        "A: I'm sorry to hear that. Do you prefer old ones or new ones?",
        "U: Something after 2000 | It asks what I want, I like that.",
        "A: How about The Long Way (2004)? Since you like romance: it follows two cooks who share a kitchen.",
        "U: Who directed it? | That is just what I hoped for.",
        "A: It was directed by Mei Tanaka.",
        "U: Sounds great, I'll watch it, thanks! | I am delighted with the suggestion.",
        "A: You're welcome. Enjoy it!",
    ],
    "broken": [
        "U: Can you recommend a comedy? | I am bored.",
        "A: is a good movie.",
        "U: which movie?? | What a useless answer.",
        "A: he wrote The The The Last Last Harbour.",
        "U: I asked for a comedy | I feel ignored and annoyed by it.",
        "A: How about Blue Harbour (1999)?",
        "U: That is not a comedy, it is horror | It let me down again.",
        "A: How about Blue Harbour (1999)?",
        "U: you already said that | I give up.",
        "A: Have a good day.",
    ],
    "list": [
        "U: Recommend some films please | Let us see.",
        "A: Here are some:\n1. The Long Way (2004) - a comedy\n2. Copper Canyon (1950) - a western\n3. Blue Harbour (1999)",
        "U: I love the first one! What is it about? | I am excited about it.",
        "A: It is about two cooks, and a comedy of the kind that you like.",
    ],
}


def log_of(lines: list[str]) -> ConversationLog:
    """A session as a log that answers every need."""
    messages = []
    for line in lines:
        said, _, noted = line.partition(" | ")
        role = Role.USER if said.startswith("U:") else Role.ASSISTANT
        messages.append(Message(role, said[2:].strip(), thoughts=noted or None))
    return ConversationLog(tuple(messages), user=TASTE, ground_truth=("The Long Way (2004)",))


def ask(log: ConversationLog, verdicts: tuple[Verdict, ...]) -> list[Verdict]:
    """The judge's verdicts on every factor."""
    inquiry = Inquiry(Case(log, Catalogue.of(ITEMS)), OTHERS, verdicts=verdicts)

    async def asked() -> list[Verdict]:
        return [verdict async for verdict in EmbeddedJudge().ask(inquiry, Call())]

    return asyncio.run(asked())


def answers() -> dict[str, dict[str, object]]:
    """Return what the judge says of every session, the scores of a first round in hand for the whole."""
    found: dict[str, dict[str, object]] = {}
    for name, lines in SESSIONS.items():
        placeholder = Scored(
            factor="coherence",
            judge=JudgeName("builtin"),
            evaluator_revision="",
            score=4,
            level=4,
            rationale="",
        )
        first = ask(log_of(lines), (placeholder,))
        found[name] = {
            verdict.factor: [
                verdict.score,
                verdict.rationale,
                verdict.confidence,
                [[piece.message, piece.effect] for piece in verdict.evidence],
                [flag.code for flag in verdict.flags],
            ]
            if isinstance(verdict, Scored)
            else getattr(verdict, "code", "failed")
            for verdict in ask(log_of(lines), tuple(first))
        }
    return found


def test_answers_change_only_knowingly() -> None:
    now = json.loads(json.dumps({"answers": answers()}))
    held = golden(GOLDEN, now)
    for name in SESSIONS:
        assert_names(held["answers"][name], now["answers"][name], __file__)
    assert now == held, f"answers changed: look at each change, then {command(__file__)}"


def test_all_factors_are_answered_where_every_need_is_met() -> None:
    assert {factor.slug for factor in OTHERS} == RULED - {factor.slug for factor in FACTORS.of(Protocol.CORE)}
    for session in answers().values():
        assert {slug for slug, answer in session.items() if isinstance(answer, list)} == {
            factor.slug for factor in OTHERS
        }


def test_revisions_differ_between_factors() -> None:
    revisions = {evaluator_revision(factor) for factor in OTHERS}
    assert len(revisions) == len(OTHERS)
