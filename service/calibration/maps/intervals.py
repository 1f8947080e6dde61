"""Maps from a judge's scores to people's, with their names: the curve, its error on labels that it has not seen, and intervals.

Intervals are CV+ (Barber, Candes, Ramdas and Tibshirani, 2021): they aim at 90 % and hold 80 % whatever the ratings are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from ...domain.calibration import CalibrationMap, Form, Knot
from ...domain.verdict import JudgeName
from ...statistics.ratings import NONE, Ratings
from ..estimates.sample import Codes, Ends, Floats
from ..sheets import Sheet
from .curves import Curve, Labelled, best_curve, folds_of, identity

LEVEL = 0.9
FEWEST = 20
"""Labels below which there is neither a curve nor an interval."""
MOST = 2000
"""Labels that a map is made from; of more, so many are drawn."""
_FOLDS = 10
_GRID = 65


@dataclass(frozen=True, slots=True)
class Fitted:
    """A map before it has a name, all on people's scale. Errors are root mean squared ones by cross-validation; None below FEWEST
    labels."""

    form: Form
    knots: tuple[Knot, ...]
    error_before: float | None
    error: float | None


def drawn(labelled: Labelled) -> Labelled:
    """Return the labels that a map is made from: all, or so many that it takes no more than seconds."""
    if len(labelled) <= MOST:
        return labelled
    return labelled.where(np.sort(np.random.default_rng(0).choice(len(labelled), MOST, replace=False)))


def fit_map(labelled: Labelled, ends: Ends) -> Fitted:
    """Return the map that the labels carry."""
    folds = folds_of(labelled.unit, _FOLDS)
    if len(labelled) < FEWEST or folds.max() < 1:
        same = identity(labelled, ends)
        return Fitted(same.form, _knots(same, same.at, ()), None, None)
    curve = best_curve(labelled, ends)
    number = int(folds.max()) + 1
    without = [best_curve(labelled.where(np.flatnonzero(folds != fold)), ends) for fold in range(number)]
    crossed = _Crossed(labelled, folds, without)
    weight = labelled.weight / labelled.weight.sum()
    before = np.sqrt(weight @ (labelled.people - labelled.judge) ** 2)
    grid = np.unique(np.concatenate([np.linspace(ends.low, ends.high, _GRID), curve.at]))
    return Fitted(
        curve.form,
        _knots(curve, grid, crossed.interval(grid, ends)),
        float(before),
        float(np.sqrt(weight @ crossed.left**2)),
    )


@dataclass(frozen=True)
class _Crossed:
    """Labels, their folds, and the curve without each fold."""

    labelled: Labelled
    folds: Codes
    without: list[Curve]

    @cached_property
    def left(self) -> Floats:
        """Return how far each label lies above the curve that was fitted without its fold."""
        left = np.empty(len(self.labelled))
        for fold, curve in enumerate(self.without):
            here = self.folds == fold
            left[here] = self.labelled.people[here] - curve(self.labelled.judge[here])
        return left

    def interval(self, at: Floats, ends: Ends) -> tuple[Floats, Floats]:
        """The CV+ interval at each score: quantiles of what each label's own curve says, less and plus its residual."""
        said = np.stack([curve(at) for curve in self.without])[self.folds]
        size = np.abs(self.left)[:, None]
        low = np.clip(-_upper_quantile(size - said, self.labelled.weight), ends.low, ends.high)
        high = np.clip(_upper_quantile(said + size, self.labelled.weight), ends.low, ends.high)
        if (self.labelled.people == np.round(self.labelled.people)).all():
            # People give whole levels: the bounds are rounded outward to these.
            return np.floor(low + 1e-9), np.ceil(high - 1e-9)
        return low, high


def _upper_quantile(values: Floats, weight: Floats) -> Floats:
    """The value of rank (n + 1) LEVEL in each column, by weight where labels stand for unequal numbers."""
    share = weight / weight.mean()
    order = np.argsort(values, axis=0)
    reached = np.cumsum(share[order], axis=0)
    rank = np.minimum((reached < LEVEL * (len(values) + 1) - 1e-9).sum(axis=0), len(values) - 1)
    found = np.take_along_axis(values, np.take_along_axis(order, rank[None], 0), 0)
    return np.asarray(found[0])


def held_coverage(labelled: Labelled, ends: Ends) -> float | None:
    """Return the weighted share of labels inside intervals that were made without their fold; None below FEWEST labels."""
    folds = folds_of(labelled.unit, _FOLDS)
    number = int(folds.max()) + 1
    if len(labelled) < FEWEST or number < 3:
        return None
    pairs = {
        pair: best_curve(labelled.where(np.flatnonzero(~np.isin(folds, pair))), ends)
        for pair in combinations(range(number), 2)
    }
    inside = np.zeros(len(labelled))
    for fold in range(number):
        here, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        others = [pairs[min(fold, other), max(fold, other)] for other in range(number) if other != fold]
        kept = labelled.where(rest)
        shifted = folds[rest] - (folds[rest] > fold)
        low, high = _Crossed(kept, shifted, others).interval(labelled.judge[here], ends)
        inside[here] = (low <= labelled.people[here]) & (labelled.people[here] <= high)
    return float(np.average(inside, weights=labelled.weight))


def _knots(curve: Curve, grid: Floats, bounds: Sequence[Floats]) -> tuple[Knot, ...]:
    """The curve and its bounds at a grid of scores, without points that the line between their neighbours holds anyway."""
    columns = np.round(np.stack([curve(grid), *bounds]), 6)
    values = columns[0]
    kept = [0]
    for place in range(1, len(grid) - 1):
        before = kept[-1]
        share = (grid[place] - grid[before]) / (grid[place + 1] - grid[before])
        on_line = abs(values[before] + share * (values[place + 1] - values[before]) - values[place]) < 1e-6
        flat = (np.ptp(columns[1:, [before, place, place + 1]], axis=1) < 1e-9).all()
        if not (on_line and flat):
            kept.append(place)
    kept.append(len(grid) - 1)
    found = zip(grid[kept].tolist(), columns[:, kept].T.tolist(), strict=True)
    return tuple(Knot(at, value, *(ends or (None, None))) for at, (value, *ends) in found)


MOST_NAMES = 1000
"""Systems or domains that a map lists; of more it lists none."""


def map_of(sheet: Sheet, ratings: Ratings) -> CalibrationMap | None:
    """Return the map of a judge on a factor, from labels of whole conversations; None where there is none, or where the labelled
    scores are of several revisions."""
    places = np.flatnonzero(sheet.labelled & (sheet.codes["turn"] == NONE))
    revisions = _names(sheet, ratings, "evaluator_revision", places)
    if not len(places) or len(revisions) > 1:
        return None
    labels = drawn(_labelled(sheet, places))
    fitted = fit_map(labels, sheet.ends)
    keys = _names(sheet, ratings, "comparison_key", places)
    return CalibrationMap(
        factor=sheet.factor,
        label=sheet.label,
        judge=_judge(sheet, ratings, places),
        evaluator_revision=revisions[0] if revisions else None,
        comparison_key=keys[0] if len(keys) == 1 else None,
        systems=_listed(sheet, ratings, "system", places),
        domains=_listed(sheet, ratings, "domain", places),
        form=fitted.form,
        judge_scale=sheet.judge_scale,
        people_scale=sheet.people_scale,
        knots=tuple(replace(knot, score=_on_judge_scale(sheet, knot.score)) for knot in fitted.knots),
        n=len(places),
        error_before=_rounded(fitted.error_before),
        error=_rounded(fitted.error),
        level=LEVEL,
        coverage=_rounded(held_coverage(labels, sheet.ends)),
    )


def _labelled(sheet: Sheet, places: Codes) -> Labelled:
    probability = sheet.probability[places]
    weight = np.where(np.isnan(probability), 1.0, 1 / probability)
    cluster = sheet.codes["cluster"][places]
    # Numbered as they come, so that folds depend on nothing else.
    _, first, number = np.unique(cluster, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return Labelled(sheet.judge[places], sheet.people[places], weight, rank[number])


def _on_judge_scale(sheet: Sheet, at: float) -> float:
    judge = sheet.judge_scale
    return round(judge.min + sheet.people_scale.share(at) * (judge.max - judge.min), 6)


def _judge(sheet: Sheet, ratings: Ratings, places: Codes) -> JudgeName:
    named = _names(sheet, ratings, "judge", places)
    text = named[0] if len(named) == 1 else sheet.rater
    try:
        return JudgeName.parse(text)
    except ValueError:
        return JudgeName(text)


def _listed(sheet: Sheet, ratings: Ratings, name: str, places: Codes) -> tuple[str, ...]:
    found = _names(sheet, ratings, name, places)
    return tuple(found) if len(found) <= MOST_NAMES else ()


def _names(sheet: Sheet, ratings: Ratings, name: str, places: Codes) -> Sequence[str]:
    codes = np.unique(sheet.codes[name][places])
    return [ratings.names[name][code] for code in codes if code != NONE]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
