"""Shares and means with their intervals, and a test of two shares of the same units."""

from collections.abc import Sequence

import numpy as np

from .bootstrap import Interval, intervals, ratio_draws
from .permutation import sign_p

Z = 1.959963984540054


def wilson(hits: float, n: int) -> Interval:
    """Return the 95 % interval of Wilson for `hits` of `n`. Raises ValueError where `n` is 0."""
    if not 0 <= hits <= n or not n:
        raise ValueError(f"{hits} of {n} is no share")
    share, wide = hits / n, 1 + Z**2 / n
    middle = (share + Z**2 / (2 * n)) / wide
    half = Z / wide * (share * (1 - share) / n + Z**2 / (4 * n * n)) ** 0.5
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the 95 % percentile bootstrap interval of a mean; None for no values."""
    column = np.asarray(values, dtype=np.float64)[:, None]
    return intervals(ratio_draws(column, np.ones_like(column)))[0]


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided p of McNemar's exact test: units on which only one of two raters was right, for each."""
    return min(1.0, 2 * sign_p(max(only_first, only_second), min(only_first, only_second)))
