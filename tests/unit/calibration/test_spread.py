"""Samples that are not simple: known probabilities and strata, clusters, differences of two samples."""

import numpy as np
import pytest
from scipy import stats

from service.calibration.estimates.means import calibrated_mean, plain_mean
from service.calibration.estimates.sample import Clusters, Codes, Draw, Ends, Floats, Sample, Target
from service.calibration.estimates.shift import ALPHA, group_weight, sample_tests
from service.statistics.permutation import holm

ENDS = Ends(0, 4)


def world(size: int, seed: int = 0) -> tuple[Floats, Floats]:
    generator = np.random.default_rng(seed)
    people = generator.choice(5, size, p=[0.1, 0.2, 0.3, 0.3, 0.1]).astype(float)
    return people, np.clip(people + generator.normal(0.5, 0.8, size), 0, 4)


def test_weights_take_off_what_drawing_low_scores_more_often_adds() -> None:
    people, judge = world(4000, seed=1)
    low = judge < 2
    generator = np.random.default_rng(2)
    chosen = np.concatenate(
        [generator.choice(np.flatnonzero(part), 200, replace=False) for part in (low, ~low)]
    )
    probability = np.where(low, 200 / low.sum(), 200 / (~low).sum())[chosen]
    rest = np.setdiff1d(np.arange(4000), chosen)
    draw = Draw(probability, low[chosen].astype(np.intp))
    found = calibrated_mean(Sample.of(people[chosen], judge[chosen], judge[rest], draw), ENDS, Target.THESE)
    assert people[chosen].mean() < people.mean() - 0.2, "the labels alone are far off"
    assert found.low < people.mean() < found.high
    assert found.high - found.low < 0.3


def test_a_stratum_that_was_drawn_whole_adds_no_variance() -> None:
    people, judge = world(40, seed=3)
    draw = Draw(np.ones(40), np.zeros(40, dtype=np.intp))
    whole = Sample.of(people, judge, np.array([]), draw)
    these = calibrated_mean(whole, ENDS, Target.THESE)
    assert these.low == these.high == these.mean == pytest.approx(people.mean())
    future, plain = (
        calibrated_mean(whole, ENDS, Target.FUTURE),
        plain_mean(Sample.of(people, judge, np.array([])), ENDS, Target.FUTURE),
    )
    assert future.high - future.low == pytest.approx(float(plain.high - plain.low), rel=0.05)


def twice(values: Floats) -> Floats:
    return np.concatenate([values, values])


def pairs(first: int, last: int) -> Codes:
    return np.concatenate([np.arange(first, last), np.arange(first, last)])


def test_conversations_given_twice_count_once() -> None:
    people, judge = world(200, seed=4)
    once = Sample.of(people[:40], judge[:40], judge[40:])
    clusters = Clusters(pairs(0, 40), pairs(40, 200), twice(judge[40:]))
    doubled = Sample.of(twice(people[:40]), twice(judge[:40]), twice(judge[40:]), clusters=clusters)
    for target in Target:
        single, found = calibrated_mean(once, ENDS, target), calibrated_mean(doubled, ENDS, target)
        assert found.mean == pytest.approx(float(single.mean))
        assert found.high - found.low == pytest.approx(float(single.high - single.low), rel=0.02)


def test_the_two_p_values_are_those_of_student_and_kolmogorov() -> None:
    generator = np.random.default_rng(3)
    scores = generator.normal(size=5000)
    (mean, _), (distance, _) = sample_tests(scores[:50], scores, None, 1.0)
    # So few of so many are as good as drawn with replacement.
    assert mean == pytest.approx(stats.ttest_1samp(scores[:50], scores.mean()).pvalue, abs=0.05)
    assert distance == pytest.approx(stats.ks_2samp(scores[:50], scores).pvalue, abs=0.05)


@pytest.mark.parametrize("labelled", [[], [0, 1], list(range(10))])
def test_there_is_nothing_to_test_in_few_labels_or_in_all(labelled: list[int]) -> None:
    scores = np.arange(10.0)
    assert sample_tests(scores[labelled], scores, None, 1.0) == []
    assert sample_tests(np.ones(5), np.ones(10), None, 1.0) == []


def test_holm_shares_the_chance_of_a_false_warning_by_weight() -> None:
    def rejected(p_values: list[float], weights: list[float]) -> list[bool]:
        return [p <= ALPHA for p in holm(p_values, weights)]

    assert rejected([], []) == []
    assert rejected([0.04], [1]) == [True]
    assert rejected([0.04, 0.9], [0.5, 0.5]) == [False, False]
    assert rejected([0.04, 0.9], [0.9, 0.1]) == [True, False]
    assert rejected([0.04, 0.01], [0.5, 0.5]) == [True, True], "the first frees the other's share"
    assert group_weight(True, 9) + 9 * group_weight(False, 9) == pytest.approx(1)
    assert group_weight(True, 0) == 1
