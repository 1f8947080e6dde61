"""Figures of an exam, from outcomes whose figures are known."""

import math

import pytest

from service.domain.completion import Call
from service.exams.outcome import RatedOutcome, pair_outcome
from service.exams.pair import Exam, MinimalPair, narrowed, pair_errors, sampled
from service.exams.report import ExamPart, rated_figures, report
from service.exams.trust import FLAG, ExaminedJudge, trusts
from service.exams.versus import versus
from service.factors import load_factors
from service.faults import load_faults
from service.judges.evaluation import EvaluationRequest, JudgeInput
from tests.factories import known, talk
from tests.unit.exams.making import JUDGE, gap, outcome, pair, scored, sitting

FACTORS, FAULTS = load_factors(), load_faults()
GOOD = ("U: a lamp?", "A: The Glow is warm.", "U: and a cheap one?", "A: The Spark.")
BAD = (GOOD[0], "A: Find one yourself.", *GOOD[2:])
LONG = [line for n in range(6) for line in (f"U: question {n}?", f"A: answer {n}.")]


def test_in_long_logs_the_replys_own_points_decide() -> None:
    bad = [*LONG]
    bad[3] = "A: Whatever."
    one = pair(LONG, bad, 3)
    before = scored("appropriateness", 4, turns={1: 4, 3: 4})
    for points, score, fell in ((2.5, 3.9, True), (2.6, 3.0, False)):
        after = scored("appropriateness", score, turns={1: 4, 3: points})
        assert pair_outcome(one, [before], [after], FACTORS).change("appropriateness").fell is fell
    bare = pair_outcome(one, [scored("appropriateness", 4)], [scored("appropriateness", 3)], FACTORS)
    assert bare.change("appropriateness").fell is True, (
        "judges that do not score replies are read by the log's score"
    )


def test_gaps_are_counted_apart() -> None:
    missing = pair_outcome(pair(GOOD, BAD), [gap("appropriateness")], [scored("appropriateness", 1)], FACTORS)
    sighted = pair_outcome(
        pair(GOOD, BAD, id="q"), [scored("appropriateness", 4)], [scored("appropriateness", 1)], FACTORS
    )
    row = known(report(sitting(missing, sighted), FAULTS, "r").row(ExamPart.FAULT, "rude"))
    assert (row.pairs, row.not_assessable, row.sensitivity.value, row.sensitivity.n) == (2, 1, 1.0, 1)


def test_other_factors_and_false_alarms() -> None:
    good = [scored("appropriateness", 4, faults=["pushy"]), scored("diversity", 4)]
    bad = [scored("appropriateness", 1, faults=["rude"]), scored("diversity", 3)]
    found = report(sitting(pair_outcome(pair(GOOD, BAD), good, bad, FACTORS)), FAULTS, "r")
    row = known(found.row(ExamPart.ALL))
    assert (row.right_factors.value, row.others_moved.value, row.detected.value, row.false_alarms.value) == (
        1,
        1,
        1,
        1,
    )
    assert row.overall_falls.value == 1
    of_fault = known(found.row(ExamPart.FAULT, "rude"))
    assert of_fault.false_alarms.value == 0


def test_rated_conversations() -> None:
    found = rated_figures(
        [
            RatedOutcome(str(n), score, rating)
            for n, (score, rating) in enumerate([(4, 3.5), (2, 2), (1, 1), (None, 3)])
        ]
    )
    assert found.absolute_error.n == 3
    assert found.absolute_error.value == pytest.approx(0.5 / 3)
    assert found.rank_correlation.value == pytest.approx(1)
    assert found.awful_score.value == 1


def test_a_sample_is_even_over_faults_and_depends_on_the_seed_alone() -> None:
    pairs = tuple(
        pair(GOOD, BAD, id=f"{fault}{n}", fault=fault)
        for fault, count in (("rude", 40), ("pushy", 10), ("unsafe", 2))
        for n in range(count)
    )
    drawn = sampled(Exam(pairs), 15, 7)
    counts = {fault: sum(one.fault == fault for one in drawn.pairs) for fault in ("rude", "pushy", "unsafe")}
    assert counts["unsafe"] == 2
    assert abs(counts["rude"] - counts["pushy"]) <= 1
    assert drawn == sampled(Exam(pairs), 15, 7) != sampled(Exam(pairs), 15, 8)
    assert len(narrowed(Exam(pairs), faults=["pushy"]).pairs) == 10


def test_two_judges_are_compared_on_the_same_pairs() -> None:
    first = [outcome(str(n), "rude", falls=n < 9, home="appropriateness") for n in range(10)]
    second = [outcome(str(n), "rude", falls=n < 2, home="appropriateness") for n in range(1, 11)]
    rows = versus(report(sitting(*first), FAULTS, "r"), report(sitting(*second), FAULTS, "r"), FAULTS)
    [row] = [row for row in rows if row.by is ExamPart.ALL]
    assert (row.n, row.both, row.only_first, row.only_second, row.neither) == (9, 1, 7, 0, 1)
    assert row.p == pytest.approx(2 / 2**7)


class _Fives:
    name = JUDGE

    def refusal(self, evaluation: EvaluationRequest) -> None:
        return None

    async def ask(self, evaluation: EvaluationRequest, call: Call):  # type: ignore[no-untyped-def]
        for factor in evaluation.factors:
            yield scored(factor.slug, 4)


@pytest.mark.parametrize(("pairs", "confidence"), [(20, 0.75), (19, None)])
async def test_confidence_rests_on_twenty_pairs(pairs: int, confidence: float | None) -> None:
    taken = sitting(*(outcome(str(n), "rude", falls=n % 4 > 0, home="appropriateness") for n in range(pairs)))
    judge = ExaminedJudge(_Fives(), trusts([taken, taken], FAULTS))
    asked = EvaluationRequest(JudgeInput(talk(*GOOD)), (FACTORS["appropriateness"], FACTORS["coherence"]))
    found = {one.factor: one async for one in judge.ask(asked, Call(deadline=math.inf))}
    assert getattr(found["appropriateness"], "confidence", None) == confidence
    assert [flag.code for flag in found["appropriateness"].flags] == ([FLAG] if confidence else [])
    assert getattr(found["coherence"], "confidence", None) is None


FAN = ("U: a quiet fan under 40?", "A: The Breeze, 35 euros.", "U: and a red one?", "A: The Breeze in red.")


def fields(one: MinimalPair) -> list[str]:
    return [error.pointer for error in pair_errors(one, load_faults())]


@pytest.mark.parametrize(
    "sound",
    [
        pair(FAN, (FAN[0], "A: Read the page yourself.", *FAN[2:])),
        pair(FAN, ("U: a loud fan under 40?", *FAN[1:]), fault="contradicts-user"),
        pair(FAN, (*FAN[:3],), 3, fault="no-reply"),
        pair(FAN, (FAN[0], *FAN[2:]), fault="no-reply"),
        pair(FAN, (FAN[0], "A: Go away.", "U: How rude!", "A: So what."), reacts=True),
    ],
)
def test_sound_pairs_pass(sound: MinimalPair) -> None:
    assert fields(sound) == []


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (pair(FAN, (FAN[0], "A: No.", *FAN[2:]), fault="grumpy"), "fault"),
        (pair(FAN, FAN, 7), "message"),
        (pair(FAN, (FAN[0], "A: No.", *FAN[2:]), 2), "message"),
        (pair(FAN, FAN), "bad"),
        (pair(FAN, ("U: hm?", "A: No.", *FAN[2:])), "bad"),
        (pair(FAN, (FAN[0], "A: No.", "U: Oh?", FAN[3])), "bad"),
        (pair(FAN, (FAN[0], "A: No.", *FAN[2:]), 3), "message"),
        (pair(FAN, FAN[:1]), "bad"),
        (pair(FAN, (FAN[0], "T: No.", *FAN[2:])), "bad"),
        (pair(FAN, FAN, 3, fault="no-reply"), "bad"),
        (pair(FAN, (FAN[0], FAN[2], "A: Blue."), fault="no-reply"), "bad"),
    ],
)
def test_a_pair_that_is_not_minimal_names_the_field(wrong: MinimalPair, field: str) -> None:
    assert fields(wrong) == [field]


def test_a_missing_reply_may_be_placed_at_any_message_that_waits() -> None:
    assert pair(FAN, (FAN[0], *FAN[2:]), fault="no-reply").spoiled == (0, 1)
    assert pair(FAN, FAN[:3], 3, fault="no-reply").spoiled == (2,)
