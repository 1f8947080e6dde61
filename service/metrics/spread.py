"""Mean and standard deviation of every figure over groups of users or sessions, each group weighing alike.

CONCEPT, tables 12 to 14: the population standard deviation over personas, age groups, wanted attributes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..statistics.bootstrap import DRAWS, Matrix, intervals
from .figures import Figure, MetricRow, Undefined, sum_up
from .log_index import Reading

MEAN, DEVIATION = "mean", "standard_deviation"


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
        nothing = np.full(self.draws, np.nan)
        known = self._known > 0
        mean = np.divide(self._sum, self._known, out=nothing.copy(), where=known)
        square = np.divide(self._squares, self._known, out=nothing.copy(), where=known)
        return mean + (self.values[0] if self.values else 0.0), np.sqrt(np.maximum(square - mean**2, 0.0))


def spread(
    cells: Sequence[Sequence[Reading]],
    over: str,
    group: Mapping[str, str],
    produce: Callable[[Sequence[Reading]], Iterable[Figure]],
    draws: int = DRAWS,
) -> list[MetricRow]:
    """Two rows for each figure that `produce` makes of the readings of each cell, in the order of first occurrence."""
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
