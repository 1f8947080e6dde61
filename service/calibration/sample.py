"""Labelled conversations of one group, as arrays that the estimates read."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class Target(StrEnum):
    """What a mean is of: conversations like these, or exactly these."""

    FUTURE = "future"
    THESE = "these"


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of people's scale."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of the same conversations by people and by a judge, on people's scale.

    `people` and `judge` are of the n labelled conversations and have the shape (..., n); axes before the last are
    independent samples, computed at once. `rest_mean` and `rest_variance` (divided by m) are the judge's over the
    `rest` = m conversations without labels, of the shape (...)."""

    people: Floats
    judge: Floats
    rest_mean: Floats
    rest_variance: Floats
    rest: int

    @property
    def n(self) -> int:
        """Labelled conversations."""
        return int(self.people.shape[-1])

    @property
    def judged(self) -> int:
        """All conversations, labelled or not."""
        return self.n + self.rest

    @property
    def judge_mean(self) -> Floats:
        """The judge's mean over all conversations."""
        return np.asarray((self.judge.sum(-1) + self.rest * self.rest_mean) / self.judged)

    @classmethod
    def of(cls, people: Floats, judge: Floats, rest: Floats) -> "Sample":
        """The sample of one group, from the judge's scores of those without labels."""
        count = int(rest.shape[-1])
        empty = np.zeros(rest.shape[:-1])
        return cls(
            people,
            judge,
            rest.mean(-1) if count else empty,
            rest.var(-1) if count else empty,
            count,
        )
