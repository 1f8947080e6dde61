"""Monotone curves from a judge's score to people's, both on people's scale, and which one a few labels can carry."""

from dataclasses import dataclass

import numpy as np

from ...domain.calibration import Form
from ..estimates.sample import Codes, Ends, Floats

FOLDS = 5
_DOUBT = 4.0
"""Multiple of its sampling variance that the square of a line's shift, or tilt, must exceed to be used at all."""
_CLEAR = {Form.LINE: 0.5, Form.ISOTONIC: 1.8}
"""Standard errors by which a curve must beat the one before it."""
_STEPS = 65
_MOST_VALUES = 200


@dataclass(frozen=True, slots=True)
class Curve:
    """Straight pieces between points; beyond the last one the value stays."""

    form: Form
    at: Floats
    value: Floats

    def __call__(self, judge: Floats) -> Floats:
        return np.interp(judge, self.at, self.value)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Scores of labelled conversations on people's scale, how many conversations each stands for, and numbers of what
    belongs in one fold."""

    judge: Floats
    people: Floats
    weight: Floats
    unit: Codes

    def where(self, chosen: Codes) -> "Labelled":
        return Labelled(self.judge[chosen], self.people[chosen], self.weight[chosen], self.unit[chosen])

    def __len__(self) -> int:
        return len(self.people)


def best_curve(labelled: Labelled, ends: Ends) -> Curve:
    """Return the identity, or the line or isotonic curve that beats it clearly by cross-validation."""
    folds = folds_of(labelled.unit, FOLDS)
    squared = {form: np.empty(len(labelled)) for form in Form}
    for fold in range(folds.max() + 1):
        here, rest = np.flatnonzero(folds == fold), labelled.where(np.flatnonzero(folds != fold))
        for form in Form:
            curve = _FITS[form](rest, ends)
            squared[form][here] = (labelled.people[here] - curve(labelled.judge[here])) ** 2
    whole = {form: _FITS[form](labelled, ends) for form in Form}
    centre = np.array([np.average(labelled.judge, weights=labelled.weight)])
    # Two labels of weight 1/2 that nobody gave, at the ends of the scale: what was rare may not have been seen.
    unseen = {form: (np.array([ends.low, ends.high]) - curve(centre)) ** 2 for form, curve in whole.items()}
    errors = {form: np.concatenate([squared[form], unseen[form]]) for form in Form}
    share = labelled.weight / labelled.weight.mean()
    weight = np.concatenate([share, [0.5, 0.5]])
    best = Form.IDENTITY
    for form in (Form.LINE, Form.ISOTONIC):
        rivals = {best, Form.IDENTITY}
        if all(_gain(errors[rival] - errors[form], weight) > _CLEAR[form] for rival in rivals):
            best = form
    return whole[best]


def folds_of(unit: Codes, number: int) -> Codes:
    """Fold numbers, the same for the same units in the same order; what has one unit stays together."""
    _, place = np.unique(unit, return_inverse=True)
    size = int(place.max()) + 1
    number = min(number, size)
    order = np.random.default_rng(size).permutation(size)
    return np.asarray((order % number)[place])


def identity(_: Labelled, ends: Ends) -> Curve:
    """The judge's own score."""
    both = np.array([ends.low, ends.high])
    return Curve(Form.IDENTITY, both, both)


def shrunk_line(labelled: Labelled, ends: Ends) -> Curve:
    """A line fitted by least squares. Its shift and tilt, against the identity, are each shrunk by how sure they are. The rule is
    James and Stein's positive part, with more doubt than theirs."""
    total = float(labelled.weight.sum())
    weight = labelled.weight * (len(labelled) / total)
    n = len(labelled) ** 2 / float(weight @ weight)
    share = labelled.weight / total
    centre = float(share @ labelled.judge)
    judge, off = labelled.judge - centre, labelled.people - labelled.judge
    spread = float(weight @ judge**2)
    shift = float(share @ off)
    tilt = float(weight @ (judge * off)) / spread if spread > 0 else 0.0
    residual = float(weight @ (off - shift - tilt * judge) ** 2)
    middle = float(share @ labelled.people)
    unseen = ((ends.low - middle) ** 2 + (ends.high - middle) ** 2) / 2
    variance = (residual + unseen) / max(n - 2, 1)
    shift *= _sure(shift, variance / n)
    tilt *= _sure(tilt, variance / spread) if spread > 0 else 0.0
    at = np.linspace(ends.low, ends.high, _STEPS)
    value = at + shift + max(tilt, -1.0) * (at - centre)
    return Curve(Form.LINE, at, np.clip(value, ends.low, ends.high))


def isotonic(labelled: Labelled, ends: Ends) -> Curve:
    """Isotonic regression by pooling adjacent violators; equal scores are pooled first. Of many different scores, neighbours
    are taken together."""
    at, place = np.unique(labelled.judge, return_inverse=True)
    if len(at) > _MOST_VALUES:
        bins = np.quantile(labelled.judge, np.linspace(0, 1, _MOST_VALUES + 1)[1:-1])
        place = np.searchsorted(bins, labelled.judge, side="right")
        _, place = np.unique(place, return_inverse=True)
        at = np.bincount(place, labelled.weight * labelled.judge) / np.bincount(place, labelled.weight)
    weight = np.bincount(place, labelled.weight)
    mean = np.bincount(place, labelled.weight * labelled.people) / weight
    pooled = _pooled(mean.tolist(), weight.tolist())
    return Curve(Form.ISOTONIC, at, np.clip(pooled, ends.low, ends.high))


def _pooled(means: list[float], each: list[float]) -> Floats:
    """Values that never fall, nearest to the means."""
    values: list[float] = []
    weights: list[float] = []
    counts: list[int] = []
    for mean, weight in zip(means, each, strict=True):
        value, total, count = mean, weight, 1
        while values and values[-1] >= value:
            before = weights.pop()
            value = (values.pop() * before + value * total) / (before + total)
            total += before
            count += counts.pop()
        values.append(value)
        weights.append(total)
        counts.append(count)
    return np.repeat(np.array(values), counts)


def _sure(value: float, variance: float) -> float:
    return max(0.0, 1 - _DOUBT * variance / value**2) if value else 0.0


def _gain(gains: Floats, weight: Floats) -> float:
    """The mean gain in standard errors."""
    mean = np.average(gains, weights=weight)
    size = weight.sum()
    variance = float((weight**2 * (gains - mean) ** 2).sum()) / (size - 1) / size
    return float(mean / np.sqrt(variance)) if variance > 0 else 0.0


_FITS = {Form.IDENTITY: identity, Form.LINE: shrunk_line, Form.ISOTONIC: isotonic}
