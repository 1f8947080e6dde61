"""A small version of `python -m research.measure_gate`: planted regressions are caught, nothing else is."""

from research.gate_real_logs import UNCHANGED
from research.measure_gate import collect, measure
from service.cli.gate.results import State

PLANTED = {"never asks": ("never-asks",), "ignores a third of rejections": ("ignores-rejections:0.33",)}


def test_planted_regressions_are_caught_and_an_unchanged_system_passes() -> None:
    baseline, again, variants = collect(50, PLANTED)
    powers = {power.variant: power for power in measure(baseline, again, variants, size=45, samples=30)}
    assert powers[UNCHANGED].share(State.FAIL) <= 0.05
    assert powers[UNCHANGED].share(State.ERROR) == 0
    assert powers["never asks"].share(State.FAIL) >= 0.9
    assert powers["never asks"].factors.most_common(1)[0][0] in {"proactiveness", "overall"}
    assert powers["ignores a third of rejections"].share(State.FAIL) >= 0.6
