"""A small version of `python -m research.measure_gate`: planted regressions are caught, nothing else is."""

from research.gate_real_logs import UNCHANGED
from research.measure_gate import collect, measure
from service.cli.gate.results import RuleState

PLANTED = {"invents items": ("invents-items",), "oversells": ("oversells",)}


def test_planted_regressions_are_caught_and_an_unchanged_system_passes() -> None:
    baseline, again, variants = collect(50, PLANTED)
    powers = {power.variant: power for power in measure(baseline, again, variants, size=45, samples=30)}
    assert powers[UNCHANGED].share(RuleState.FAIL) <= 0.1  # of 30 samples, where 5 % may fail by chance
    assert powers[UNCHANGED].share(RuleState.ERROR) == 0
    assert powers["invents items"].share(RuleState.FAIL) >= 0.9
    assert "semantic-relevance" in powers["invents items"].factors
    assert powers["oversells"].share(RuleState.FAIL) >= 0.9
    assert "contradicts-data" in powers["oversells"].factors
