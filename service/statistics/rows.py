"""One figure of the tidy table of agreement, and what figures of one kind share."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from .bootstrap import Interval, Matrix, Resamples, intervals
from .coefficients import COEFFICIENTS, CORRELATIONS, Coefficient, RaterPairs, coefficient
from .sheets import DIGITS, Aligned

FEWEST = 3
"""Pairs below which a correlation says nothing: two points always lie on a line."""


class Over(StrEnum):
    """The set that a figure is taken over: all pairs, one system, pairs within one system each, or the
    systems' means. With `system_mean` the people's mean of the system stands in the judge's place: what knowing who
    talks gives."""

    POOLED = "pooled"
    SYSTEM = "system"
    WITHIN_SYSTEM = "within_system"
    SYSTEM_MEAN = "system_mean"
    SYSTEMS = "systems"


class FigureUnit(StrEnum):
    """Unit of a value: a coefficient of at most 1, a share of 0-1, or points of the factor's scale."""

    COEFFICIENT = "coefficient"
    SHARE = "share"
    POINTS = "points"


class StatGap(StrEnum):
    """The reason why a value is null."""

    TOO_FEW_PAIRS = "too_few_pairs"
    ONE_VALUE = "one_value"
    ONE_LEVEL = "one_level"
    NO_PAIRS = "no_pairs"
    NO_PEOPLE = "no_people"
    SINGLE_SYSTEM = "single_system"
    SINGLE_FACTOR = "single_factor"
    NO_REPEATS = "no_repeats"
    NO_LENGTHS = "no_lengths"
    NO_ROUNDS = "no_rounds"


@dataclass(frozen=True, slots=True)
class StatRow:
    """`n` is what the value is taken over (pairs of scores, pairs of conversations, systems...),
    `conversations` how many were resampled for the interval."""

    statistic: str
    value: float | None = None
    unit: FigureUnit = FigureUnit.COEFFICIENT
    n: int = 0
    conversations: int = 0
    interval: Interval | None = None
    undefined: StatGap | None = None
    over: Over = Over.POOLED
    factor: str | None = None
    other_factor: str | None = None
    rater: str | None = None
    other: str | None = None
    system: str | None = None
    other_system: str | None = None
    round: int | None = None


@dataclass(frozen=True)
class Workshop:
    """Tools that every kind of figure needs: resamples; `check`, called between figures, which raises
    where nobody waits for the rest; and how many levels a factor's scale has, where that is known."""

    resamples: Resamples
    check: Callable[[], None] = field(default=lambda: None)
    levels: Mapping[str, int] = field(default_factory=dict)

    def intervals(
        self, pairs: RaterPairs, names: Sequence[Coefficient]
    ) -> dict[Coefficient, Interval | None]:
        """The intervals of coefficients; None with fewer than two conversations to resample."""
        if pairs.conversations < 2 or not self.resamples.draws or not names:
            return dict.fromkeys(names)

        def values(resamples: Matrix) -> Matrix:
            counts = pairs.drawn(resamples)
            return np.column_stack([COEFFICIENTS[name](pairs.cells, counts) for name in names])

        drawn = self.drawn(pairs.conversations, pairs.n, values)
        return dict(zip(names, intervals(drawn), strict=True))

    def interval(self, units: int, widest: int, value: Callable[[Matrix], Matrix]) -> Interval | None:
        """The interval of a value as `drawn` takes it; None with fewer than two units to resample."""
        return interval_of(self.drawn(units, widest, value)) if units > 1 and self.resamples.draws else None

    def drawn(self, units: int, widest: int, value: Callable[[Matrix], Matrix]) -> Matrix:
        """A value under every resample of `units` conversations; `widest` is how many columns
        `value` works on at once."""
        parts = []
        for block in self.resamples.blocks(units, widest=widest):
            self.check()
            parts.append(value(block))
        return np.concatenate(parts) if parts else np.zeros(0)


def interval_of(drawn: Matrix) -> Interval | None:
    """The interval of one figure's resampled values."""
    return intervals(drawn[:, None])[0] if len(drawn) else None


def coefficient_rows(
    work: Workshop, names: Sequence[Coefficient], pairs: RaterPairs, **labels: Any
) -> list[StatRow]:
    """Coefficients of these pairs, their rows with these labels."""
    work.check()
    why = {name: _why_undefined(name, pairs) for name in names}
    values = {name: coefficient(name, pairs) for name in names if why[name] is None}
    for name, value in values.items():
        if math.isnan(value):
            why[name] = StatGap.ONE_VALUE
    bounds = work.intervals(pairs, [name for name in names if why[name] is None])
    return [
        StatRow(
            statistic=name.value,
            value=None if why[name] else round(values[name], DIGITS),
            unit=FigureUnit.SHARE if name is Coefficient.PERCENT_AGREEMENT else FigureUnit.COEFFICIENT,
            n=pairs.n,
            conversations=pairs.conversations,
            interval=bounds.get(name),
            undefined=why[name],
            **labels,
        )
        for name in names
    ]


def whole_rows(
    work: Workshop, names: Sequence[Coefficient], aligned: Aligned, levels: int = 0
) -> Iterator[StatRow]:
    """Coefficients of all pairs of two raters as one, and the correlations within systems."""
    if not len(aligned.at):
        return
    yield from coefficient_rows(work, names, aligned.pairs(levels=levels), over=Over.POOLED)
    known = aligned.with_system()
    if len(known.systems[0]) > 1:
        correlations = [name for name in names if name in CORRELATIONS]
        yield from coefficient_rows(work, correlations, known.pairs(within=True), over=Over.WITHIN_SYSTEM)


def _why_undefined(name: Coefficient, pairs: RaterPairs) -> StatGap | None:
    if pairs.n < (FEWEST if name in CORRELATIONS else 1):
        return StatGap.TOO_FEW_PAIRS
    if name is Coefficient.RANDOLPH_KAPPA and pairs.levels < 2:
        return StatGap.ONE_LEVEL
    if name in CORRELATIONS and not all(_varies(pairs, side) for side in (pairs.first, pairs.second)):
        return StatGap.ONE_VALUE
    return None


def _varies(pairs: RaterPairs, side: Matrix) -> bool:
    if pairs.group is None:
        return len(np.unique(side)) > 1
    return any(len(np.unique(side[pairs.group == group])) > 1 for group in np.unique(pairs.group))
