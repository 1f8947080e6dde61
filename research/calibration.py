"""Simulations of everything that a calibration promises: coverage, width, worth of a label, maps, intervals of single verdicts.

`tests/research/test_calibration.py` holds the figures that docs/calibration.md names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from service.calibration.estimates.means import (
    MOST_WEIGHT,
    SOUND_UNLIKE,
    Estimate,
    calibrated_mean,
    judge_weight,
    plain_mean,
    unlike,
    worth,
)
from service.calibration.estimates.sample import Draw, Ends, Floats, Sample, Target
from service.calibration.maps.curves import Labelled, best_curve
from service.calibration.maps.intervals import fit_map
from service.statistics.permutation import t_quantile

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
LABELS = (20, 30, 60, 120)
CORRELATIONS = (0.0, 0.3, 0.67, 0.9)
OTHERS = 400
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


def samples(world: World, draw: str, generator: np.random.Generator, *, labels: int, trials: int) -> Sample:
    """Return so many samples of so many labels beside `OTHERS` conversations without."""
    people, judge = world.draw((trials, labels + OTHERS), generator)
    shares = DRAWS[draw]
    if shares is None:
        return Sample.of(people[:, :labels], judge[:, :labels], judge[:, labels:])
    order = np.argsort(judge + 1e-9 * generator.random(judge.shape), axis=1)
    people, judge = (np.take_along_axis(values, order, 1) for values in (people, judge))
    edges = np.linspace(0, labels + OTHERS, len(shares) + 1).astype(int)
    counts = [round(share * labels) for share in shares[:-1]]
    counts.append(labels - sum(counts))
    places, probability = [], []
    for count, start, end in zip(counts, edges[:-1], edges[1:], strict=True):
        chosen = generator.random((trials, end - start)).argpartition(count - 1, axis=1)[:, :count]
        places.append(chosen + start)
        probability += [count / (end - start)] * count
    at = np.concatenate(places, axis=1)
    labelled = np.take_along_axis(judge, at, 1)
    rest = (judge.sum(1) - labelled.sum(1)) / OTHERS
    stratum = np.repeat(np.arange(len(counts)), counts)
    drawn = Draw(np.array(probability), stratum)
    return Sample(np.take_along_axis(people, at, 1), labelled, rest, judge.var(1), OTHERS, drawn)


@dataclass(frozen=True)
class Cell:
    """Intervals of one kind of sample: coverage with the judge and of plain t, and the width over that without the judge."""

    calibrated: float
    student: float
    ratio: float
    bias: float


def coverage_cell(world: World, draw: str, labels: int, trials: int, generator: np.random.Generator) -> Cell:
    """One kind of sample, `trials` times."""
    sample = samples(world, draw, generator, labels=labels, trials=trials)
    calibrated, plain = (estimate(sample, ENDS, Target.FUTURE) for estimate in (calibrated_mean, plain_mean))
    mean = sample.people.mean(-1)
    half = t_quantile(0.975, labels - 1) * sample.people.std(-1, ddof=1) / np.sqrt(labels)
    return Cell(
        _held(calibrated.low, calibrated.high, world.truth),
        _held(mean - half, mean + half, world.truth),
        _width(calibrated) / _width(plain),
        float(calibrated.spread.mean.mean() - world.truth),
    )


@dataclass(frozen=True)
class Worth:
    """The worth of a label in random samples. `unlike` is how many labels differ from the commonest one, on average. `formula` is
    1/(1 - r^2 m/N), `fitted` the same with the weight estimated from so many labels. `found` is the ratio of the variances of the
    plain and the calibrated mean, `fixed` that ratio for the best fixed weight. `reported` is the median of what samples report."""

    unlike: float
    formula: float
    fitted: float
    fixed: float
    found: float
    reported: float
    correlation: float

    @property
    def sound(self) -> bool:
        """The labels say enough about a judge this good for the formula to hold."""
        return self.unlike >= SOUND_UNLIKE or self.correlation < 0.7


def worth_cell(world: World, labels: int, trials: int, generator: np.random.Generator) -> Worth:
    """One kind of random sample, `trials` times."""
    sample = samples(world, "equal", generator, labels=labels, trials=trials)
    calibrated, plain = (estimate(sample, ENDS, Target.FUTURE) for estimate in (calibrated_mean, plain_mean))
    people, judge = world.draw((400_000,), np.random.default_rng(2))
    best = float(np.cov(people, judge)[0, 1] / judge.var()) / (1 + labels / OTHERS)
    fixed = calibrated_mean(sample, ENDS, Target.FUTURE, weight=np.full(trials, best))
    return Worth(
        float(unlike(sample.people).mean()),
        formula(world.correlation, labels, OTHERS, fitted=False),
        formula(world.correlation, labels, OTHERS, fitted=True),
        _variances(plain, fixed),
        _variances(plain, calibrated),
        float(np.median(worth(sample, calibrated, plain))),
        world.correlation,
    )


@dataclass(frozen=True)
class Held:
    """Random samples with the judge's weight held at 1, as PPI++ holds it, and at MOST_WEIGHT, as the service does: the worth of a
    label, the coverage of 95 % intervals, and their width over the plain ones'."""

    worth: tuple[float, float]
    coverage: tuple[float, float]
    width: tuple[float, float]


def held_cell(world: World, labels: int, trials: int, generator: np.random.Generator) -> Held:
    """One kind of random sample, `trials` times."""
    sample = samples(world, "equal", generator, labels=labels, trials=trials)
    plain = plain_mean(sample, ENDS, Target.FUTURE)
    weight = judge_weight(sample)
    one, most = (
        calibrated_mean(sample, ENDS, Target.FUTURE, weight=np.minimum(weight, bound))
        for bound in (1.0, MOST_WEIGHT)
    )
    return Held(
        (_variances(plain, one), _variances(plain, most)),
        (_held(one.low, one.high, world.truth), _held(most.low, most.high, world.truth)),
        (_width(one) / _width(plain), _width(most) / _width(plain)),
    )


def formula(correlation: float, labels: int, others: int, *, fitted: bool) -> float:
    """Return 1/(1 - r^2 m/N). `fitted` adds the variance of a weight that is estimated from the labels: 1/(n - 3) of what the
    judge leaves open, for normal scores (Cochran, Sampling Techniques, 12.6)."""
    part = others / (labels + others)
    left = 1 - correlation**2
    return 1 / (left * (1 + fitted * part / (labels - 3)) + correlation**2 * (1 - part))


def _variances(plain: Estimate, calibrated: Estimate) -> float:
    return float(plain.spread.mean.var() / calibrated.spread.mean.var())


def _held(low: Floats, high: Floats, truth: float) -> float:
    return float(((low <= truth) & (truth <= high)).mean())


def _width(found: Estimate) -> float:
    return float((found.high - found.low).mean())


def judged(kind: str | float, size: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """A judge's scores and people's: of a kind in RATINGS, or by a judge that scores so many points too high."""
    if isinstance(kind, str):
        people, judge = World(kind, 0.67).draw((size,), generator)
        return judge, people
    judge = generator.beta(2, 2, size) * 4
    return judge, np.clip(judge - kind + generator.normal(0, 0.8, size), 0, 4)


def worse_maps(sets: int, labels: int, kind: str | float) -> float:
    """Return the share of maps, each from so many labels, that err over 2 % more than the identity on fresh data."""
    generator = np.random.default_rng(200)
    fresh, truth = judged(kind, 40_000, generator)
    before = np.sqrt(np.mean((truth - fresh) ** 2))
    errors = []
    for _ in range(sets):
        curve = best_curve(_labelled(*judged(kind, labels, generator)), ENDS)
        errors.append(np.sqrt(np.mean((truth - curve(fresh)) ** 2)))
    return float(np.mean(np.array(errors) > 1.02 * before))


def single_coverage(sets: int, labels: int, kind: str | float) -> float:
    """Return the share of fresh conversations that CV+ intervals hold, over many sets of labels."""
    generator = np.random.default_rng(300)
    fresh, truth = judged(kind, 20_000, generator)
    held = []
    for _ in range(sets):
        low, high = _bounds(_labelled(*judged(kind, labels, generator)), fresh)
        held.append(((low <= truth) & (truth <= high)).mean())
    return float(np.mean(held))


def _labelled(judge: Floats, people: Floats) -> Labelled:
    return Labelled(judge, people, np.ones(len(judge)), np.arange(len(judge)))


def _bounds(labelled: Labelled, at: Floats) -> tuple[Floats, Floats]:
    """The bounds that a map gives, as `CalibrationMap.apply` reads them."""
    knots = fit_map(labelled, ENDS).knots
    place = np.array([knot.score for knot in knots])
    low, high = (np.array([getattr(knot, name) for knot in knots]) for name in ("low", "high"))
    after = np.minimum(np.searchsorted(place, at, side="right"), len(place) - 1)
    before = np.maximum(np.searchsorted(place, at, side="right") - 1, 0)
    return np.minimum(low[before], low[after]), np.maximum(high[before], high[after])
