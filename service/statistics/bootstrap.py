"""Percentile bootstrap for ratios of sums, many figures over the same units at once.

A share, a mean and a mean of ratios are all `sum(numerator) / sum(denominator)` over units
(conversations, reply pairs). One set of resamples serves all figures of a group. So a figure that is derived from several of them
(a roll-up, a range over groups) keeps their correlation."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..domain import rounding

Matrix = NDArray[np.float64]

DRAWS = 1000
LEVEL = 0.95

# Resamples made at once are limited to about this many numbers, of 24 bytes while they are made (2 MB).
_BLOCK = 80_000
# A figure set has few sizes (all conversations, those of each system): the resamples of the last ones are kept,
# each with up to so many numbers of 2 bytes.
_KEPT = 2_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval of a bootstrap over conversations (reply pairs for reliability)."""

    low: rounding.Figure
    high: rounding.Figure
    level: rounding.Figure = LEVEL
    """The share of resampled values that it covers."""


def point_ratios(numerators: Matrix, denominators: Matrix) -> Matrix:
    """`sum(numerator) / sum(denominator)` for each column of two (units, columns) matrices; NaN
    where the denominators sum to zero."""
    return divide(numerators.sum(axis=0), denominators.sum(axis=0))


def ratio_draws(numerators: Matrix, denominators: Matrix, *, draws: int = DRAWS, seed: int = 0) -> Matrix:
    """Resampled ratios: a (draws, columns) matrix, NaN where a resample's denominators sum to zero.

    Whole units are drawn with replacement, as many as there are; the same seed and number of units
    give the same resamples."""
    units, columns = numerators.shape
    if not units:
        return np.full((draws, columns), np.nan)
    blocks = Resamples(draws, seed).blocks(units)
    return np.vstack([divide(counts @ numerators, counts @ denominators) for counts in blocks])


def intervals(values: Matrix, level: float = LEVEL) -> list[Interval | None]:
    """The percentile interval of each column of resampled values, undefined ones (NaN) left out;
    None where half of them or more are undefined: no interval rests on the lucky resamples alone."""
    tail = (1 - level) / 2
    undefined = np.isnan(values).sum(axis=0)
    bounds = np.full((2, values.shape[1]), np.nan)
    whole = undefined == 0
    if len(values):
        bounds[:, whole] = np.quantile(values[:, whole], [tail, 1 - tail], axis=0)
    for column in np.flatnonzero((undefined > 0) & (undefined * 2 < len(values))):
        defined = values[:, column]
        bounds[:, column] = np.quantile(defined[~np.isnan(defined)], [tail, 1 - tail])
    return [
        None if np.isnan(low) else Interval(float(low), float(high), level)
        for low, high in zip(*bounds, strict=True)
    ]


class Resamples:
    """The same resamples for all figures over as many units, handed out in blocks."""

    def __init__(self, draws: int = DRAWS, seed: int = 0) -> None:
        self.draws = draws
        self._seed = seed

    def blocks(self, units: int, *, widest: int = 0, stream: int = 0) -> Iterator[Matrix]:
        """(draws, units) matrices of how often each unit is drawn, `draws` rows in all. A block has
        so few rows that a matrix of as many rows and `widest` columns fits too; another `stream`
        draws independently."""
        rows = max(1, _BLOCK // max(units, widest, 1))
        if not 0 < units * self.draws <= _KEPT:
            yield from _drawn(units, self.draws, rows, np.random.default_rng([self._seed, stream]))
            return
        kept = _whole(units, self.draws, self._seed, stream)
        for start in range(0, self.draws, rows):
            yield kept[start : start + rows].astype(np.float64)


@lru_cache(maxsize=8)
def _whole(units: int, draws: int, seed: int, stream: int) -> NDArray[np.uint16]:
    blocks = _drawn(units, draws, max(1, _BLOCK // units), np.random.default_rng([seed, stream]))
    return np.vstack([block.astype(np.uint16) for block in blocks])


def _drawn(units: int, draws: int, rows: int, generator: np.random.Generator) -> Iterator[Matrix]:
    for start in range(0, draws, rows):
        yield resample_counts(units, min(rows, draws - start), generator)


def resample_counts(units: int, draws: int, generator: np.random.Generator) -> Matrix:
    """Return how often each unit is in each resample: a (draws, units) matrix whose rows sum to `units`."""
    chosen = generator.integers(0, units, size=(draws, units))
    chosen += np.arange(draws)[:, None] * units
    counts = np.bincount(chosen.ravel(), minlength=draws * units)
    return counts.reshape(draws, units).astype(np.float64)


def divide(numerators: Matrix, denominators: Matrix, otherwise: float = np.nan) -> Matrix:
    """Return numerators over denominators, and `otherwise` where these are 0."""
    result = np.full_like(numerators, otherwise)
    np.divide(numerators, denominators, out=result, where=denominators != 0)
    return result
