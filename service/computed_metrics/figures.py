"""A figure before it is summed up, the row that it becomes, and its mean and standard deviation over groups, each weighing alike.

CONCEPT, tables 12 to 14: the population standard deviation over personas, age groups, wanted attributes."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..domain import rounding
from ..statistics.bootstrap import DRAWS, Interval, Matrix, divide, intervals, point_ratios, ratio_draws
from .log_index import LogContext

NO_LABELS: Mapping[str, str] = {}
Parts = tuple[Matrix, Matrix | NDArray[np.bool_]]
"""Numerators and denominators of a mean."""
MEAN, DEVIATION = "mean", "standard_deviation"


class Label(StrEnum):
    """A label that logs can be grouped by."""

    SYSTEM = "system"
    PERSONA = "persona"
    AGE_GROUP = "age_group"
    ATTRIBUTES = "attributes"
    DOMAIN = "domain"


class View(StrEnum):
    """The side from which a figure is seen: the recommendation lists, the replies' text, the user."""

    LISTS = "lists"
    TEXT = "text"
    USER = "user"


class Scope(StrEnum):
    """The part of a session that a figure reads: its last turn, all of it, or each turn."""

    LAST = "last"
    SESSION = "session"
    TURN = "turn"


class Unit(StrEnum):
    """The unit of a value. Shares are fractions; points are those of a 1-5 scale."""

    SHARE = "share"
    TURNS = "turns"
    POINTS = "points"
    RATIO = "ratio"


class Undefined(StrEnum):
    """The reason why a value is null."""

    NO_LISTS = "no_lists"
    NO_TARGETS = "no_targets"
    NO_GROUND_TRUTH = "no_ground_truth"
    NO_CATALOG = "no_catalog"
    NO_ATTRIBUTES = "no_attributes"
    NO_OUTCOME = "no_outcome"
    NO_ACCEPTANCE = "no_acceptance"
    NO_MESSAGE = "no_message"
    NO_ACCEPTED_ITEM = "no_accepted_item"
    NO_SUCCESS = "no_success"
    NO_TURNS = "no_turns"
    NO_RECOMMENDATION = "no_recommendation"
    NO_WORDS = "no_words"
    NO_REPLY_PAIRS = "no_reply_pairs"
    NO_DIFFERENT_ITEMS = "no_different_items"
    UNKNOWN_ITEMS = "unknown_items"
    NO_VERDICTS = "no_verdicts"
    MISSING_PARTS = "missing_parts"
    SINGLE_GROUP = "single_group"
    MEAN_NEAR_ZERO = "mean_near_zero"
    NO_TOOL_RESULTS = "no_tool_results"
    NO_TOOL_ERRORS = "no_tool_errors"
    NO_WISHES = "no_wishes"
    NOTHING_CHECKED = "nothing_checked"


@dataclass(frozen=True)
class Figure:
    """One number to be, with a part for each unit (conversation or reply pair): its value is
    `sum(numerators) / sum(denominators)`. `undefined` says why it may have none. `biased`: the units
    without a part differ from the others in kind, so that there is no value, whatever the others say. `whole`: the parts
    make up one thing, such as a set of items, of which a resample would hold less: it has no interval."""

    metric: str
    unit: Unit
    numerators: Matrix
    denominators: Matrix | NDArray[np.bool_]
    undefined: Undefined
    view: View | None = None
    scope: Scope | None = None
    k: int | None = None
    turn: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    biased: bool = False
    whole: bool = False

    def row(
        self,
        group: Mapping[str, str],
        value: float | None,
        n: int,
        interval: Interval | None,
        undefined: Undefined | None = None,
    ) -> "MetricRow":
        """The row of a group; without a value it has no interval, but a reason: `undefined`, else the figure's."""
        missing = value is None
        return MetricRow(
            metric=self.metric,
            view=self.view,
            scope=self.scope,
            k=self.k,
            turn=self.turn,
            group={**group, **self.labels},
            value=value,
            unit=self.unit,
            n=n,
            interval=None if missing or self.whole else interval,
            undefined=(undefined or self.undefined) if missing else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One figure."""

    metric: str
    view: View | None = None
    """The side that it is seen from."""
    scope: Scope | None = None
    """The part of a session that it reads."""
    k: int | None = None
    """Length at which lists were cut; null for the whole list."""
    turn: int | None = None
    """Up to, or at, which turn, from 1; null for the whole session."""
    group: Mapping[str, str]
    """The labels of `group_by`, and those that distinguish figures of one metric."""
    value: rounding.Figure | None
    """Null where `undefined` says why. Shares are fractions."""
    unit: Unit
    n: int
    """Number of units that the value is a mean over: conversations, titles, items, pairs or groups."""
    interval: Interval | None
    """Null without a value, and below two units."""
    undefined: str | None
    """A code from a published list that may grow."""


def parts(values: Iterable[float | None]) -> Parts:
    """Numerators and denominators of a mean over the units whose value is not None."""
    known = list(values)
    numerators = np.array([0.0 if value is None else value for value in known], dtype=np.float64)
    denominators = np.array([value is not None for value in known], dtype=np.bool_)  # a byte each
    return numerators, denominators


def turn_parts(by_turn: Sequence[Sequence[float]]) -> Iterator[tuple[int | None, Parts]]:
    """Parts of each turn's figure, from 1, over the sessions that have the turn; then of the mean over a session's turns (None).

    `by_turn` holds the values of each session's turns, none where the session has no figure."""
    for turn in range(max(map(len, by_turn), default=0)):
        yield turn + 1, parts(values[turn] if turn < len(values) else None for values in by_turn)
    yield None, parts(sum(values) / len(values) if values else None for values in by_turn)


@dataclass(frozen=True)
class Summed:
    """The figures of one group: point values (NaN: undefined), what each is a mean over, and the
    same under each resample (draws, figures). `draws` is None where fewer than two units are
    there to resample."""

    figures: tuple[Figure, ...]
    values: Matrix
    counts: Matrix
    draws: Matrix | None

    def rows(self, group: Mapping[str, str]) -> list[MetricRow]:
        bounds = [None] * len(self.figures) if self.draws is None else intervals(self.draws)
        return [
            figure.row(group, None if math.isnan(value) else float(value), round(float(count)), bound)
            for figure, value, count, bound in zip(
                self.figures, self.values, self.counts, bounds, strict=True
            )
        ]


def sum_up(figures: Sequence[Figure], draws: int = DRAWS, seed: int = 0) -> Summed:
    """Point values and resamples of figures over the same units, in one pass."""
    if not figures:
        nothing = np.zeros(0)
        return Summed((), nothing, nothing, None)
    numerators = np.column_stack([figure.numerators for figure in figures])
    denominators = np.column_stack([figure.denominators for figure in figures]).astype(np.float64, copy=False)
    values = point_ratios(numerators, denominators)
    resamples = None
    if len(numerators) > 1 and draws > 0:
        resamples = ratio_draws(numerators, denominators, draws=draws, seed=seed)
    biased = [figure.biased for figure in figures]
    for ratios in (values, resamples) if any(biased) else ():
        if ratios is not None:
            ratios[..., biased] = np.nan
    return Summed(tuple(figures), values, denominators.sum(axis=0), resamples)


@dataclass
class _Over:
    """One figure over the groups: its value in each that has one, and running sums of its resamples about the first value. A
    difference of squares about zero would lose what is small."""

    figure: Figure
    draws: int
    values: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._sum: Matrix = np.zeros(self.draws)
        self._squares: Matrix = np.zeros(self.draws)
        self._known: Matrix = np.zeros(self.draws)

    def add(self, value: float, moving: Matrix | None) -> None:
        """A group's value and its resamples; a group of one session stands still."""
        if np.isnan(value):
            return
        self.values.append(value)
        about = np.full(self.draws, value) if moving is None else moving
        about = about - self.values[0]
        known = ~np.isnan(about)
        self._sum[known] += about[known]
        self._squares[known] += about[known] ** 2
        self._known += known

    def rows(self, group: Mapping[str, str]) -> list[MetricRow]:
        """The mean, and the deviation where there are two groups to deviate."""
        number = len(self.values)
        mean = float(np.mean(self.values)) if number else None
        deviation = float(np.std(self.values)) if number > 1 else None
        reason = Undefined.SINGLE_GROUP if number else None
        row = self.figure.row
        means, deviations = (
            intervals(moving[:, None])[0] if self.draws and self.values else None for moving in self._moving()
        )
        return [
            row({**group, "statistic": MEAN}, mean, number, means),
            row({**group, "statistic": DEVIATION}, deviation, number, deviations, reason),
        ]

    def _moving(self) -> tuple[Matrix, Matrix]:
        mean, square = divide(self._sum, self._known), divide(self._squares, self._known)
        return mean + (self.values[0] if self.values else 0.0), np.sqrt(np.maximum(square - mean**2, 0.0))


def spread(
    cells: Sequence[Sequence[LogContext]],
    over: str,
    group: Mapping[str, str],
    produce: Callable[[Sequence[LogContext]], Iterable[Figure]],
    draws: int = DRAWS,
) -> list[MetricRow]:
    """Two rows for each figure that `produce` makes of the contexts of each cell, in the order of first occurrence."""
    found: dict[tuple[object, ...], _Over] = {}
    for seed, cell in enumerate(cells, start=1):
        # Groups are resampled apart.
        summed = sum_up(list(produce(cell)), draws, seed)
        for place, figure in enumerate(summed.figures):
            moving = None if summed.draws is None else summed.draws[:, place]
            labels = sorted(figure.labels.items())
            of = (figure.metric, figure.view, figure.scope, figure.k, figure.turn, *labels)
            found.setdefault(of, _Over(figure, draws)).add(float(summed.values[place]), moving)
    where = {**group, "over": over}
    return [row for one in found.values() for row in one.rows(where)]
