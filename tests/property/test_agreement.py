"""Properties of agreement for any ratings."""

import math
from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score

from service.statistics.agreement import measure
from service.statistics.bootstrap import Matrix
from service.statistics.coefficients import (
    CORRELATIONS,
    Coefficient,
    RaterPairs,
    alpha_of_many,
    coefficient,
    nearest_levels,
)
from service.statistics.ratings import RaterKind, Rating

C = Coefficient
Sides = list[tuple[float, float]]

LEVELS = st.integers(0, 4).map(float)
SCORES = st.one_of(LEVELS, st.floats(0, 4, allow_nan=False).map(lambda score: round(score, 3)))

# Scales of 0-4, 1-100 and -1000 to 1000, whole and fractional; some pairs occur hundreds of times.
WIDE = st.one_of(
    SCORES, st.integers(1, 100).map(float), st.floats(-1e3, 1e3).map(lambda score: round(score, 2))
)
REPEATED = st.lists(
    st.tuples(st.tuples(WIDE, WIDE), st.one_of(st.just(1), st.integers(1, 300))), min_size=3, max_size=30
).map(lambda known: [pair for pair, times in known for _ in range(times)])


def kappa(first: Matrix, second: Matrix, weights: str | None) -> float:
    """scikit-learn's, of levels. A level between two others counts although nobody gave it."""
    x, y = nearest_levels(first), nearest_levels(second)
    levels = np.arange(min(x.min(), y.min()), max(x.max(), y.max()) + 1)
    return float(cohen_kappa_score(x, y, labels=levels, weights=weights))


ORACLES: dict[Coefficient, Callable[[Matrix, Matrix], float]] = {
    C.PEARSON: lambda x, y: stats.pearsonr(x, y).statistic,
    C.SPEARMAN: lambda x, y: stats.spearmanr(x, y).statistic,
    C.KENDALL_TAU_B: lambda x, y: stats.kendalltau(x, y, method="asymptotic").statistic,
    C.COHEN_KAPPA: lambda x, y: kappa(x, y, None),
    C.QUADRATIC_WEIGHTED_KAPPA: lambda x, y: kappa(x, y, "quadratic"),
    C.KRIPPENDORFF_ALPHA: lambda x, y: krippendorff.alpha([x, y], level_of_measurement="interval"),
    C.PERCENT_AGREEMENT: lambda x, y: accuracy_score(nearest_levels(x), nearest_levels(y)),
}


def undefined(name: Coefficient, x: Matrix, y: Matrix) -> bool:
    """Return whether a coefficient of these scores is zero divided by zero."""
    if name is C.PERCENT_AGREEMENT:
        return False
    if name is C.COHEN_KAPPA:
        x, y = nearest_levels(x).astype(float), nearest_levels(y).astype(float)
    constant = [len(np.unique(side)) == 1 for side in (x, y)]
    return any(constant) if name in CORRELATIONS else all(constant) and x[0] == y[0]


@pytest.mark.parametrize("name", list(ORACLES))
@settings(deadline=None, max_examples=60)
@given(sides=REPEATED)
def test_coefficients_are_those_of_scipy_scikit_learn_and_krippendorff(
    name: Coefficient, sides: Sides
) -> None:
    x, y = np.array(sides).T
    if name is C.QUADRATIC_WEIGHTED_KAPPA:  # scikit-learn takes whole levels alone
        x, y = np.round(x), np.round(y)
    ours = coefficient(name, RaterPairs(x, y, np.arange(len(x)), levels=5))
    if undefined(name, x, y):
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(ORACLES[name](x, y), abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(data=st.data(), raters=st.integers(2, 6))
def test_alpha_of_many_raters_with_gaps_is_krippendorffs(data: st.DataObject, raters: int) -> None:
    row = st.lists(st.one_of(st.just(math.nan), WIDE), min_size=raters, max_size=raters)
    scores = np.array(data.draw(st.lists(row, min_size=1, max_size=20)))
    ours = alpha_of_many(scores, np.ones((1, len(scores))))[0]
    paired = scores[(~np.isnan(scores)).sum(axis=1) > 1]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert math.isnan(ours)
    else:
        theirs = krippendorff.alpha(scores.T, level_of_measurement="interval")
        assert ours == pytest.approx(theirs, abs=1e-9)


LABELS = (
    *("statistic", "over", "factor", "other_factor", "rater", "other", "system", "other_system"),
    *("round", "undefined", "n"),
)
RATERS = st.sampled_from(
    [("one", RaterKind.JUDGE), ("two", RaterKind.JUDGE), ("anna", RaterKind.HUMAN), ("bela", RaterKind.HUMAN)]
)


def rating(rater: tuple[str, RaterKind], **fields: Any) -> Rating:
    return Rating(rater=rater[0], kind=rater[1], **fields)


RATINGS = st.lists(
    st.builds(
        rating,
        rater=RATERS,
        conversation=st.sampled_from("abcdef"),
        factor=st.sampled_from("xy"),
        score=SCORES,
        system=st.sampled_from([None, "p", "q"]),
        repeat=st.sampled_from([None, 0, 1]),
        round=st.sampled_from([None, 1, 2]),
        turn=st.sampled_from([None, 1]),
        length=st.sampled_from([None, 3.0, 8.0]),
    ),
    min_size=1,
    max_size=40,
)


@settings(deadline=None, max_examples=30)
@given(ratings=RATINGS, data=st.data())
def test_any_ratings_give_a_table_without_nan_that_their_order_does_not_change(
    ratings: list[Rating], data: st.DataObject
) -> None:
    report = measure(ratings, draws=12)
    for row in report.rows:
        assert (row.value is None) == (row.undefined is not None)
        assert row.value is None or math.isfinite(row.value)
        if row.interval is not None:
            assert row.value is not None
            assert math.isfinite(row.interval.low)
            assert row.interval.low <= row.interval.high
    shuffled = measure(data.draw(st.permutations(ratings)), draws=12)
    figures = {(*labels(row),): row for row in report.rows}
    assert len(figures) == len(report.rows)
    for row in shuffled.rows:
        assert row.value == pytest.approx(figures[(*labels(row),)].value, abs=1e-9)


def labels(row: object) -> list[object]:
    return [getattr(row, name) for name in LABELS]
