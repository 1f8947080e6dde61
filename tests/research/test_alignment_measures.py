"""The measures behind `docs/behavior-alignment.md`, against figures worked out by hand."""

import numpy as np
import pytest

from research.alignment.measures import (
    Held,
    area,
    bootstrap,
    calibrate,
    log_loss,
    memoriser,
    per_label,
    quality,
    reliability,
)
from service.alignment.implicit import Calibration

# The sum itself: at even shares a half.
PLAIN = Calibration(np.array([0.5, 0.5]), 0.0, 1.0, np.array([-9.0, 9.0]), np.array([0.0, 1.0]))


def held(shares: list[float], labels: list[int]) -> Held:
    """Utterances with these shares of the first of two strategies."""
    first = np.array(shares)
    return Held(np.log(np.stack([first, 1 - first], axis=1)), np.array(labels), np.array([0.5, 0.5]))


def test_accuracy_is_the_mean_of_two_recalls() -> None:
    # Called alike: 0-1 and 2-3 and, wrongly, whatever goes with utterance 3 as one of the second.
    found = quality(held([0.9, 0.9, 0.1, 0.1], [0, 0, 1, 0]), PLAIN)
    # Shared pairs: 01 found, 03 and 13 not. Different: 02 and 12 found, 23 not.
    assert found.recall == pytest.approx(1 / 3)
    assert found.specificity == pytest.approx(2 / 3)
    assert found.accuracy == pytest.approx(1 / 2)
    assert found.kappa == pytest.approx(0)
    assert found.labels == pytest.approx(3 / 4)
    assert found.pairs == 6


def test_area_by_hand() -> None:
    scores, wanted = np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False])
    assert area(scores, wanted) == pytest.approx(3.5 / 4)


def test_scores_of_labels_by_hand() -> None:
    found = per_label(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    assert found[0] == pytest.approx((1, 2 / 3, 4 / 5))
    assert found[1] == pytest.approx((1 / 2, 1, 2 / 3))


def test_calibration_finds_what_made_the_pairs() -> None:
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 2, 300)
    logits = 1.5 * np.eye(2)[labels] + chance.normal(0, 1, (300, 2))
    one = Held(logits, labels, np.array([0.5, 0.5]))
    fitted = calibrate([one], one.priors)
    rows = reliability([one], [fitted])
    assert sum(mass for _, _, mass in rows) == pytest.approx(1)
    assert sum(mass * abs(told - seen) for told, seen, mass in rows) < 0.03


def test_a_coin_has_the_log_loss_of_a_coin() -> None:
    wanted = np.array([True, False, False, False])
    assert log_loss(np.full(4, 0.5), wanted) == pytest.approx(np.log(2))


def test_the_interval_holds_the_accuracy() -> None:
    chance = np.random.default_rng(1)
    labels = chance.integers(0, 2, 80)
    one = held(
        list(np.clip(0.5 + 0.3 * (1 - 2 * labels) + chance.normal(0, 0.25, 80), 0.05, 0.95)), list(labels)
    )
    low, high = bootstrap([one], [PLAIN])
    assert low < quality(one, PLAIN).accuracy < high


def test_a_memoriser_looks_good_where_pairs_leak() -> None:
    labels = np.random.default_rng(0).integers(0, 3, 200)
    assert memoriser(labels, pairs=4000) > 0.95
