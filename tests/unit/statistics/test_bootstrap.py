"""Ratios of sums and their resamples."""

import numpy as np
import pytest

from service.statistics.bootstrap import Interval, intervals, point_ratios, ratio_draws


def column(*values: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)[:, None]


def test_point_is_the_ratio_of_sums_not_the_mean_of_ratios() -> None:
    assert point_ratios(column(1, 3), column(1, 9)) == pytest.approx([0.4])


def test_point_without_a_denominator_is_undefined() -> None:
    assert np.isnan(point_ratios(column(0, 0), column(0, 0))).all()


def test_resamples_repeat_with_the_seed_and_differ_without() -> None:
    values, ones = column(*range(20)), column(*[1] * 20)
    first = ratio_draws(values, ones, draws=50, seed=3)
    assert np.array_equal(first, ratio_draws(values, ones, draws=50, seed=3))
    assert not np.array_equal(first, ratio_draws(values, ones, draws=50, seed=4))


def test_blocks_do_not_change_the_number_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.statistics.bootstrap._BLOCK", 30)
    draws = ratio_draws(column(*range(10)), column(*[1] * 10), draws=25)
    assert draws.shape == (25, 1)
    assert not np.isnan(draws).any()


def test_interval_of_a_share_agrees_with_the_normal_approximation() -> None:
    successes = column(*[1] * 300, *[0] * 700)
    found = intervals(ratio_draws(successes, np.ones_like(successes), draws=4000))[0]
    assert found is not None
    half = 1.96 * (0.3 * 0.7 / 1000) ** 0.5
    assert (found.low, found.high) == pytest.approx((0.3 - half, 0.3 + half), abs=0.004)


def test_interval_leaves_undefined_resamples_out_up_to_half() -> None:
    mostly = np.array([[0.2], [0.4], [0.6], [np.nan]])
    half = np.array([[0.2], [0.4], [np.nan], [np.nan]])
    assert intervals(mostly, level=0.0) == [Interval(0.4, 0.4, 0.0)]
    assert intervals(half) == [None]
