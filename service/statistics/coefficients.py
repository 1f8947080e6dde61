"""Agreement coefficients of two raters, over many resamples at once.

All of them depend on nothing but how often each pair of scores occurs. So every function takes the distinct pairs (`Cells`) and a
(draws, cells) matrix of how often each occurs in each resample. It gives one value a draw, NaN where a resample leaves it
undefined. The counts of the data themselves give the coefficient itself. Property tests compare it with scipy, scikit-learn and
krippendorff (docs/decisions.md#coefficients-of-agreement-are-our-own-the-libraries-check-them)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .bootstrap import Matrix, divide

Indices = NDArray[np.intp]
Draws = Callable[["Cells", Matrix], Matrix]

MOST_CELLS = 3000
"""Distinct pairs of scores up to which tau-b is resampled: the work grows with their square."""

_TINY = 1e-12


class Coefficient(StrEnum):
    """A coefficient of agreement between two raters on the same units."""

    QUADRATIC_WEIGHTED_KAPPA = "quadratic_weighted_kappa"
    COHEN_KAPPA = "cohen_kappa"
    RANDOLPH_KAPPA = "randolph_kappa"
    PERCENT_AGREEMENT = "percent_agreement"
    KRIPPENDORFF_ALPHA = "krippendorff_alpha"
    KENDALL_TAU_B = "kendall_tau_b"
    SPEARMAN = "spearman"
    PEARSON = "pearson"


CORRELATIONS = (Coefficient.KENDALL_TAU_B, Coefficient.SPEARMAN, Coefficient.PEARSON)


@dataclass(frozen=True)
class Cells:
    """Distinct pairs of scores (of a group, where there are groups)."""

    first: Matrix
    second: Matrix
    group: Indices | None
    levels: int

    def apart(self, counts: Matrix) -> "Iterator[tuple[Cells, Matrix]]":
        if self.group is None:
            yield self, counts
            return
        for group in np.unique(self.group):
            here = self.group == group
            yield Cells(self.first[here], self.second[here], None, self.levels), counts[:, here]


@dataclass(frozen=True)
class RaterPairs:
    """Two raters' scores of the same units (conversations, or turns of them).

    `conversation` numbers the conversation of each unit from 0; whole conversations are resampled.
    With `group` (a number for each unit) the correlations compare units of one group alone.
    `levels` is how many levels the scale has, for Randolph's kappa."""

    first: Matrix
    second: Matrix
    conversation: Indices
    group: Indices | None = None
    levels: int = 0

    @property
    def n(self) -> int:
        return len(self.first)

    @property
    def conversations(self) -> int:
        return int(self.conversation.max()) + 1 if self.n else 0

    @property
    def cells(self) -> Cells:
        return self._condensed[0]

    @cached_property
    def _condensed(self) -> tuple[Cells, Indices]:
        group = np.zeros(self.n) if self.group is None else self.group
        columns: Matrix = np.column_stack([self.first, self.second, group]).astype(np.float64)
        known, cell = np.unique(columns, axis=0, return_inverse=True)
        groups = None if self.group is None else known[:, 2].astype(np.intp)
        return Cells(known[:, 0], known[:, 1], groups, self.levels), cell.reshape(-1)

    @property
    def counts(self) -> Matrix:
        """Return how often each cell occurs: a matrix of one row."""
        cells, cell = self._condensed
        return np.bincount(cell, minlength=len(cells.first)).astype(np.float64)[None]

    def drawn(self, resamples: Matrix) -> Matrix:
        """Return how often each cell occurs in each resample of conversations."""
        cells, cell = self._condensed
        return _sums_by(resamples[:, self.conversation], cell, len(cells.first))


def coefficient(name: Coefficient, pairs: RaterPairs) -> float:
    """The coefficient of these pairs, NaN where it is undefined."""
    of_data = _sorted_tau_b if name is Coefficient.KENDALL_TAU_B else COEFFICIENTS[name]
    return float(of_data(pairs.cells, pairs.counts)[0])


def nearest_levels(scores: Matrix) -> Indices:
    """The whole number nearest to each score, halves down: the `level` of a verdict."""
    return np.ceil(scores - 0.5).astype(np.intp)


def pearson(cells: Cells, counts: Matrix) -> Matrix:
    """Pearson's r; with groups, of the deviations from each group's means."""
    total = np.zeros((3, len(counts)))
    scaled = Cells(_standard(cells.first), _standard(cells.second), cells.group, cells.levels)
    for part, here in scaled.apart(counts):
        total += _deviations(part, here)
    return _correlation(total)


def spearman(cells: Cells, counts: Matrix) -> Matrix:
    """Spearman's rho, ties sharing their mean rank. With groups: Pearson's r of ranks within each
    group, as shares of its size, less their mean."""
    total = np.zeros((3, len(counts)))
    for part, here in cells.apart(counts):
        size = here.sum(axis=1)[:, None]
        scale = divide(np.ones_like(size), size, 0.0)
        x, y = ((_ranks(side, here) - size / 2) * scale for side in (part.first, part.second))
        total += [(here * a * b).sum(axis=1) for a, b in ((x, y), (x, x), (y, y))]
    return _correlation(total)


def kendall_tau_b(cells: Cells, counts: Matrix) -> Matrix:
    """Kendall's tau-b; with groups, over pairs of units of one group. NaN throughout where there
    are more than `MOST_CELLS` cells."""
    if len(cells.first) > MOST_CELLS:
        return np.full(len(counts), np.nan)
    total = np.zeros((3, len(counts)))
    for part, here in cells.apart(counts):
        x, y = (np.sign(np.subtract.outer(side, side)) for side in (part.first, part.second))
        kernels = (x * y, np.abs(x), np.abs(y))
        total += [((here @ kernel) * here).sum(axis=1) for kernel in kernels]
    return _correlation(total)


def _sorted_tau_b(cells: Cells, counts: Matrix) -> Matrix:
    """Kendall's tau-b under one row of counts: discordant pairs are counted by sorting (Knight 1966), so that
    any number of cells is affordable."""
    total = np.zeros((3, 1))
    for part, here in cells.apart(counts):
        first, second = (
            np.unique(side, return_inverse=True)[1].reshape(-1) for side in (part.first, part.second)
        )
        pairs = here.sum() ** 2
        x, y = (pairs - np.square(np.bincount(level, here[0])).sum() for level in (first, second))
        both = x + y - pairs + np.square(here).sum()
        # `RaterPairs` sorts cells by the first score, then by the second.
        total += np.array([[both - 4 * _inversions(second, here[0])], [x], [y]])
    return _correlation(total)


def _inversions(level: Indices, weight: Matrix) -> float:
    """Sum the products of the weights of all pairs whose higher level comes before the lower one."""
    total = 0.0
    for bit in reversed(range(int(level.max()).bit_length())):
        # Levels that agree in all higher bits are together by now, in their first order.
        block = level >> bit + 1
        high = np.where(level >> bit & 1, weight, 0.0)
        before = np.concatenate([[0.0], np.cumsum(high)])
        passed = before[:-1] - before[np.searchsorted(block, block)]
        total += float(passed @ (weight - high))
        order = np.argsort(level >> bit, kind="stable")
        level, weight = level[order], weight[order]
    return total


def quadratic_weighted_kappa(cells: Cells, counts: Matrix) -> Matrix:
    """Cohen's kappa with squared differences as weights, of scores as they are: on whole levels the
    usual coefficient, and defined for means of several raters too (it equals Lin's concordance)."""
    size = counts.sum(axis=1)
    middle = np.concatenate([cells.first, cells.second]).mean()
    x, y = cells.first - middle, cells.second - middle
    observed = counts @ (x - y) ** 2 / size
    expected = (counts @ x**2 + counts @ y**2) / size - 2 * (counts @ x) * (counts @ y) / size**2
    scale = np.square(np.concatenate([x, y])).mean()
    return 1 - divide(observed, np.where(expected > _TINY * scale, expected, 0.0))


def percent_agreement(cells: Cells, counts: Matrix) -> Matrix:
    """The share of units on which both give the same level, 0-1."""
    same = nearest_levels(cells.first) == nearest_levels(cells.second)
    return np.asarray(counts @ same.astype(np.float64) / counts.sum(axis=1))


def cohen_kappa(cells: Cells, counts: Matrix) -> Matrix:
    """Cohen's kappa of levels."""
    both = np.concatenate([nearest_levels(cells.first), nearest_levels(cells.second)])
    known, level = np.unique(both, return_inverse=True)
    first, second = (
        _sums_by(counts, part, len(known)) / counts.sum(axis=1)[:, None]
        for part in np.split(level.reshape(-1), 2)
    )
    return over_chance(percent_agreement(cells, counts), (first * second).sum(axis=1))


def randolph_kappa(cells: Cells, counts: Matrix) -> Matrix:
    """Randolph's free-marginal kappa: chance is one over the number of levels of the scale."""
    chance = np.full(len(counts), 1 / max(cells.levels, 1))
    return over_chance(percent_agreement(cells, counts), chance)


def krippendorff_alpha(cells: Cells, counts: Matrix) -> Matrix:
    """Krippendorff's alpha of the two, for interval data."""
    return alpha_of_many(np.column_stack([cells.first, cells.second]), counts)


def alpha_of_many(scores: Matrix, counts: Matrix) -> Matrix:
    """Krippendorff's alpha for interval data of a (units, raters) matrix, NaN where a rater gave
    none; `counts` says how often each unit counts. Units with fewer than two scores do not."""
    number = (~np.isnan(scores)).sum(axis=1)
    paired = number > 1
    known, number = scores[paired], number[paired].astype(np.float64)
    if not len(known):
        return np.full(len(counts), np.nan)
    known = known - np.nanmean(known)
    sums, squares = np.nansum(known, axis=1), np.nansum(known**2, axis=1)
    within = 2 * (number * squares - sums**2) / (number - 1)
    n, s, q, w = (counts[:, paired] @ np.column_stack([number, sums, squares, within])).T
    expected = 2 * (n * q - s**2)
    floor = _TINY * n**2 * np.square(known[~np.isnan(known)]).mean()
    return 1 - divide(w * (n - 1), np.where(expected > floor, expected, 0.0))


COEFFICIENTS: Mapping[Coefficient, Draws] = {
    Coefficient.QUADRATIC_WEIGHTED_KAPPA: quadratic_weighted_kappa,
    Coefficient.COHEN_KAPPA: cohen_kappa,
    Coefficient.RANDOLPH_KAPPA: randolph_kappa,
    Coefficient.PERCENT_AGREEMENT: percent_agreement,
    Coefficient.KRIPPENDORFF_ALPHA: krippendorff_alpha,
    Coefficient.KENDALL_TAU_B: kendall_tau_b,
    Coefficient.SPEARMAN: spearman,
    Coefficient.PEARSON: pearson,
}


def _deviations(part: Cells, counts: Matrix) -> Matrix:
    """Sums of products of deviations from the means: xy, xx, yy."""
    x, y = part.first, part.second
    moments = counts @ np.column_stack([np.ones(len(x)), x, y, x * y, x * x, y * y])
    n, sx, sy, xy, xx, yy = moments.T
    scale = divide(np.ones_like(n), n, 0.0)
    return np.array([xy - sx * sy * scale, xx - sx * sx * scale, yy - sy * sy * scale])


def _correlation(sums: Matrix) -> Matrix:
    """xy / sqrt(xx yy), NaN where a side does not vary."""
    xy, xx, yy = sums
    varies = (xx > _TINY) & (yy > _TINY)
    scale = np.where(varies, np.sqrt(np.maximum(xx, 0.0)) * np.sqrt(np.maximum(yy, 0.0)), 0.0)
    return np.asarray(np.clip(divide(xy, scale), -1.0, 1.0))


def _standard(scores: Matrix) -> Matrix:
    """Scores with mean 0 and spread 1, so that rounding errors are small whatever their scale."""
    centred = scores - scores.mean()
    spread = np.abs(centred).max()
    return np.asarray(centred / spread, dtype=np.float64) if spread > 0 else centred


def _ranks(scores: Matrix, counts: Matrix) -> Matrix:
    """The mid-rank, less one half, of each cell in each resample."""
    known, level = np.unique(scores, return_inverse=True)
    occurring = _sums_by(counts, level.reshape(-1), len(known))
    ranks: Matrix = np.cumsum(occurring, axis=1) - occurring / 2
    return np.asarray(ranks[:, level.reshape(-1)])


def _sums_by(weights: Matrix, label: Indices, labels: int) -> Matrix:
    """The weights of each row summed by label: a (draws, labels) matrix."""
    order = np.argsort(label, kind="stable")
    present, starts = np.unique(label[order], return_index=True)
    sums = np.zeros((len(weights), labels))
    sums[:, present] = np.add.reduceat(weights[:, order], starts, axis=1)
    return sums


def over_chance(agreement: Matrix, chance: Matrix) -> Matrix:
    """Return agreement beyond chance, as a share of what chance leaves; NaN where it leaves nothing."""
    return divide(agreement - chance, np.where(1 - chance > _TINY, 1 - chance, 0.0))
