"""Prediction-powered means: by hand, at their limits, and all trials at once as one by one."""

import numpy as np
import pytest
from scipy import stats

from service.calibration.estimates.means import (
    calibrated_mean,
    judge_weight,
    plain_mean,
)
from service.calibration.estimates.sample import Ends, Sample, Target

ENDS = Ends(0, 4)


def sample(people: list[float], judge: list[float], rest: list[float]) -> Sample:
    return Sample.of(np.array(people), np.array(judge), np.array(rest))


def test_the_mean_is_that_of_the_labels_moved_by_what_the_judge_says_of_the_rest() -> None:
    # People 1, 2, 3, 2; judge 2, 3, 4, 3: cov = var = 2/3. n/m = 4/8, so k = 1/1.5 = 2/3.
    given = sample([1, 2, 3, 2], [2, 3, 4, 3], [2, 2, 2, 2, 2, 2, 2, 2])
    assert judge_weight(given) == pytest.approx(2 / 3)
    found = calibrated_mean(given, ENDS, Target.FUTURE)
    assert found.mean == pytest.approx(2 + 2 / 3 * (2 - 3))
    # Rest of each label: (Y - k f) = 1 - 4/3, 0, 1/3, 0, and the judge does not vary on the rest.
    assert found.error == pytest.approx(np.sqrt(np.var([-1 / 3, 0, 1 / 3, 0], ddof=1) / 4))
    assert found.degrees == 3


def test_the_interval_rests_on_two_half_labels_at_the_ends() -> None:
    people = [1.0, 2.0, 3.0, 2.0]
    found = plain_mean(sample(people, [0, 0, 0, 0], [0, 0]), ENDS, Target.FUTURE)
    values, weights = np.array([*people, 0, 4]), np.array([1, 1, 1, 1, 0.5, 0.5])
    centre = np.average(values, weights=weights)
    variance = (weights * (values - centre) ** 2).sum() / 4
    half = stats.t.ppf(0.975, 3) * np.sqrt(variance / 5)
    assert found.low == pytest.approx(centre - half)
    assert found.high == pytest.approx(centre + half)


def test_standard_errors_put_back_what_fitting_the_weight_took_off() -> None:
    generator = np.random.default_rng(6)
    people, judge = generator.normal(2, 0.7, (2, 12))
    given = Sample.of(people, judge + 0.8 * people, generator.normal(3.6, 0.9, 40))
    fitted = calibrated_mean(given, ENDS, Target.FUTURE)
    known = calibrated_mean(given, ENDS, Target.FUTURE, weight=fitted.weight)
    assert (fitted.mean, fitted.low, fitted.high) == (known.mean, known.low, known.high)
    # By hand: residuals of the line over the root of 1 - leverage, and the slope's part that the weight leaves.
    x, y = given.judge - given.judge.mean(), people - people.mean()
    slope = x @ y / (x @ x)
    off = (y - slope * x) / np.sqrt(1 - 1 / 12 - x**2 / (x @ x)) + (slope - fitted.weight) * x
    expected = off @ off / 11 / 12 + fitted.weight**2 * given.rest_variance / 40
    assert fitted.error == pytest.approx(np.sqrt(expected))
    assert fitted.error > known.error
