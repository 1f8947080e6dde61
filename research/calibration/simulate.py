"""Simulations of everything that a calibration promises: coverage, width, worth, warnings, maps, intervals of single verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass

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
from service.calibration.estimates.sample import Floats, Target
from service.calibration.estimates.shift import group_weight, rejected, sample_tests
from service.calibration.maps.curves import Labelled, best_curve
from service.calibration.maps.intervals import fit_map
from service.domain.calibration import Form
from service.statistics.student import t_quantile

from .worlds import ENDS, RATINGS, World, samples

LABELS = (20, 30, 60, 120)
CORRELATIONS = (0.0, 0.3, 0.67, 0.9)
OTHERS = 400


@dataclass(frozen=True)
class Cell:
    """Intervals of one kind of sample: coverage with the judge, without it and of plain t, widths, and the worth of a label."""

    ratings: str
    draw: str
    labels: int
    correlation: float
    calibrated: float
    plain: float
    student: float
    ratio: float
    worth: float
    bias: float


def coverage_cell(world: World, draw: str, labels: int, trials: int, generator: np.random.Generator) -> Cell:
    """One kind of sample, `trials` times."""
    sample = samples(world, draw, generator, labels=labels, others=OTHERS, trials=trials)
    calibrated = calibrated_mean(sample, ENDS, Target.FUTURE)
    plain = plain_mean(sample, ENDS, Target.FUTURE)
    mean = sample.people.mean(-1)
    half = t_quantile(0.975, labels - 1) * sample.people.std(-1, ddof=1) / np.sqrt(labels)
    return Cell(
        world.ratings,
        draw,
        labels,
        world.correlation,
        _held(calibrated.low, calibrated.high, world.truth),
        _held(plain.low, plain.high, world.truth),
        _held(mean - half, mean + half, world.truth),
        _width(calibrated) / _width(plain),
        _variances(plain, calibrated),
        float(calibrated.spread.mean.mean() - world.truth),
    )


@dataclass(frozen=True)
class Worth:
    """The worth of a label in random samples. `unlike` is how many labels differ from the commonest one, on average; `weight`
    the best weight. `formula` is 1/(1 - r^2 m/N), `fitted` the same with the weight estimated from so many labels. `found` is
    the ratio of the variances of the plain and the calibrated mean, `fixed` that ratio for the best fixed weight. `reported`
    is the median of what samples report."""

    ratings: str
    labels: int
    correlation: float
    unlike: float
    weight: float
    formula: float
    fitted: float
    fixed: float
    found: float
    reported: float

    @property
    def sound(self) -> bool:
        """The labels say enough about a judge this good for the formula to hold."""
        return self.unlike >= SOUND_UNLIKE or self.correlation < 0.7


def worth_cell(world: World, labels: int, trials: int, generator: np.random.Generator) -> Worth:
    """One kind of random sample, `trials` times."""
    sample = samples(world, "equal", generator, labels=labels, others=OTHERS, trials=trials)
    calibrated, plain = (estimate(sample, ENDS, Target.FUTURE) for estimate in (calibrated_mean, plain_mean))
    best = world.slope / (1 + labels / OTHERS)
    fixed = calibrated_mean(sample, ENDS, Target.FUTURE, weight=np.full(trials, best))
    return Worth(
        world.ratings,
        labels,
        world.correlation,
        float(unlike(sample.people).mean()),
        best,
        formula(world.correlation, labels, OTHERS, fitted=False),
        formula(world.correlation, labels, OTHERS, fitted=True),
        _variances(plain, fixed),
        _variances(plain, calibrated),
        float(np.median(worth(sample, calibrated, plain))),
    )


@dataclass(frozen=True)
class Held:
    """Random samples with the judge's weight held at 1, as PPI++ holds it, and at MOST_WEIGHT, as the service does: the worth of a
    label, the coverage of 95 % intervals, and their width over the plain ones'."""

    ratings: str
    labels: int
    correlation: float
    worth: tuple[float, float]
    coverage: tuple[float, float]
    width: tuple[float, float]


def held_cell(world: World, labels: int, trials: int, generator: np.random.Generator) -> Held:
    """One kind of random sample, `trials` times."""
    sample = samples(world, "equal", generator, labels=labels, others=OTHERS, trials=trials)
    plain = plain_mean(sample, ENDS, Target.FUTURE)
    weight = judge_weight(sample)
    one, most = (
        calibrated_mean(sample, ENDS, Target.FUTURE, weight=np.minimum(weight, bound))
        for bound in (1.0, MOST_WEIGHT)
    )
    return Held(
        world.ratings,
        labels,
        world.correlation,
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


def suspected(
    generator: np.random.Generator, systems: int, labels: int, others: int, *, shifted: bool
) -> tuple[float, bool]:
    """Return the shift of one sample, and whether it is suspected."""
    size = labels + others
    system = generator.integers(0, systems, size)
    scores = generator.beta(2, 2, size) * 4 + 0.5 * system / systems
    standard = (scores - scores.mean()) / scores.std()
    # Tilted so that the labelled ones lie .6 standard deviations higher, whatever their share.
    tilt = np.exp((0.63 + 0.6 * labels / size) * standard) if shifted else np.ones(size)
    chosen = generator.choice(size, labels, replace=False, p=tilt / tilt.sum())
    labelled = np.zeros(size, dtype=bool)
    labelled[chosen] = True
    tests = sample_tests(scores[labelled], scores, None, group_weight(True, systems if systems > 1 else 0))
    for one in range(systems if systems > 1 else 0):
        here = system == one
        tests += sample_tests(scores[here & labelled], scores[here], None, group_weight(False, systems))
    return float(standard[labelled].mean()), any(rejected(tests))


JUDGES = (
    "right already",
    "0.3 too high",
    "0.6 too high",
    "too flat",
    "a step",
    "like CRSArena's",
    "80 % at one end",
)


def judged(kind: str, size: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """A judge's scores and people's, of a kind in JUDGES."""
    if kind in RATINGS:
        people, judge = World(kind, 0.67).draw((size,), generator)
        return judge, people
    judge = generator.beta(2, 2, size) * 4
    noise = generator.normal(0, 0.8, size)
    match kind:
        case "0.3 too high":
            people = judge - 0.3 + noise
        case "0.6 too high":
            people = judge - 0.6 + noise
        case "too flat":
            people = 2 + 1.5 * (judge - 2) + noise
        case "a step":
            people = np.where(judge > 2, 3.2, 0.8) + noise / 2
        case _:
            people = judge + noise
    return judge, np.clip(people, 0, 4)


@dataclass(frozen=True)
class Mapped:
    """Maps from many sets of labels: the share that errs over 2 % more than the identity on fresh data, and their mean error as a
    share of the identity's. It counts how often each form was chosen."""

    kind: str
    labels: int
    worse: float
    ratio: float
    forms: dict[Form, int]


def maps(
    sets: int = 200, labels: tuple[int, ...] = (20, 30, 60), kinds: tuple[str, ...] = JUDGES
) -> Iterator[Mapped]:
    """Every kind of judge."""
    generator = np.random.default_rng(200)
    for kind in kinds:
        fresh, truth = judged(kind, 40_000, generator)
        before = np.sqrt(np.mean((truth - fresh) ** 2))
        for number in labels:
            ratios, forms = [], dict.fromkeys(Form, 0)
            for _ in range(sets):
                curve = best_curve(_labelled(*judged(kind, number, generator)), ENDS)
                forms[curve.form] += 1
                ratios.append(float(np.sqrt(np.mean((truth - curve(fresh)) ** 2)) / before))
            yield Mapped(kind, number, float(np.mean(np.array(ratios) > 1.02)), float(np.mean(ratios)), forms)


@dataclass(frozen=True)
class Single:
    """CV+ intervals from many sets of labels: coverage of fresh conversations, its standard deviation between sets, and width."""

    kind: str
    labels: int
    coverage: float
    spread: float
    width: float


def singles(
    sets: int = 300, labels: tuple[int, ...] = (20, 60), kinds: tuple[str, ...] = JUDGES
) -> Iterator[Single]:
    """Every kind of judge."""
    generator = np.random.default_rng(300)
    for kind in kinds:
        fresh, truth = judged(kind, 20_000, generator)
        for number in labels:
            held, widths = [], []
            for _ in range(sets):
                low, high = _bounds(_labelled(*judged(kind, number, generator)), fresh)
                held.append(float(((low <= truth) & (truth <= high)).mean()))
                widths.append(float((high - low).mean()))
            yield Single(kind, number, float(np.mean(held)), float(np.std(held)), float(np.mean(widths)))


def _labelled(judge: Floats, people: Floats) -> Labelled:
    return Labelled(judge, people, np.ones(len(judge)), np.arange(len(judge)))


def _bounds(labelled: Labelled, at: Floats) -> tuple[Floats, Floats]:
    """The bounds that a map gives, as `CalibrationMap.apply` reads them."""
    points = fit_map(labelled, ENDS).points
    place = np.array([point.at for point in points])
    low, high = (np.array([getattr(point, name) for point in points]) for name in ("low", "high"))
    after = np.minimum(np.searchsorted(place, at, side="right"), len(place) - 1)
    before = np.maximum(np.searchsorted(place, at, side="right") - 1, 0)
    return np.minimum(low[before], low[after]), np.maximum(high[before], high[after])
