"""Labelled conversations of one group, as arrays that the estimates read."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def ratio(over: Floats, under: Floats, otherwise: Floats | float, least: Floats | float = 0.0) -> Floats:
    """Return over / under where `under` exceeds `least`, and `otherwise` elsewhere."""
    over, under = np.asarray(over), np.asarray(under)
    return np.asarray(np.where(under > least, over / np.where(under > least, under, 1.0), otherwise))


class Target(StrEnum):
    """The conversations that a mean is of: `future`, conversations like these; `these`, exactly the judged ones."""

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

    @property
    def span(self) -> float:
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw of labelled conversations that is no simple random sample: the probability of each, and the number
    of its stratum, counted from 0. Every stratum has two labels or more, unless there is only one label."""

    probability: Floats
    stratum: Codes

    @property
    def strata(self) -> int:
        return int(self.stratum.max()) + 1

    @property
    def weight(self) -> Floats:
        """The number of conversations that each label stands for."""
        return np.asarray(1 / self.probability)


@dataclass(frozen=True, slots=True)
class Clusters:
    """Conversations that depend on one another have one number: of the labelled ones and of the rest, whose scores by the judge
    are kept beside."""

    labelled: Codes
    rest: Codes
    scores: Floats

    @property
    def size(self) -> int:
        """Clusters with labels."""
        return len(np.unique(self.labelled))


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of the same conversations by people and by a judge, on people's scale.

    `people` and `judge` are of the n labelled conversations and have the shape (..., n); axes before the last are
    independent samples, computed at once. `rest_mean` and `rest_variance` (divided by m) are the judge's over the
    `rest` = m conversations without labels, of the shape (...). Labels are a simple random sample without `draw`, and
    conversations independent without `clusters`."""

    people: Floats
    judge: Floats
    rest_mean: Floats
    rest_variance: Floats
    rest: int
    draw: Draw | None = None
    clusters: Clusters | None = None

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
    def of(
        cls,
        people: Floats,
        judge: Floats,
        rest: Floats,
        draw: Draw | None = None,
        clusters: Clusters | None = None,
    ) -> "Sample":
        """The sample of one group, from the judge's scores of those without labels."""
        count = int(rest.shape[-1])
        empty = np.zeros(rest.shape[:-1])
        moments = (rest.mean(-1), rest.var(-1)) if count else (empty, empty)
        return cls(people, judge, moments[0], moments[1], count, draw, clusters)
