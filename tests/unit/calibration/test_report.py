"""Whole calibrations from ratings: who is compared with whom, and what is warned of."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from service.calibration.estimates.means import calibrated_mean
from service.calibration.estimates.sample import Ends, Sample, Target
from service.calibration.groups import _strata
from service.calibration.report import Report, calibrate
from service.calibration.sheets import Terms
from service.domain.rubric import Scale
from service.errors import InvalidRequest
from service.statistics.ratings import NAMES, NUMBERS, Ratings
from tests.factories import known

KNOWN = {"coherence": Scale(0, 4), "novelty": Scale(0, 4)}
Row = dict[str, Any]


def judged(
    scores: Iterable[float], system: str | None = "alpha", factor: str = "coherence", **more: Any
) -> list[Row]:
    base = {"system": system, "factor": factor, "rater": "builtin", "kind": "judge", **more}
    return [{"conversation": f"{system}-{i:03}", "score": score, **base} for i, score in enumerate(scores)]


def said(
    scores: Iterable[float], system: str | None = "alpha", factor: str = "coherence", **more: Any
) -> list[Row]:
    return judged(scores, system, factor, **{"rater": "anna", "kind": "human", **more})


def report(rows: list[Row], **terms: Any) -> Report:
    names = (*NAMES, *NUMBERS, "score", "probability", "kind")
    ratings = Ratings.of({name: [row.get(name) for row in rows] for name in names}, by_column=False)
    return calibrate(ratings, Terms(**{"known": KNOWN, **terms}))


def codes(found: Report) -> set[str]:
    return {remark.code for remark in found.remarks}


def world(n: int, seed: int = 0) -> tuple[list[float], list[float]]:
    generator = np.random.default_rng(seed)
    people = generator.choice(5, n, p=[0.2, 0.2, 0.3, 0.2, 0.1]).astype(float)
    judge = np.clip(people + 0.8 + generator.normal(0, 0.7, n), 0, 4)
    return judge.round(3).tolist(), people.tolist()


def test_each_system_and_all_together_are_the_samples_that_they_are() -> None:
    rows = []
    for seed, system in enumerate(("alpha", "beta")):
        judge, people = world(60, seed)
        rows += judged(judge, system) + said(people[:25], system)
    found = report(rows)
    assert [(mean.system, mean.n, mean.judged) for mean in found.means] == [
        (None, 50, 120),
        ("alpha", 25, 60),
        ("beta", 25, 60),
    ]
    scores, labels = (np.array(values) for values in world(60, 1))
    direct = calibrated_mean(Sample.of(labels[:25], scores[:25], scores[25:]), Ends(0, 4), Target.FUTURE)
    beta = found.means[2]
    assert beta.mean == pytest.approx(float(direct.mean))
    assert known(beta.interval).low == pytest.approx(float(direct.low))
    assert found.means[2].judge_mean == pytest.approx(scores.mean())
    (difference,) = found.differences
    assert (difference.first, difference.second, difference.paired, difference.n) == (
        "alpha",
        "beta",
        False,
        50,
    )


def test_repeats_are_averaged_the_last_round_counts_and_the_system_need_stand_once() -> None:
    judge, people = world(30)
    rows = judged(judge) + said(people, system=None)
    for row in rows[30:]:
        row["conversation"] = row["conversation"].replace("None", "alpha")
    plain = report(rows)
    again = [
        *({**row, "score": min(4, row["score"] + 0.5), "repeat": 0} for row in rows[:30]),
        *({**row, "score": 2 * row["score"] - min(4, row["score"] + 0.5), "repeat": 1} for row in rows[:30]),
    ]
    rounds = [
        *({**row, "round": 1, "score": 0} for row in rows[:30]),
        *({**row, "round": 2} for row in rows[:30]),
    ]
    assert [mean.system for mean in plain.means] == ["alpha"]
    for others in (again, rounds):
        assert report([*others, *rows[30:]]).means == plain.means


def test_a_system_without_labels_is_not_corrected() -> None:
    judge, people = world(40)
    found = report(judged(judge) + judged(judge, "beta") + said(people[:25]))
    beta = next(mean for mean in found.means if mean.system == "beta")
    assert (beta.mean, beta.bias, beta.n, beta.warnings) == (None, None, 0, ("no_labels",))
    assert beta.judge_mean == pytest.approx(np.mean(judge))
    assert "no_labels" in codes(found)
    assert [plan.system for plan in found.plan] == [None, "alpha"]


def test_warnings_say_what_may_be_wrong_and_stand_beside_the_figures() -> None:
    judge, people = world(40)
    few = report(judged(judge) + said(people[:10]))
    assert {"few_labels", "one_annotator"} <= codes(few)
    assert set(few.means[0].warnings) == codes(few)
    equal = report(judged(judge) + said([3.0] * 25))
    assert "labels_equal" in equal.means[0].warnings
    alike = report(judged(judge) + said([3.0] * 22 + [1.0] * 3))
    assert "labels_alike" in alike.means[0].warnings
    assert "labels_alike" not in codes(report(judged(judge) + said(people[:25])))
    revised = judged(judge[:20], evaluator_revision="a") + judged(judge, evaluator_revision="b")[20:]
    assert "other_revision" in report(revised + said(people[:25])).means[0].warnings
    assert not report(revised + said(people[:25])).maps, "a map belongs to one revision"
    unknown = report(judged(judge, factor="fun") + said(people[:25], factor="fun"))
    assert unknown.means[0].scale == Scale(0, 4)
    (assumed,) = (remark.detail for remark in unknown.remarks if remark.code == "scale_from_scores")
    assert ("fun (0 to 4)" in assumed, "`scales`" in assumed) == (True, True)
    assert "label_without_judge" in codes(report(judged(judge) + said(people) + said(people, factor="fun")))
    assert "labels_not_judged" in codes(report(judged(judge[:30]) + said(people)))
    assert "duplicates" in codes(report(judged(judge) + said(people) + said(people)))
    assert "mixed_keys" in codes(report(judged(judge, comparison_key="k")[:20] + judged(judge, comparison_key="l")[20:] + said(people)))  # fmt: skip


def test_labels_on_another_scale_than_the_factors_own_are_suspected() -> None:
    judge, people = world(40)
    rows = judged([25 * score for score in judge]) + said(people[:25])
    wide = {"coherence": Scale(0, 100)}
    found = report(rows, known=wide)
    assert "scale_little_used" in codes(found)
    assert "scale_little_used" in found.means[0].warnings
    for scales, scores in (({"coherence": Scale(0, 4)}, people), ({}, [25 * one for one in people])):
        other = rows[:40] + said(scores[:25])
        assert "scale_little_used" not in codes(report(other, known=wide, scales=scales))


def test_situations_put_to_both_systems_are_compared_in_pairs() -> None:
    generator = np.random.default_rng(3)
    hard = generator.normal(0, 1, 80)

    def talks(lift: float) -> tuple[list[float], list[float]]:
        people = np.clip(np.round(2 + hard + lift + generator.normal(0, 0.3, 80)), 0, 4)
        return np.clip(people + generator.normal(0, 0.3, 80), 0, 4).tolist(), people.tolist()

    rows = []
    for system, lift in (("new", 0.5), ("old", 0.0)):
        judge, people = talks(lift)
        rows += judged(judge, system) + said(people[:40], system)
    alone = report(rows)
    same = report([{**row, "situation": row["conversation"][-3:]} for row in rows])
    by_name = report([{**row, "conversation": row["conversation"][-3:]} for row in rows])
    (apart,), (together,) = alone.differences, same.differences
    assert (apart.paired, together.paired, together.n) == (False, True, 40)
    assert together == by_name.differences[0]
    widths = [row.interval.high - row.interval.low for row in (together, apart)]
    assert widths[0] < 0.8 * widths[1]
    assert together.standard_error < apart.standard_error


def test_turns_of_one_conversation_are_one_cluster_and_make_no_map() -> None:
    judge, people = world(60)
    turns = [
        {**row, "conversation": f"c{i // 3}", "turn": i % 3}
        for rows in (judged(judge), said(people[:30]))
        for i, row in enumerate(rows)
    ]
    found, apart = report(turns), report(judged(judge) + said(people[:30]))
    assert found.means[0].n == 30
    assert found.means[0].degrees_of_freedom == 9
    assert apart.means[0].degrees_of_freedom == 29
    assert not found.maps


def test_the_plan_asks_for_as_many_labels_as_there_are_for_the_width_there_is() -> None:
    judge, people = world(400)
    rows = judged(judge) + said(people[:50])
    for target in Target:
        (now,) = report(rows, target=target).plan
        (plan,) = report(rows, target=target, half_width=now.half_width_now + 1e-9).plan
        assert plan.labels == pytest.approx(50, abs=1)
        assert known(plan.labels_without_judge) > 60
    assert plan.labels_with_more_judged is not None
    (out_of_reach,) = report(rows, half_width=1e-5).plan
    assert out_of_reach.labels is None


def test_no_figure_of_an_unequal_sample_rests_on_the_labels_alone() -> None:
    judge, people = world(400)
    low = [score < 2 for score in judge]
    rows = judged(judge)
    labels = said(people)
    for part, probability in ((True, 0.5), (False, 0.1)):
        places = [place for place in range(400) if low[place] is part]
        drawn = places[:: round(1 / probability)]
        share = len(drawn) / len(places)
        rows += [{**labels[place], "probability": share, "stratum": str(part)} for place in drawn]
    (mean,) = report(rows).means
    interval = known(mean.interval)
    assert interval.low < np.mean(people) < interval.high
    assert "labels_not_random" not in mean.warnings
    bare = report([{**row, "probability": None, "stratum": None} for row in rows])
    assert "labels_not_random" in bare.means[0].warnings


@pytest.mark.parametrize(
    ("probabilities", "strata"),
    [
        ([0.1] * 10 + [0.2] + [0.5] * 10, 2),
        ([0.1] * 10 + [0.2] * 10 + [0.5], 2),
        ([round(0.05 + i / 4000, 6) for i in range(2000)], 50),
    ],
    ids=["one alone", "the last alone", "many"],
)
def test_strata_with_one_label_join_their_neighbours(probabilities: list[float], strata: int) -> None:
    found = _strata(np.array(probabilities), np.full(len(probabilities), -1))
    assert len(np.unique(found)) <= strata
    assert np.bincount(found).min() >= 2


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"score": 5.0}, "/ratings/3/score"),
        ({"kind": "human"}, "/ratings/3/rater"),
        ({"rater": "people"}, "/ratings/3/rater"),
        ({"conversation": "alpha-002", "stratum": "b"}, "/ratings/3/stratum"),
    ],
)
def test_contradictions_are_named_by_their_place(change: Row, pointer: str) -> None:
    rows = judged([1, 2, 3, 4], stratum="a") + said([1, 2])
    with pytest.raises(InvalidRequest, match=f"^{pointer}: "):
        report([*rows[:3], {**rows[3], **change}, *rows[4:]])


def test_labels_with_and_without_a_probability_do_not_go_together() -> None:
    rows = judged([1, 2, 3, 4]) + said([1, 2], probability=0.5) + said([1, 2, 3])[2:]
    with pytest.raises(InvalidRequest, match="1 have no probability"):
        report(rows)


def test_people_off_their_scale_and_no_judge_at_all_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="5 by people on coherence is off the scale 0 to 4"):
        report(judged([1, 2]) + said([5]))
    with pytest.raises(InvalidRequest, match="7 by people"):  # hidden by the mean of two
        report(judged([1, 2]) + said([7]) + said([1], rater="bob"))
    with pytest.raises(InvalidRequest, match="no rating is by a judge"):
        report(said([1, 2]))
    with pytest.raises(InvalidRequest, match="more than 2000 systems"):
        report([row for i in range(2001) for row in judged([1], f"s{i}")])


def test_columns_are_of_one_length_or_hold_for_all() -> None:
    columns: Row = {
        "conversation": ["a", "b"],
        "factor": ["f"],
        "rater": ["r"],
        "kind": ["judge"],
        "score": [1, 2],
    }
    assert Ratings.of(columns).codes["rater"].tolist() == [0, 0]
    with pytest.raises(InvalidRequest, match=r"^/columns/score: "):
        Ratings.of({**columns, "conversation": ["a", "b", "c"]})
