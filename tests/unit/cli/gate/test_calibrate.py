"""False alarms and power of the gate on these conversations."""

import numpy as np
import pytest

from service.cli.configuration import GateSettings
from service.cli.gate.calibrate import calibrate
from service.cli.gate.results import RuleState
from tests.unit.cli.making import run


def _runs(noise: float, seed: int = 0) -> tuple[dict[str, dict[str, float]], ...]:
    chance = np.random.default_rng(seed)
    return tuple(
        {
            f"c{i}": {f: float(np.clip(2 + chance.normal(0, noise), 0, 4)) for f in ("coherence", "novelty")}
            for i in range(120)
        }
        for _ in range(2)
    )


@pytest.mark.slow
def test_an_unchanged_system_rarely_fails() -> None:
    flips = []
    for seed in range(4):
        first, second = (run(name, scores) for name, scores in zip("ab", _runs(1.0, seed), strict=True))
        made = calibrate(first, second, GateSettings(), size=100, resamplings=50)
        assert sum(made.states.values()) == 50
        flips.append(made.flip_rate)
    assert sum(flips) / len(flips) <= 0.05
    drops = {one.factor: one.visible for one in made.sensitivities}
    assert set(drops) == {"coherence", "novelty", "mean"}
    assert 0.4 < drops["coherence"] < 0.8
    assert drops["mean"] < drops["coherence"]


def test_fewer_conversations_see_less() -> None:
    first, second = (run(name, scores) for name, scores in zip("ab", _runs(1.0), strict=True))
    large, small = (
        calibrate(first, second, GateSettings(), size=n, resamplings=20).sensitivities[0] for n in (120, 40)
    )
    assert small.visible > 1.4 * large.visible


def test_equal_runs_never_fail() -> None:
    first, second = (run(name, _runs(0.5)[0]) for name in "ab")
    made = calibrate(first, second, GateSettings(), size=None, resamplings=20)
    assert made.states[RuleState.PASS] == 20
    assert all(one.spread == 0 for one in made.sensitivities)
