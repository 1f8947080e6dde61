"""Tests that labels are a random sample: what they find, and how seldom they cry wolf."""

import numpy as np
import pytest
from scipy import stats

from service.calibration.estimates.sample import Draw
from service.calibration.estimates.shift import Hypothesis, group_weight, rejected, sample_tests


def warned(scores: np.ndarray, labelled: np.ndarray, draw: Draw | None = None) -> bool:
    return any(rejected(sample_tests(scores[labelled], scores, draw, 1.0)))


def test_known_probabilities_take_the_suspicion_away() -> None:
    generator = np.random.default_rng(2)
    scores = generator.normal(size=1000)
    low = scores < 0
    chosen = np.concatenate(
        [generator.choice(np.flatnonzero(part), n, replace=False) for part, n in ((low, 60), (~low, 20))]
    )
    probability = np.where(low, 60 / low.sum(), 20 / (~low).sum())[chosen]
    assert warned(scores, chosen)
    assert not warned(scores, chosen, Draw(probability, low[chosen].astype(np.intp)))


def test_the_two_p_values_are_those_of_student_and_kolmogorov() -> None:
    generator = np.random.default_rng(3)
    scores = generator.normal(size=5000)
    mean, distance = sample_tests(scores[:50], scores, None, 1.0)
    # So few of so many are as good as drawn with replacement.
    assert mean.p_value == pytest.approx(stats.ttest_1samp(scores[:50], scores.mean()).pvalue, abs=0.05)
    assert distance.p_value == pytest.approx(stats.ks_2samp(scores[:50], scores).pvalue, abs=0.05)


@pytest.mark.parametrize("labelled", [[], [0, 1], list(range(10))])
def test_there_is_nothing_to_test_in_few_labels_or_in_all(labelled: list[int]) -> None:
    scores = np.arange(10.0)
    assert sample_tests(scores[labelled], scores, None, 1.0) == []
    assert sample_tests(np.ones(5), np.ones(10), None, 1.0) == []


def test_holm_shares_the_chance_of_a_false_warning_by_weight() -> None:
    assert rejected([]) == []
    assert rejected([Hypothesis(0.04, 1)]) == [True]
    assert rejected([Hypothesis(0.04, 0.5), Hypothesis(0.9, 0.5)]) == [False, False]
    assert rejected([Hypothesis(0.04, 0.9), Hypothesis(0.9, 0.1)]) == [True, False]
    assert rejected([Hypothesis(0.04, 0.5), Hypothesis(0.01, 0.5)]) == [True, True], (
        "the first frees the other's share"
    )
    assert group_weight(True, 9) + 9 * group_weight(False, 9) == pytest.approx(1)
    assert group_weight(True, 0) == 1
