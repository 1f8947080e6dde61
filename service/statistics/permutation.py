"""Permutation tests of a difference of means, and Holm's correction for many of them."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from .bootstrap import Matrix

DRAWS = 9_999
MOST_EXACT = 10_000
"""Permutations up to which all are tried; beyond it `DRAWS` of them are drawn."""

# Sums in another order differ by rounding; permutations that give the same difference must count as the same.
_ROUNDING = 1e-9


def paired_p(differences: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p-value that the mean of paired differences is 0: the share of sign flips whose mean
    is as far from 0. Exact up to 13 pairs. Raises ValueError without a difference."""
    if not differences:
        raise ValueError("a test needs at least one difference")
    values = np.asarray(differences, dtype=np.float64)
    count = len(values)
    if 2**count <= MOST_EXACT:
        bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return _share(np.abs((bits * 2.0 - 1) @ values), abs(values.sum()), drawn=False)
    signs = np.random.default_rng(seed).integers(0, 2, size=(DRAWS, count)) * 2.0 - 1
    return _share(np.abs(signs @ values), abs(values.sum()), drawn=True)


def unpaired_p(first: Sequence[float], second: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p-value that two samples have one mean: the share of ways to divide all values into
    samples of these sizes whose means are as far apart. Raises ValueError for an empty sample."""
    if not first or not second:
        raise ValueError("a test needs a value on either side")
    values = np.asarray([*first, *second], dtype=np.float64)
    count, size = len(values), len(first)
    observed = abs(float(np.mean(first)) - float(np.mean(second)))
    if (ways := math.comb(count, size)) <= MOST_EXACT:
        chosen = np.zeros((ways, count))
        for row, members in enumerate(combinations(range(count), size)):
            chosen[row, list(members)] = 1.0
        return _share(_apart(chosen, values, size), observed, drawn=False)
    order = np.random.default_rng(seed).permuted(np.tile(np.arange(count), (DRAWS, 1)), axis=1)
    return _share(_apart((order < size).astype(np.float64), values, size), observed, drawn=True)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), in their order: the k-th smallest of m is multiplied
    by m - k + 1, never falls below the one before it, and never exceeds 1."""
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
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
    as_far = int((permuted >= observed - _ROUNDING).sum())
    return (1 + as_far) / (1 + len(permuted)) if drawn else as_far / len(permuted)
