"""A system's past scores by day and time of the week, and how far they vary by themselves."""

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

PERIOD: Final = 6 * 3600
"""Seconds of a period: a week has 28. Closer values may depend on each other."""

PERIODS: Final = 28
PULL: Final = 50.0
"""Weight of the overall mean in each period's mean, as a number of conversations."""

LEAST: Final = 0.02
SWAY: Final = 2.5
CERTAIN: Final = 2.0
"""The margin: at least two hundredths of the scale, or so many standard deviations of periods; and so many standard errors of the
baseline's own mean."""


class Period(NamedTuple):
    """The number and the sum of the values of one period of six hours."""

    number: int = 0
    total: float = 0.0


Baseline = dict[int, Period]
"""Sums of a window, by period since 1970."""


def add(baseline: Baseline, at: float, value: float) -> None:
    """Count a value in 0-1 at a time in seconds."""
    number, total = baseline.get(int(at // PERIOD), Period())
    baseline[int(at // PERIOD)] = Period(number + 1, total + value)


def expect(baseline: Baseline) -> "Expected":
    """The expectation that follows from a baseline. Needs at least one value."""
    numbers = np.array([one.number for one in baseline.values()], dtype=float)
    totals = np.array([one.total for one in baseline.values()])
    places = np.array([_place(key) for key in baseline])
    mean = totals.sum() / numbers.sum()
    by_place = np.full(PERIODS, mean)
    for place in np.unique(places):
        here = places == place
        by_place[place] = (totals[here].sum() + PULL * mean) / (numbers[here].sum() + PULL)
    rests = totals / numbers - by_place[places]
    # Short periods say little of how periods sway.
    weights = numbers / numbers.sum()
    sway = math.sqrt(float((weights * rests**2).sum()))
    error = sway / math.sqrt(max(1.0, 1.0 / float((weights**2).sum())))
    margin = max(LEAST, SWAY * sway) + CERTAIN * error
    return Expected(tuple(by_place.tolist()), margin, int(numbers.sum()))


class Expected(NamedTuple):
    """The mean of each period of the week, and the margin within which a change is none."""

    by_period: tuple[float, ...]
    margin: float
    number: int

    @property
    def mean(self) -> float:
        return sum(self.by_period) / len(self.by_period)

    def levelled(self, times: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values as if every period had the same mean, within 0-1."""
        places = np.array([_place(int(at // PERIOD)) for at in times], dtype=int)
        found: NDArray[np.float64] = np.clip(
            values - np.asarray(self.by_period)[places] + self.mean, 0.0, 1.0
        )
        return found


def _place(period: int) -> int:
    return period % PERIODS
