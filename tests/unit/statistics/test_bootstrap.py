"""Ratios of sums and their resamples."""

from math import comb

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

from service.statistics.bootstrap import Interval, intervals, point_ratios, ratio_draws
from service.statistics.permutation import (
    exact_mcnemar,
    holm,
    mean_interval,
    paired_p,
    t_quantile,
    t_tail,
    unpaired_p,
    wilson,
)
from tests.factories import known


def column(*values: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)[:, None]


def test_point_is_the_ratio_of_sums_not_the_mean_of_ratios() -> None:
    assert point_ratios(column(1, 3), column(1, 9)) == pytest.approx([0.4])


def test_resamples_repeat_with_the_seed_and_differ_without() -> None:
    values, ones = column(*range(20)), column(*[1] * 20)
    first = ratio_draws(values, ones, draws=50, seed=3)
    assert np.array_equal(first, ratio_draws(values, ones, draws=50, seed=3))
    assert not np.array_equal(first, ratio_draws(values, ones, draws=50, seed=4))


def test_interval_of_a_share_agrees_with_the_normal_approximation() -> None:
    successes = column(*[1] * 300, *[0] * 700)
    found = known(intervals(ratio_draws(successes, np.ones_like(successes), draws=4000))[0])
    half = 1.96 * (0.3 * 0.7 / 1000) ** 0.5
    assert (found.low, found.high) == pytest.approx((0.3 - half, 0.3 + half), abs=0.004)


def test_interval_leaves_undefined_resamples_out_up_to_half() -> None:
    mostly = np.array([[0.2], [0.4], [0.6], [np.nan]])
    half = np.array([[0.2], [0.4], [np.nan], [np.nan]])
    assert intervals(mostly, level=0.0) == [Interval(0.4, 0.4, 0.0)]
    assert intervals(half) == [None]


def test_sign_flips_are_counted_by_hand() -> None:
    # Of the eight signs of (1, 2, 3) only +++ and --- are as far from 0.
    assert paired_p([1, 2, 3]) == 2 / 8
    # |1 - 1| = 0: everything is as far.
    assert paired_p([1, -1]) == 1.0
    assert paired_p([1e-10, 2e-10, 3e-10]) == 2 / 8
    # (3, 1): +- gives 2, which is less than 4.
    assert paired_p([3, 1]) == 2 / 4


def test_divisions_are_counted_by_hand() -> None:
    # Of the six ways to choose two of (1, 2, 3, 4), {1, 2} and {3, 4} are as far apart.
    assert unpaired_p([1, 2], [3, 4]) == 2 / 6
    assert unpaired_p([1.0], [1.0]) == 1.0


def test_many_values_are_drawn_and_the_same_each_time() -> None:
    apart = [0.3] * 12 + [-0.1] * 8
    assert paired_p(apart) == paired_p(apart)
    # With i of the .3 and j of the -.1 turned round, the sum is .3 (12 - 2i) - .1 (8 - 2j); so many reach 2.8:
    far = sum(
        comb(12, i) * comb(8, j) for i in range(13) for j in range(9) if abs(2.8 - 0.6 * i + 0.2 * j) > 2.79
    )
    assert paired_p(apart) == pytest.approx(far / 2**20, abs=0.003)
    first, second = [0.0] * 15 + [1.0], [1.0] * 15 + [0.0]
    assert unpaired_p(first, second) == 1 / 10_000
    assert unpaired_p([float(n % 3) for n in range(30)], [float(n % 3) for n in range(30)]) == 1.0


def test_holm_by_hand() -> None:
    # Sorted .01, .02, .03, .5: times 4, 3, 2, 1, and none under the one before.
    assert holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (3, 10), (10, 10), (45, 300)])
def test_wilson_is_that_of_scipy(hits: int, n: int) -> None:
    theirs = binomtest(hits, n).proportion_ci(method="wilson")
    ours = wilson(hits, n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (8, 1), (30, 30), (400, 350)])
def test_mcnemar_is_a_binomial_test(first: int, second: int) -> None:
    theirs = binomtest(first, first + second).pvalue if first + second else 1
    assert exact_mcnemar(first, second) == pytest.approx(theirs)


def test_a_mean_lies_in_its_interval() -> None:
    bounds = known(mean_interval([1.0, 2.0, 3.0, 4.0]))
    assert bounds.low < 2.5 < bounds.high


@pytest.mark.parametrize("degrees", [1, 2, 2.5, 7, 19, 119, 1e4, 1e6])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.975, 0.9995])
def test_quantiles_and_tails_are_scipys(level: float, degrees: float) -> None:
    quantile = t_quantile(level, degrees)
    assert quantile == pytest.approx(stats.t.ppf(level, degrees), rel=1e-8, abs=1e-9)
    assert t_quantile(1 - level, degrees) == pytest.approx(-quantile, rel=1e-9, abs=1e-9)
    assert t_tail(quantile, degrees) == pytest.approx(1 - level, rel=1e-8)
    assert t_tail(-1.5, degrees) == pytest.approx(stats.t.sf(-1.5, degrees), rel=1e-9)


@pytest.mark.parametrize(("level", "degrees"), [(0, 5), (1, 5), (0.9, 0), (float("nan"), 5)])
def test_what_is_no_level_is_refused(level: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="a level inside 0 to 1"):
        t_quantile(level, degrees)
