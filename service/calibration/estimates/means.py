"""Means that people would give, from a few labels and a judge's scores of everything, and how many labels a precision takes.

Prediction-powered inference (Angelopoulos and others, Science 2023; PPI++, 2023, with a tuned weight). Arrays as in
`sample`: the last axis is that of labelled conversations."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...statistics.permutation import t_quantile
from .sample import Codes, Ends, Floats, Sample, Target, ratio
from .spread import Rectified, Spread, spread_of

LEVEL = 0.95
MOST_WEIGHT = 4.0
"""The largest weight of a judge: one that uses a quarter of people's scale. Beyond, its scores are noise enlarged."""
SOUND_UNLIKE = 8
"""So many labels unlike the commonest one tell the worth of a label, however good the judge is."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval. `error` is the standard error, from the labels alone; `weight` is k, the part of the judge's
    score that the figure uses."""

    mean: Floats
    low: Floats
    high: Floats
    error: Floats
    degrees: Floats
    weight: Floats
    spread: Spread


def calibrated_mean(
    sample: Sample, ends: Ends, target: Target, level: float = LEVEL, weight: Floats | None = None
) -> Estimate:
    """Return people's mean, from two labels or more and the judge. `weight` replaces the weight that fits best."""
    these = target is Target.THESE
    if weight is None:
        weight = judge_weight(sample)
        rectified = replace(_rectified(sample, weight, these=these), fitted=_fitted(sample, weight))
    else:
        rectified = _rectified(sample, weight, these=these)
    return _bounded(spread_of(rectified, sample, ends), ends, level, weight)


def plain_mean(sample: Sample, ends: Ends, target: Target, level: float = LEVEL) -> Estimate:
    """Return people's mean from the labels alone, with an interval by the same method."""
    return calibrated_mean(sample, ends, target, level, np.zeros(sample.people.shape[:-1]))


def judge_bias(sample: Sample, ends: Ends, target: Target, level: float = LEVEL) -> Estimate:
    """Return how far the judge's mean lies above people's; of future conversations the judge's mean varies as well."""
    weight = judge_weight(sample)
    these = target is Target.THESE
    rectified = _rectified(sample, weight, these=True) if these else _without_judge_mean(sample, weight)
    spread = spread_of(rectified, sample, ends)
    judged = sample.judge_mean
    above = replace(spread, mean=judged - spread.mean, centre=judged - spread.centre)
    return _bounded(above, Ends(-ends.span, ends.span), level, weight)


def difference(first: Estimate, second: Estimate, ends: Ends, level: float = LEVEL) -> Estimate:
    """Return the difference of two independent means: the first minus the second."""
    spread = first.spread.minus(second.spread)
    return _bounded(spread, Ends(-ends.span, ends.span), level, first.weight)


def judge_weight(sample: Sample) -> Floats:
    """Return how much of the judge's score to use, from 0 to MOST_WEIGHT. It exceeds 1 where the judge uses less of the scale
    than people do.

    Of a simple random sample k = cov(Y, f) / ((1 + n/m) var(f)), of other samples the weighted slope of people on judge. 0
    where the judge does not vary, or all conversations have labels."""
    if not sample.rest:
        return np.zeros(sample.people.shape[:-1])
    slope = _slope(_centred(sample))
    if sample.draw is None:
        slope = slope / (1 + sample.n / sample.rest)
    return np.asarray(np.clip(slope, 0.0, MOST_WEIGHT))


def correlation(sample: Sample) -> Floats:
    """Return Pearson's r of people and judge over the (weighted) labels; NaN where either does not vary."""
    labels = _centred(sample)
    scale = np.sqrt((labels.weight * labels.people**2).sum(-1) * labels.squares)
    return ratio((labels.weight * labels.people * labels.judge).sum(-1), scale, np.nan, 1e-12)


def unlike(people: Floats) -> Codes:
    """Return how many labels differ from the commonest one: these alone say how well the judge follows people."""
    commonest = np.apply_along_axis(lambda row: np.unique(row, return_counts=True)[1].max(), -1, people)
    return np.asarray(people.shape[-1] - commonest)


def worth(sample: Sample, calibrated: Estimate, plain: Estimate) -> Floats:
    """Return how many plain labels one calibrated label equals: the ratio of the two variances. Of large random samples and the
    weight that fits best this is 1/(1 - r^2 m/N). NaN where nothing varies.

    Where fewer than SOUND_UNLIKE labels tell it, a label is worth no more than what it does for the interval. The interval's
    pseudo-labels stand for ratings that so few labels miss."""
    powered = calibrated.error**2
    found = ratio(plain.error**2, powered, np.nan, 1e-12 * plain.error**2)
    seen = ratio(plain.spread.variance, calibrated.spread.variance, np.nan, 1e-12 * plain.spread.variance)
    return np.asarray(np.where(unlike(sample.people) < SOUND_UNLIKE, np.fmin(found, seen), found))


@dataclass(frozen=True, slots=True)
class _Centred:
    """Labels and the judge's scores of them less their means, with the number of conversations that each stands for."""

    weight: Floats
    people: Floats
    judge: Floats

    @property
    def squares(self) -> Floats:
        return np.asarray((self.weight * self.judge**2).sum(-1))


def _centred(sample: Sample) -> _Centred:
    weight = np.ones(sample.n) if sample.draw is None else sample.draw.weight
    people, judge = (
        values - np.average(values, -1, weight)[..., None] for values in (sample.people, sample.judge)
    )
    return _Centred(weight, people, judge)


def _slope(labels: _Centred) -> Floats:
    return ratio((labels.weight * labels.judge * labels.people).sum(-1), labels.squares, 0.0, 1e-12)


def _fitted(sample: Sample, weight: Floats) -> Floats:
    """The part that fitting the weight to the labels has taken off each label's deviation from the line (HC2; MacKinnon and White, 1985).

    Nothing where the weight is 0. A label far from the others in the judge's score draws the line to itself."""
    labels = _centred(sample)
    squares = labels.squares[..., None]
    leverage = labels.weight / labels.weight.sum() + ratio(
        labels.weight * labels.judge**2, squares, 0.0, 1e-12
    )
    shrunk = 1 / np.sqrt(np.maximum(1 - leverage, 1e-9))
    off = labels.people - _slope(labels)[..., None] * labels.judge
    return np.asarray(np.where(weight[..., None] > 0, off * (shrunk - 1), 0.0))


def _rectified(sample: Sample, weight: Floats, *, these: bool) -> Rectified:
    anchor = sample.rest_mean if sample.draw is None else sample.judge_mean
    labels = sample.people - weight[..., None] * sample.judge + (weight * anchor)[..., None]
    if these and sample.draw is None and sample.rest:
        # The same estimate over the known mean of all, whose slope is k N/m.
        slope = weight * sample.judged / sample.rest
        labels = sample.people - slope[..., None] * sample.judge + (slope * sample.judge_mean)[..., None]
    return Rectified(labels, rest_weight=weight, varying=sample.people, these=these)


def _without_judge_mean(sample: Sample, weight: Floats) -> Rectified:
    """The same labels, with the variation of the judge's own mean taken off."""
    labels = _rectified(sample, weight, these=False).labels
    if sample.draw is not None:
        varying = sample.people - sample.judge
        return Rectified(labels, rest_weight=weight - 1, varying=varying, these=False)
    own = sample.n / sample.judged
    centred = sample.judge - sample.judge.mean(-1, keepdims=True)
    return Rectified(labels - own * centred, rest_weight=weight - 1 + own, varying=sample.people, these=False)


def _bounded(spread: Spread, bounds: Ends, level: float, weight: Floats) -> Estimate:
    # The degrees of a few labels are counted down to a tenth.
    tenths = np.floor(spread.degrees * 10) / 10
    quantiles = np.vectorize(partial(t_quantile, (1 + level) / 2), otypes=[float])(tenths)
    half = quantiles * np.sqrt(spread.variance)
    return Estimate(
        mean=np.clip(spread.mean, bounds.low, bounds.high),
        low=np.clip(spread.centre - half, bounds.low, bounds.high),
        high=np.clip(spread.centre + half, bounds.low, bounds.high),
        error=np.sqrt(spread.raw),
        degrees=spread.degrees,
        weight=weight,
        spread=spread,
    )


MOST = 1_000_000
_MOST_DEGREES = 10_000
"""Degrees of freedom from which Student's t is as good as normal."""

Variance = Callable[[int], float]


def plan_labels(
    sample: Sample,
    plain: Estimate,
    calibrated: Estimate,
    ends: Ends,
    *,
    target: Target,
    level: float,
    half_width: float,
) -> tuple[int | None, int | None, int | None]:
    """Return the labels in all that an interval of `half_width` on either side takes: with the judge, without it, and with it on
    many more judged conversations. None where more than MOST are needed, or it is out of reach."""
    these = target is Target.THESE
    single = float(plain.spread.variance) * (sample.n + 1)
    if these:
        single *= sample.judged / max(sample.rest, 1)
    explained = _explained(sample, calibrated, ends, single)

    def unlabelled(labels: int) -> float:
        return max(0.0, 1 - labels / sample.judged)

    def without(labels: int) -> float:
        return single * (unlabelled(labels) if these else 1.0) / (labels + 1)

    def left(labels: int) -> float:
        return without(labels) * (1 - explained * (1.0 if these else unlabelled(labels)))

    # As many labels as there are give the width that there is.
    scale = float(calibrated.spread.variance) / left(sample.n) if left(sample.n) > 0 else 1.0

    def with_judge(labels: int) -> float:
        return min(scale * left(labels), without(labels))

    def with_more(labels: int) -> float:
        return min(scale * (1 - explained), 1.0) * single / (labels + 1)

    return (
        _labels(with_judge, half_width, level),
        _labels(without, half_width, level),
        _labels(with_more, half_width, level),
    )


def _explained(sample: Sample, calibrated: Estimate, ends: Ends, single: float) -> float:
    """The share of one label's variance that the judge takes away."""
    if not sample.rest or not single:
        return 0.0
    left = calibrated_mean(sample, ends, Target.THESE, weight=calibrated.weight)
    variance = float(left.spread.variance) * (sample.n + 1) * sample.judged / sample.rest
    return min(max(1 - variance / single, 0.0), 1.0)


def _labels(variance: Variance, half_width: float, level: float) -> int | None:
    """The fewest labels whose interval is no wider."""

    def enough(labels: int) -> bool:
        quantile = t_quantile((1 + level) / 2, min(labels - 1, _MOST_DEGREES))
        return bool(quantile * math.sqrt(variance(labels)) <= half_width)

    low, high = 1, 2
    while not enough(high):
        if high >= MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
