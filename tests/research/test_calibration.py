"""The bars of calibration, by simulation."""

import numpy as np
import pytest

from research import calibration as simulate
from research.calibration import DRAWS, RATINGS, World
from service.calibration.estimates.means import SOUND_UNLIKE

RARE = "5 % at one end"
#: Twice the noise of 4,000 trials under what is promised: .94, and .93 where few ratings are at one end.
LEAST = {ratings: 0.923 if ratings == RARE else 0.933 for ratings in RATINGS}


@pytest.mark.parametrize("draw", list(DRAWS))
@pytest.mark.parametrize("ratings", list(RATINGS))
def test_intervals_hold_the_mean_and_are_no_wider_than_the_plain_ones(ratings: str, draw: str) -> None:
    generator = np.random.default_rng(1)
    for labels in (20, 60) if DRAWS[draw] else simulate.LABELS:
        for correlation in simulate.CORRELATIONS:
            cell = simulate.coverage_cell(World(ratings, correlation), draw, labels, 4000, generator)
            assert cell.calibrated >= LEAST[ratings], cell
            assert cell.ratio <= 1.02, cell
            if DRAWS[draw] is None:
                # The judge alone is 1 to 2 points off. Few labels that are nearly all equal leave a third of a standard error.
                assert abs(cell.bias) < (0.08 if ratings == RARE else 0.05), cell


@pytest.mark.parametrize("ratings", list(RATINGS))
def test_the_worth_of_a_label_is_that_of_the_formula_and_never_overstated(ratings: str) -> None:
    generator = np.random.default_rng(3)
    for labels in simulate.LABELS:
        for correlation in simulate.CORRELATIONS:
            cell = simulate.worth_cell(World(ratings, correlation), labels, 8000, generator)
            # A known weight finds the formula in every cell: what is lost is lost by estimating the weight.
            assert cell.fixed == pytest.approx(cell.formula, rel=0.1), cell
            # Twice the noise of 8,000 trials beyond what the page promises.
            assert cell.reported <= 1.05 * 1.04 * cell.found, cell
            if cell.sound:
                assert cell.found == pytest.approx(cell.fitted, rel=0.1), cell
            if cell.unlike >= SOUND_UNLIKE:
                assert cell.reported == pytest.approx(cell.found, rel=0.1), cell
                assert cell.reported == pytest.approx(cell.formula, rel=0.1), cell


@pytest.mark.parametrize(("ratings", "gain"), [(RARE, 1.05), ("like CRSArena's", 0.97)])
def test_a_weight_above_one_adds_worth_where_ratings_are_skewed_and_intervals_hold_the_same(
    ratings: str, gain: float
) -> None:
    cell = simulate.held_cell(World(ratings, 0.9), 60, 8000, np.random.default_rng(6))
    assert cell.worth[1] > gain * cell.worth[0], cell
    assert cell.width[1] < 1.005 * cell.width[0], cell
    assert min(cell.coverage) >= LEAST[ratings], cell
    assert cell.coverage[1] == pytest.approx(cell.coverage[0], abs=0.01), cell


def test_the_formula_is_the_one_without_fitting_when_labels_are_many() -> None:
    assert simulate.formula(0.9, 20, 400, fitted=False) == pytest.approx(1 / (1 - 0.81 * 400 / 420))
    assert simulate.formula(0.9, 20, 400, fitted=True) < simulate.formula(0.9, 20, 400, fitted=False)
    many = [simulate.formula(0.6, 100_000, 100_000, fitted=fitted) for fitted in (True, False)]
    assert many[0] == pytest.approx(many[1], rel=1e-4)


@pytest.mark.parametrize("kind", [0.0, 0.3, "80 % at one end"])
def test_maps_of_few_labels_seldom_make_scores_worse(kind: str | float) -> None:
    assert simulate.worse_maps(60, 20, kind) <= 0.1


@pytest.mark.parametrize("kind", [0.0, 0.6])
def test_intervals_of_single_verdicts_hold_nine_in_ten(kind: float) -> None:
    assert 0.88 <= simulate.single_coverage(40, 30, kind) <= 0.95


def test_student_t_holds_too_seldom_where_ratings_crowd_at_one_end() -> None:
    cell = simulate.coverage_cell(World("80 % at one end", 0.0), "equal", 20, 4000, np.random.default_rng(1))
    assert cell.student == pytest.approx(0.89, abs=0.02)
