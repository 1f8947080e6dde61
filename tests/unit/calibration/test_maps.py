"""Curves and intervals: against scikit-learn, against CV+ as it is written, and where they must be modest."""

import numpy as np
import pytest

from service.calibration.estimates.sample import Ends, Floats
from service.calibration.maps.curves import Labelled, best_curve, folds_of, shrunk_line
from service.calibration.maps.intervals import FEWEST, fit_map, held_coverage
from service.domain.calibration import Form

ENDS = Ends(0, 4)


def labelled(judge: Floats, people: Floats, weight: Floats | None = None) -> Labelled:
    n = len(judge)
    return Labelled(judge, people, np.ones(n) if weight is None else weight, np.arange(n))


def noisy(n: int, seed: int, bias: float = 0.0) -> Labelled:
    generator = np.random.default_rng(seed)
    judge = generator.uniform(0, 4, n)
    return labelled(judge, np.clip(judge - bias + generator.normal(0, 0.5, n), 0, 4))


def test_a_step_is_isotonic() -> None:
    generator = np.random.default_rng(4)
    judge = generator.uniform(0, 4, 120)
    curve = best_curve(labelled(judge, np.where(judge > 2, 3.5, 0.5)), ENDS)
    assert curve.form is Form.ISOTONIC
    assert curve(np.array([0.5, 3.5])) == pytest.approx([0.5, 3.5])


def test_a_line_never_falls() -> None:
    generator = np.random.default_rng(5)
    judge = generator.uniform(0, 4, 100)
    curve = shrunk_line(labelled(judge, 4 - judge), ENDS)
    assert (np.diff(curve.value) >= -1e-12).all()


def test_folds_keep_units_together_and_depend_on_nothing_else() -> None:
    unit = np.repeat(np.arange(20), 3)
    folds = folds_of(unit, 5)
    assert sorted(set(folds)) == [0, 1, 2, 3, 4]
    assert all(len(set(folds[unit == one])) == 1 for one in range(20))
    assert (folds == folds_of(unit, 5)).all()
    assert folds_of(np.arange(3), 10).max() == 2


def test_intervals_are_cv_plus() -> None:
    """Barber and others (2021), equation for CV+, with ten folds and curves chosen again in each."""
    given = noisy(45, 6, bias=0.8)
    fitted = fit_map(given, ENDS)
    folds = folds_of(given.unit, 10)
    without = [best_curve(given.where(np.flatnonzero(folds != fold)), ENDS) for fold in range(10)]
    at = 2.0
    lows, highs = [], []
    for i in range(45):
        curve = without[folds[i]]
        left = abs(given.people[i] - curve(given.judge[i : i + 1])[0])
        lows.append(curve(np.array([at]))[0] - left)
        highs.append(curve(np.array([at]))[0] + left)
    rank = int(np.ceil(0.9 * 46))
    point = next(point for point in fitted.knots if point.score == at)
    assert point.low == pytest.approx(max(0, sorted(lows)[::-1][rank - 1]), abs=1e-6)
    assert point.high == pytest.approx(min(4, sorted(highs)[rank - 1]), abs=1e-6)


def test_intervals_go_out_to_levels_where_people_give_levels() -> None:
    given = noisy(60, 7)
    whole = fit_map(labelled(given.judge, np.round(given.people)), ENDS)
    for point in whole.knots:
        assert point.low == round(point.low or 0)
        assert point.high == round(point.high or 0)
    assert any(p.low != round(p.low or 0) for p in fit_map(given, ENDS).knots)


def test_below_twenty_labels_the_score_stays_and_has_no_interval() -> None:
    fitted = fit_map(noisy(FEWEST - 1, 10, bias=2.0), ENDS)
    assert fitted.form is Form.IDENTITY
    assert [(p.score, p.value, p.low, p.high) for p in fitted.knots] == [
        (0, 0, None, None),
        (4, 4, None, None),
    ]
    assert (fitted.error, fitted.error_before) == (None, None)
    assert held_coverage(noisy(FEWEST - 1, 10), ENDS) is None
