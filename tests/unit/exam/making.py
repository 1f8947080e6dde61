"""Pairs, outcomes and sittings for tests."""

from collections.abc import Sequence

from service.domain.conversation import ConversationLog, Message, Role
from service.domain.verdict import DetectedFault, JudgeName, NotAssessable, Scored, TurnScore, Verdict
from service.exam.outcome import FactorChange, PairOutcome
from service.exam.pair import MinimalPair
from service.exam.run import ExaminedFactor, Sitting

JUDGE = JudgeName("scripted")


def log(*lines: str) -> ConversationLog:
    """A log of lines such as "U: hello"; `A:` is the recommender, `T:` a tool."""
    roles = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL}
    return ConversationLog(tuple(Message(roles[line[0]], line[3:]) for line in lines))


def pair(good: Sequence[str], bad: Sequence[str], message: int = 1, **given: object) -> MinimalPair:
    whole = {"id": "p", "fault": "rude", "good": log(*good), "bad": log(*bad), "message": message}
    return MinimalPair(**{**whole, **given})  # type: ignore[arg-type]


def scored(
    factor: str, score: float, *, turns: dict[int, float] | None = None, faults: Sequence[str] = ()
) -> Verdict:
    return Scored(
        factor=factor,
        judge=JUDGE,
        evaluator_revision="r1",
        score=score,
        level=round(score),
        rationale="",
        turns=None if turns is None else tuple(TurnScore(at, points) for at, points in turns.items()),
        faults=tuple(DetectedFault(fault, 1, 0.9) for fault in faults),
    )


def gap(factor: str) -> Verdict:
    return NotAssessable(factor=factor, judge=JUDGE, evaluator_revision="r1", code="no_occasion", detail="")


def outcome(
    id_: str, fault: str, *, falls: bool | None, home: str, bad_faults: Sequence[str] = ()
) -> PairOutcome:
    after = {True: 1.0, False: 4.0, None: None}[falls]
    change = FactorChange(home, 4.0, after, falls)
    return PairOutcome(id_, fault, "en", False, (change,), (), tuple(bad_faults), 4.0, after)


def sitting(*pairs: PairOutcome, factor: str = "appropriateness") -> Sitting:
    return Sitting(pairs, (), (ExaminedFactor(factor, str(JUDGE), "r1"),))
