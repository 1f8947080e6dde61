"""Stage weights against entropies worked out by hand."""

import math

import pytest

from service.alignment.stages import EPSILON, PSEUDO_COUNT, estimate
from service.alignment.strategies import STRATEGIES
from service.alignment.strategies import StrategyName as S


def _entropy(*counts: int) -> float:
    masses = [count + PSEUDO_COUNT for count in counts] + [PSEUDO_COUNT] * (len(STRATEGIES) - len(counts))
    return -sum(m / sum(masses) * math.log(m / sum(masses)) for m in masses)


def test_weights_are_inverse_entropies_with_mean_one() -> None:
    dialogues = [[S.OPINION_INQUIRY, S.CREDIBILITY]] * 6 + [[S.OPINION_INQUIRY, S.ENCOURAGEMENT]] * 2
    found = estimate(dialogues)
    start, after = 1 / (_entropy(8) + EPSILON), 1 / (_entropy(6, 2) + EPSILON)
    mean = (8 * start + 8 * after) / 16
    assert found.after(None) == pytest.approx(start / mean)
    assert found.after(S.OPINION_INQUIRY) == pytest.approx(after / mean)
