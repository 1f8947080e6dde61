"""Made-up ratings and judges: what people give, and a judge that correlates with them as wanted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from service.calibration.estimates.sample import Draw, Ends, Floats, Sample

ENDS = Ends(0, 4)
RATINGS: Mapping[str, tuple[float, ...]] = {
    "like CRSArena's": (109 / 244, 64 / 244, 37 / 244, 27 / 244, 7 / 244),
    "80 % at one end": (0.05, 0.05, 0.05, 0.05, 0.80),
    "5 % at one end": (0.05, 0.0, 0.0, 0.0, 0.95),
}
"""Shares of the levels 0 to 4."""
DRAWS: Mapping[str, tuple[float, ...] | None] = {
    "equal": None,
    "low scores more": (0.5, 0.3, 0.2),
    "high scores more": (0.2, 0.3, 0.5),
}
"""Shares of the labels that go to the three thirds of conversations, by the judge's score."""
_MIDDLE, _SPREAD = 1.8, 1.0


@dataclass(frozen=True)
class World:
    """Ratings of one kind and a judge of one correlation with them."""

    ratings: str
    correlation: float

    @property
    def truth(self) -> float:
        """People's mean over all conversations there could be."""
        return float(np.arange(5) @ RATINGS[self.ratings])

    @property
    def slope(self) -> float:
        """People's rating for each point of the judge's: cov/var."""
        return _slope(self)

    def draw(self, shape: tuple[int, ...], generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Ratings by people and by the judge."""
        people = generator.choice(5, shape, p=RATINGS[self.ratings]).astype(float)
        share = _share(self.ratings, self.correlation)
        return people, _judge(self.ratings, people, share, generator.standard_normal(shape))


def _judge(ratings: str, people: Floats, share: float, noise: Floats) -> Floats:
    levels = np.arange(5)
    mean = float(levels @ RATINGS[ratings])
    deviation = float(np.sqrt((levels - mean) ** 2 @ RATINGS[ratings]))
    signal = share * (people - mean) / deviation + np.sqrt(1 - share**2) * noise
    return np.asarray(np.clip(_MIDDLE + _SPREAD * signal, ENDS.low, ENDS.high))


@cache
def _slope(world: World) -> float:
    people, judge = world.draw((400_000,), np.random.default_rng(2))
    return float(np.cov(people, judge)[0, 1] / judge.var())


@cache
def _share(ratings: str, correlation: float) -> float:
    """Return how much of the judge is people's rating, so that the two correlate as wanted after the scale
    has cut off its ends."""
    generator = np.random.default_rng(1)
    people = generator.choice(5, 200_000, p=RATINGS[ratings]).astype(float)
    noise = generator.standard_normal(200_000)
    low, high = 0.0, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        found = np.corrcoef(people, _judge(ratings, people, middle, noise))[0, 1]
        low, high = (middle, high) if found < correlation else (low, middle)
    return low if correlation else 0.0


def samples(
    world: World, draw: str, generator: np.random.Generator, *, labels: int, others: int, trials: int
) -> Sample:
    """Return so many samples of so many labels beside `others` conversations without."""
    people, judge = world.draw((trials, labels + others), generator)
    shares = DRAWS[draw]
    if shares is None:
        return Sample.of(people[:, :labels], judge[:, :labels], judge[:, labels:])
    order = np.argsort(judge + 1e-9 * generator.random(judge.shape), axis=1)
    people, judge = (np.take_along_axis(values, order, 1) for values in (people, judge))
    edges = np.linspace(0, labels + others, len(shares) + 1).astype(int)
    counts = [round(share * labels) for share in shares[:-1]]
    counts.append(labels - sum(counts))
    places, probability = [], []
    for count, start, end in zip(counts, edges[:-1], edges[1:], strict=True):
        chosen = generator.random((trials, end - start)).argpartition(count - 1, axis=1)[:, :count]
        places.append(chosen + start)
        probability += [count / (end - start)] * count
    at = np.concatenate(places, axis=1)
    labelled = np.take_along_axis(judge, at, 1)
    rest = (judge.sum(1) - labelled.sum(1)) / others
    stratum = np.repeat(np.arange(len(counts)), counts)
    return Sample(
        np.take_along_axis(people, at, 1),
        labelled,
        rest,
        judge.var(1),
        others,
        Draw(np.array(probability), stratum),
    )
