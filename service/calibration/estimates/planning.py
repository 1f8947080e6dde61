"""Numbers of labels that a precision takes, from the variances of a sample."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ...statistics.permutation import t_quantile
from .means import Estimate, calibrated_mean
from .sample import Ends, Sample, Target

MOST = 1_000_000
_MOST_DEGREES = 10_000
"""Degrees of freedom from which Student's t is as good as normal."""

Variance = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class Plan:
    """Numbers of labels, None where more than MOST or out of reach."""

    with_judge: int | None
    without: int | None
    with_more_judged: int | None


def plan_labels(
    sample: Sample,
    plain: Estimate,
    calibrated: Estimate,
    ends: Ends,
    *,
    target: Target,
    level: float,
    half_width: float,
) -> Plan:
    """Return the labels in all that an interval of `half_width` on either side takes."""
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

    return Plan(
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
