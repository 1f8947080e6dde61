"""The measures behind `docs/behavior-alignment.md`, against figures worked out by hand."""

import numpy as np
import pytest

from research.alignment.measures import Held, calibrate, probabilities, quality
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


def test_calibration_finds_what_made_the_pairs() -> None:
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 2, 300)
    logits = 1.5 * np.eye(2)[labels] + chance.normal(0, 1, (300, 2))
    one = Held(logits, labels, np.array([0.5, 0.5]))
    fitted = calibrate([one], one.priors)
    chances, same = probabilities(one, fitted)[one.upper], one.same[one.upper]
    even = np.where(same, 1 / same.mean(), 1 / (1 - same.mean())) / 2
    for low in (0.0, 0.25, 0.5, 0.75):
        here = (chances >= low) & (chances < low + 0.25)
        if here.any():
            assert np.average(same[here], weights=even[here]) == pytest.approx(
                np.average(chances[here], weights=even[here]), abs=0.03
            )
