"""Pairs, outcomes and sittings for tests."""

from collections.abc import Sequence

from service.domain.verdict import DetectedFault, JudgeName, TurnScore, Verdict
from service.exams.outcome import FactorChange, PairOutcome
from service.exams.pair import MinimalPair
from service.exams.run import ExaminedFactor, Sitting
from tests import factories
from tests.factories import talk

JUDGE = JudgeName("scripted")


def pair(good: Sequence[str], bad: Sequence[str], message: int = 1, **given: object) -> MinimalPair:
    whole = {"id": "p", "fault": "rude", "good": talk(*good), "bad": talk(*bad), "message": message}
    return MinimalPair(**{**whole, **given})  # type: ignore[arg-type]


def scored(
    factor: str, score: float, *, turns: dict[int, float] | None = None, faults: Sequence[str] = ()
) -> Verdict:
    return factories.scored(
        factor,
        score,
        JUDGE,
        evaluator_revision="r1",
        turns=None if turns is None else tuple(TurnScore(at, points) for at, points in turns.items()),
        faults=tuple(DetectedFault(fault, 1, 0.9) for fault in faults),
    )


def gap(factor: str) -> Verdict:
    return factories.gap(factor, JUDGE, evaluator_revision="r1")


def outcome(id_: str, fault: str, *, falls: bool | None, home: str) -> PairOutcome:
    after = {True: 1.0, False: 4.0, None: None}[falls]
    change = FactorChange(home, 4.0, after, falls)
    return PairOutcome(id_, fault, "en", False, (change,), (), (), 4.0, after)


def sitting(*pairs: PairOutcome) -> Sitting:
    return Sitting(pairs, (), (ExaminedFactor("appropriateness", str(JUDGE), "r1"),))
