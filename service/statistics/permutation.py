"""Tests of differences of means, Holm's correction for many of them, intervals of shares and means, and Student's t."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from .bootstrap import Interval, Matrix, intervals, ratio_draws

DRAWS = 9_999
MOST_EXACT = 10_000
"""Permutations up to which all are tried; beyond it `DRAWS` of them are drawn."""

# Sums in another order differ by rounding; permutations that give the same difference must count as the same.
_ROUNDING = 1e-9
Z = 1.959963984540054
_STEPS = 300
_FAR = 40.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def paired_p(differences: Sequence[float]) -> float:
    """Return the two-sided p-value that the mean of paired differences is 0: the share of sign flips whose mean
    is as far from 0. Exact up to 13 pairs."""
    values = np.asarray(differences, dtype=np.float64)
    count = len(values)
    if 2**count <= MOST_EXACT:
        bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return _share(np.abs((bits * 2.0 - 1) @ values), abs(values.sum()), drawn=False)
    signs = np.random.default_rng(0).integers(0, 2, size=(DRAWS, count)) * 2.0 - 1
    return _share(np.abs(signs @ values), abs(values.sum()), drawn=True)


def unpaired_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p-value that two samples have one mean: the share of ways to divide all values into
    samples of these sizes whose means are as far apart."""
    values = np.asarray([*first, *second], dtype=np.float64)
    count, size = len(values), len(first)
    observed = abs(float(np.mean(first)) - float(np.mean(second)))
    if (ways := math.comb(count, size)) <= MOST_EXACT:
        chosen = np.zeros((ways, count))
        for row, members in enumerate(combinations(range(count), size)):
            chosen[row, list(members)] = 1.0
        return _share(_apart(chosen, values, size), observed, drawn=False)
    order = np.random.default_rng(0).permuted(np.tile(np.arange(count), (DRAWS, 1)), axis=1)
    return _share(_apart((order < size).astype(np.float64), values, size), observed, drawn=True)


def holm(p_values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), in their order: the k-th smallest of m is multiplied
    by m - k + 1, never falls below the one before it, and never exceeds 1. Weights divide the chance of an error unequally."""
    weights = weights or [1.0] * len(p_values)
    adjusted = [1.0] * len(p_values)
    highest, left = 0.0, sum(weights)
    for place in sorted(range(len(p_values)), key=lambda index: p_values[index] / weights[index]):
        highest = max(highest, min(1.0, left / weights[place] * p_values[place]))
        adjusted[place] = highest
        left -= weights[place]
    return adjusted


def sign_p(more: int, fewer: int) -> float:
    """Return the one-sided p of the sign test: the chance of `more` or more of `more + fewer` where both were equally likely."""
    changed = more + fewer
    every = math.lgamma(changed + 1) - changed * math.log(2)
    logs = (every - math.lgamma(k + 1) - math.lgamma(changed - k + 1) for k in range(more, changed + 1))
    return min(1.0, math.fsum(map(math.exp, logs)))


def _apart(chosen: Matrix, values: Matrix, size: int) -> Matrix:
    sums = chosen @ values
    apart: Matrix = np.abs(sums / size - (values.sum() - sums) / (len(values) - size))
    return apart


def _share(permuted: Matrix, observed: float, *, drawn: bool) -> float:
    as_far = int((permuted >= observed - _ROUNDING * permuted.max()).sum())
    return (1 + as_far) / (1 + len(permuted)) if drawn else as_far / len(permuted)


def wilson(hits: float, n: int) -> Interval:
    """Return the 95 % interval of Wilson for `hits` of `n`."""
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


@lru_cache(maxsize=4096)
def t_quantile(level: float, degrees: float) -> float:
    """Return the value that Student's t with `degrees` degrees of freedom stays under with probability `level`, to eight digits.

    Raises ValueError unless 0 < level < 1 and degrees > 0."""
    if not 0 < level < 1 or not degrees > 0:
        raise ValueError(f"a level inside 0 to 1 and positive degrees are needed, not {level}, {degrees}")
    if level < 0.5:
        return -t_quantile(1 - level, degrees)
    low, high = 0.0, 1.0
    while t_tail(high, degrees) > 1 - level:
        low, high = high, 2 * high
    # The tail is convex above zero: Newton's steps from below never pass the quantile.
    for _ in range(_STEPS):
        step = (t_tail(low, degrees) - (1 - level)) / _density(low, degrees)
        low += step
        if step <= 1e-12 * max(1.0, low):
            break
    return low


def t_tail(value: float, degrees: float) -> float:
    """Return the probability that Student's t with `degrees` degrees of freedom exceeds `value`."""
    if value < 0:
        return 1 - t_tail(-value, degrees)
    return _mass_above(value, degrees) / _mass_above(0.0, degrees) / 2


def _mass_above(value: float, degrees: float) -> float:
    """Integrate the density of the angle whose tangent is t over the root of `degrees`, from that of `value` on."""
    root = math.sqrt(degrees)
    low = math.atan(value / root)
    # With many degrees there is nothing further out, and the nodes must not miss the peak.
    high = math.pi / 2 if degrees < _FAR else math.atan((value + _FAR) / root)
    half = (high - low) / 2
    return half * float(_WEIGHTS @ np.cos(low + half * (_NODES + 1)) ** (degrees - 1))


def _density(value: float, degrees: float) -> float:
    half = (degrees + 1) / 2
    front = math.exp(math.lgamma(half) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    return float(front * (1 + value * value / degrees) ** -half)
