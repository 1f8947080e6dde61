"""Tests that labelled conversations are a random sample of all judged ones, by the judge's scores of both."""

import math

import numpy as np

from ...statistics.permutation import t_tail
from .sample import Draw, Floats

ALPHA = 0.05
_LEAST = 3
"""Labels below which no sample can be distinguished from a random one."""
_FLOOR = 0.02
"""Standard deviations by which means may differ whatever the sample: rounded probabilities do that."""
_TERMS = 100
_OF_MEANS = 0.9
_OF_ALL_SYSTEMS = 1 / 3


def sample_tests(
    labelled: Floats, everything: Floats, draw: Draw | None, weight: float
) -> list[tuple[float, float]]:
    """Test the difference of the means, and that of the distributions (Kolmogorov and Smirnov), with `weight` in all.

    Returns the p-value of each, and its share of the chance of a false warning.
    `labelled` are the judge's scores of the labelled conversations, weighted by `draw`; `everything` those of all, the
    labelled ones among them. Empty where there is nothing to test."""
    n, size = len(labelled), len(everything)
    deviation = float(everything.std(ddof=1)) if size > 1 else 0.0
    if n < _LEAST or n == size or deviation == 0:
        return []
    share = np.full(n, 1 / n) if draw is None else draw.weight / draw.weight.sum()
    difference = abs(float(share @ labelled) - float(everything.mean()))
    error = max(_mean_error(labelled, share, draw, n / size, deviation), _FLOOR * deviation)
    effective = 1 / float(share @ share) / (1 - n / size)
    distance = _distance(labelled, share, everything)
    return [
        (2 * t_tail(difference / error, n - 1), weight * _OF_MEANS),
        (_kolmogorov_tail(distance, effective), weight * (1 - _OF_MEANS)),
    ]


def group_weight(pooled: bool, systems: int) -> float:
    """The weight of the tests of one group: a third for all systems together, the rest for the systems one by one."""
    if systems == 0:
        return 1.0
    return _OF_ALL_SYSTEMS if pooled else (1 - _OF_ALL_SYSTEMS) / systems


def _mean_error(labelled: Floats, share: Floats, draw: Draw | None, drawn: float, deviation: float) -> float:
    """The standard error of the (weighted) mean of the labelled, as of a sample without replacement."""
    if draw is None:
        return math.sqrt((1 - drawn) / len(labelled)) * deviation
    total = 0.0
    for stratum in range(draw.strata):
        here = draw.stratum == stratum
        values, weights = labelled[here], share[here]
        off = weights**2 * (1 - draw.probability[here]) * (values - np.average(values, weights=weights)) ** 2
        total += float(off.sum()) * len(values) / max(len(values) - 1, 1)
    return math.sqrt(total)


def _distance(labelled: Floats, share: Floats, everything: Floats) -> float:
    """The largest distance of the two distribution functions."""
    order = np.argsort(labelled)
    reached = np.concatenate([[0.0], np.cumsum(share[order])])
    values = np.unique(everything)
    ours = reached[np.searchsorted(labelled[order], values, side="right")]
    whole = np.searchsorted(np.sort(everything), values, side="right") / len(everything)
    return float(np.max(np.abs(ours - whole)))


def _kolmogorov_tail(distance: float, size: float) -> float:
    """The probability of a larger distance, with Stephens' correction for small samples."""
    root = math.sqrt(size)
    value = (root + 0.12 + 0.11 / root) * distance
    if value < 0.2:
        return 1.0
    terms = (math.pow(-1, k - 1) * math.exp(-2 * (k * value) ** 2) for k in range(1, _TERMS))
    return min(1.0, max(0.0, 2 * sum(terms)))
