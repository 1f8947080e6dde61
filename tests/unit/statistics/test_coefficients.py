"""Coefficients against values worked by hand."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from service.statistics.bootstrap import Matrix
from service.statistics.coefficients import (
    COEFFICIENTS,
    CORRELATIONS,
    MOST_CELLS,
    Coefficient,
    Condensed,
    RaterPairs,
    alpha_of_many,
    coefficient,
    nearest_levels,
)

C = Coefficient


def pairs(first: list[float], second: list[float], **fields: object) -> RaterPairs:
    fields.setdefault("conversation", np.arange(len(first)))
    return RaterPairs(np.array(first, dtype=float), np.array(second, dtype=float), **fields)  # type: ignore[arg-type]


def own(name: Coefficient, given: RaterPairs, resamples: Matrix | None = None) -> Matrix:
    condensed = Condensed.of(given)
    counts = condensed.counts if resamples is None else condensed.drawn(resamples)
    return COEFFICIENTS[name](condensed.cells, counts)


# Two raters, ten units, levels 0-2: 4 + 2 + 1 agree, off by one 2, off by two 1.
FIRST = [0.0, 0, 0, 0, 1, 1, 2, 0, 1, 2]
SECOND = [0.0, 0, 0, 0, 1, 1, 2, 1, 2, 0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (C.PERCENT_AGREEMENT, 0.7),
        # Marginals 5 3 2 and 5 3 2: chance .25 + .09 + .04 = .38.
        (C.COHEN_KAPPA, (0.7 - 0.38) / (1 - 0.38)),
        (C.RANDOLPH_KAPPA, (0.7 - 1 / 3) / (1 - 1 / 3)),
        # Observed squares 1 + 1 + 4 = 6 over 10; expected 2 var = 2 * (11/10 - .49) = 1.22.
        (C.QUADRATIC_WEIGHTED_KAPPA, 1 - 0.6 / 1.22),
        # Do = 6 / 10; De over 20 values: 2 (20 * 22 - 14 ** 2) / (20 * 19) = 488 / 380.
        (C.KRIPPENDORFF_ALPHA, 1 - 0.6 / (488 / 380)),
        # Deviations: sum xy = 8 - 4.9 = 3.1, sum xx = sum yy = 11 - 4.9 = 6.1.
        (C.PEARSON, 3.1 / 6.1),
    ],
)
def test_worked_by_hand(name: Coefficient, expected: float) -> None:
    given = pairs(FIRST, SECOND, levels=3)
    assert own(name, given)[0] == pytest.approx(expected)
    assert coefficient(name, given) == pytest.approx(expected)


def test_tau_b_worked_by_hand() -> None:
    # Of 6 pairs: 4 concordant, 1 discordant, 1 tied in the first alone.
    given = pairs([1, 1, 2, 3], [1, 2, 4, 3])
    assert own(C.KENDALL_TAU_B, given)[0] == pytest.approx((4 - 1) / np.sqrt(5 * 6))
    assert coefficient(C.KENDALL_TAU_B, given) == pytest.approx(3 / np.sqrt(30))


def test_spearman_worked_by_hand() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: rho = 1 - 6 * 4 / (4 * 15).
    assert own(C.SPEARMAN, pairs([10, 20, 30, 40], [5, 4, 9, 8]))[0] == pytest.approx(0.6)


@pytest.mark.parametrize("name", list(C))
def test_a_resample_is_the_coefficient_of_the_data_drawn(name: Coefficient) -> None:
    """Conversations of one to three turns, drawn with replacement: the same as writing them out."""
    draw = np.random.default_rng(7)
    conversation = np.repeat(np.arange(12), draw.integers(1, 4, 12))
    x = draw.integers(0, 4, len(conversation)).astype(float)
    y = np.clip(x + draw.integers(-1, 2, len(conversation)), 0, 3).astype(float)
    given = RaterPairs(x, y, conversation, levels=4)
    drawn = draw.integers(0, 12, 12)
    unit = np.concatenate([np.flatnonzero(conversation == c) for c in drawn])
    written_out = RaterPairs(x[unit], y[unit], np.arange(len(unit)), levels=4)
    resample = np.bincount(drawn, minlength=12).astype(float)[None]
    assert own(name, given, resample)[0] == pytest.approx(own(name, written_out)[0])


@pytest.mark.parametrize("name", list(C))
def test_many_cells_and_few_are_counted_alike(name: Coefficient, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    x, y = draw.integers(0, 5, (2, 40)).astype(float)
    given = RaterPairs(x, y, np.arange(40) // 2, levels=5)
    resamples = draw.integers(0, 3, (6, 20)).astype(float)
    few = own(name, given, resamples)
    monkeypatch.setattr("service.statistics.coefficients._FEW", 1)
    assert own(name, given, resamples) == pytest.approx(few)


def test_within_groups_what_groups_differ_in_is_gone() -> None:
    """Both raise group 1 by ten; within groups they are opposed."""
    first, second = [1.0, 2, 3, 11, 12, 13], [3.0, 2, 1, 13, 12, 11]
    group = np.array([0, 0, 0, 1, 1, 1])
    for name in CORRELATIONS:
        assert own(name, pairs(first, second))[0] > 0.1
        assert own(name, pairs(first, second, group=group))[0] == pytest.approx(-1)


def test_fractions_of_a_level_count_as_they_are_or_as_the_nearest_halves_down() -> None:
    assert nearest_levels(np.array([0.5, 1.5, 1.51, 2.0, -0.5])).tolist() == [0, 1, 2, 2, -1]
    assert own(C.PERCENT_AGREEMENT, pairs([1.5, 2], [1, 2]))[0] == 1
    fractional = pairs([0.5, 1.5, 3], [1, 1, 3])
    x, y = fractional.first, fractional.second
    lin = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert coefficient(C.QUADRATIC_WEIGHTED_KAPPA, fractional) == pytest.approx(lin)


def test_levels_that_nobody_gave_still_lie_between() -> None:
    given = pairs([0, 0, 4, 4, 1], [0, 1, 4, 0, 4])
    expected = cohen_kappa_score(given.first, given.second, weights="quadratic", labels=range(5))
    assert coefficient(C.QUADRATIC_WEIGHTED_KAPPA, given) == pytest.approx(expected)
    assert own(C.QUADRATIC_WEIGHTED_KAPPA, given)[0] == pytest.approx(expected)


def test_one_value_leaves_correlations_undefined() -> None:
    for name in CORRELATIONS:
        assert np.isnan(coefficient(name, pairs([1, 1, 1], [1, 2, 3])))
    for name in (C.COHEN_KAPPA, C.QUADRATIC_WEIGHTED_KAPPA, C.KRIPPENDORFF_ALPHA):
        assert np.isnan(coefficient(name, pairs([2, 2, 2], [2, 2, 2])))


def test_scores_far_from_zero_that_hardly_differ_keep_their_digits() -> None:
    first, second = [1e6, 1e6 + 1e-4, 1e6 + 2e-4, 1e6 + 3e-4], [1.0, 2, 3, 5]
    expected = np.corrcoef([0, 1, 2, 3], second)[0, 1]
    given = pairs(first, second)
    assert own(C.PEARSON, given)[0] == pytest.approx(expected, abs=1e-4)
    assert coefficient(C.PEARSON, given) == pytest.approx(expected, abs=1e-4)


def test_tau_b_of_very_many_values_is_computed_and_not_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(2)
    first = draw.normal(size=MOST_CELLS + 1)
    second = np.round(first + draw.normal(size=len(first)), 2)
    many = pairs(first.tolist(), second.tolist())
    assert np.isnan(own(C.KENDALL_TAU_B, many)).all()
    assert coefficient(C.KENDALL_TAU_B, many) == pytest.approx(stats.kendalltau(first, second).statistic)
    within = pairs(first.tolist(), second.tolist(), group=np.arange(len(first)) % 3)
    monkeypatch.setattr("service.statistics.coefficients.MOST_CELLS", len(first))
    assert coefficient(C.KENDALL_TAU_B, within) == pytest.approx(own(C.KENDALL_TAU_B, within)[0])


def test_alpha_of_many_raters_with_gaps_as_published() -> None:
    """The worked example of the krippendorff package (three coders, fifteen units)."""
    nan = np.nan
    scores = np.array(
        [
            [nan, nan, nan, nan, nan, 3, 4, 1, 2, 1, 1, 3, 3, nan, 3],
            [1, nan, 2, 1, 3, 3, 4, 3, nan, nan, nan, nan, nan, nan, nan],
            [nan, nan, 2, 1, 3, 4, 4, nan, 2, 1, 1, 3, 3, nan, 4],
        ]
    ).T
    assert alpha_of_many(scores, np.ones((1, 15)))[0] == pytest.approx(0.810845, abs=1e-6)


def test_alpha_without_units_that_two_rated_is_undefined() -> None:
    assert np.isnan(alpha_of_many(np.array([[1.0, np.nan], [np.nan, 2.0]]), np.ones((1, 2)))[0])
