"""Coefficients of resamples, within groups, and at the edges of numbers."""

import numpy as np
import pytest
from scipy import stats

from service.statistics.bootstrap import Matrix
from service.statistics.coefficients import (
    COEFFICIENTS,
    CORRELATIONS,
    MOST_CELLS,
    Coefficient,
    RaterPairs,
    coefficient,
    nearest_levels,
)

C = Coefficient


def pairs(first: list[float], second: list[float], **fields: object) -> RaterPairs:
    fields.setdefault("conversation", np.arange(len(first)))
    return RaterPairs(np.array(first, dtype=float), np.array(second, dtype=float), **fields)  # type: ignore[arg-type]


def own(name: Coefficient, given: RaterPairs, resamples: Matrix | None = None) -> Matrix:
    counts = given.counts if resamples is None else given.drawn(resamples)
    return COEFFICIENTS[name](given.cells, counts)


def test_randolphs_kappa_worked_by_hand() -> None:
    """The others are compared with other libraries (`tests/property/test_agreement.py`)."""
    # Seven of ten agree; chance is a third.
    given = pairs([0, 0, 0, 0, 1, 1, 2, 0, 1, 2], [0, 0, 0, 0, 1, 1, 2, 1, 2, 0], levels=3)
    assert coefficient(C.RANDOLPH_KAPPA, given) == pytest.approx((0.7 - 1 / 3) / (1 - 1 / 3))


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
