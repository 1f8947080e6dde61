"""Coefficients from the libraries that are known for them: scipy, scikit-learn, krippendorff.

They take a second and tens of megabytes to import, so that only the first request that needs them
pays. What they do not take (fractions of a level, groups, very many distinct scores) our own
arithmetic computes, which equals theirs where both apply."""

from collections.abc import Callable, Mapping

import numpy as np

from .bootstrap import Matrix
from .coefficients import COEFFICIENTS, Coefficient, Condensed, Pairs, alpha_of_many, nearest_levels

_WIDEST = 200
"""Levels up to which scikit-learn's table of level by level is worth filling."""

_LARGEST = 4_000_000
"""Numbers up to which krippendorff's units by values by values fit in memory."""


def coefficient(name: Coefficient, pairs: Pairs) -> float:
    """The coefficient of these pairs, NaN where it is undefined."""
    condensed = Condensed.of(pairs)
    value = float(COEFFICIENTS[name](condensed.cells, condensed.counts)[0])
    if np.isnan(value) and name is not Coefficient.KENDALL_TAU_B:
        return value
    if pairs.group is None and name in _LIBRARIES and _varies(pairs, name):
        published = _LIBRARIES[name](pairs)
        return value if published is None else published
    return value


def alpha(scores: Matrix) -> float:
    """Krippendorff's alpha for interval data of a (units, raters) matrix with NaN for gaps."""
    own = float(alpha_of_many(scores, np.ones((1, len(scores))))[0])
    if np.isnan(own):
        return own
    published = _krippendorff(scores)
    return own if published is None else published


def _varies(pairs: Pairs, name: Coefficient) -> bool:
    if name in (Coefficient.KENDALL_TAU_B, Coefficient.SPEARMAN, Coefficient.PEARSON):
        return len(np.unique(pairs.first)) > 1 and len(np.unique(pairs.second)) > 1
    return True


def _kendall(pairs: Pairs) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(pairs.first, pairs.second, method="asymptotic").statistic)


def _spearman(pairs: Pairs) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(pairs.first, pairs.second).statistic)


def _pearson(pairs: Pairs) -> float:
    from scipy.stats import pearsonr

    # As in our own: scores far from 0 that hardly differ lose their digits otherwise.
    first, second = (side - side.mean() for side in (pairs.first, pairs.second))
    return float(pearsonr(first / np.abs(first).max(), second / np.abs(second).max()).statistic)


def _cohen(pairs: Pairs) -> float | None:
    return _kappa(pairs, None)


def _quadratic(pairs: Pairs) -> float | None:
    whole = all(np.array_equal(side, np.round(side)) for side in (pairs.first, pairs.second))
    return _kappa(pairs, "quadratic") if whole else None


def _kappa(pairs: Pairs, weights: str | None) -> float | None:
    first, second = nearest_levels(pairs.first), nearest_levels(pairs.second)
    low, high = min(first.min(), second.min()), max(first.max(), second.max())
    if high - low > _WIDEST:
        return None
    from sklearn.metrics import cohen_kappa_score

    # All levels between: without them a level that nobody gave would make its neighbours adjacent.
    levels = np.arange(low, high + 1)
    return float(cohen_kappa_score(first, second, labels=levels, weights=weights))


def _alpha_of_two(pairs: Pairs) -> float | None:
    return _krippendorff(np.column_stack([pairs.first, pairs.second]))


def _krippendorff(scores: Matrix) -> float | None:
    values = np.unique(scores[~np.isnan(scores)])
    if len(scores) * len(values) ** 2 > _LARGEST:
        return None
    import krippendorff

    return float(krippendorff.alpha(reliability_data=scores.T, level_of_measurement="interval"))


_LIBRARIES: Mapping[Coefficient, Callable[[Pairs], float | None]] = {
    Coefficient.QUADRATIC_WEIGHTED_KAPPA: _quadratic,
    Coefficient.COHEN_KAPPA: _cohen,
    Coefficient.KRIPPENDORFF_ALPHA: _alpha_of_two,
    Coefficient.KENDALL_TAU_B: _kendall,
    Coefficient.SPEARMAN: _spearman,
    Coefficient.PEARSON: _pearson,
}
