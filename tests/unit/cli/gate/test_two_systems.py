"""`crs-eval compare`: two systems without an order in time, and no verdict."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from service.cli.configuration import GateSettings
from service.cli.gate.two_systems import WRITERS, SystemComparison, compare_systems
from service.cli.scores import Run
from tests.unit.cli.making import fault, run

N = 20


def system(name: str, more: float, n: int = N, **rest: Any) -> Run:
    """Scores that differ from conversation to conversation, all `more` than another system's."""
    scores = {f"c{i}": {"coherence": 1 + i % 3 / 2 + more, "novelty": 2.0} for i in range(n)}
    return run(f"runs/{name}.results.jsonl", scores, **rest)


def compared(left: Run, right: Run) -> SystemComparison:
    return compare_systems(left, right, GateSettings())


def test_a_gain_and_a_loss_of_the_same_size_have_the_same_p() -> None:
    low, high = system("low", 0.0), system("high", 0.65)
    gain, loss = (compared(*sides).factors.differences[0] for sides in ((low, high), (high, low)))
    assert (gain.factor, gain.users) == ("coherence", N)
    assert gain.difference == pytest.approx(0.65)
    assert loss.difference == pytest.approx(-0.65)
    assert gain.p == loss.p < 0.001
    assert gain.adjusted == loss.adjusted >= gain.p


def test_factors_with_less_than_two_pairs_are_named() -> None:
    sides = [
        run(name, {f"c{i}": {"coherence": 2.0, "novelty": None if i else 3.0} for i in range(N)})
        for name in ("a.jsonl", "b.jsonl")
    ]
    text = io.StringIO()
    compared(*sides).print(Console(file=text, width=200))
    assert "fewer than 2 pairs have a score: novelty" in text.getvalue()


def test_faults_have_a_table_and_every_format_holds_both() -> None:
    comparison = compared(system("low", 0.0, faults=[fault("loops")]), system("high", 0.65))
    (loops,) = json.loads(comparison.as_json())["faults"]
    assert (loops["name"], loops["first"], loops["second"], loops["difference"]) == ("loops", 1.0, 0.0, -1.0)
    assert loops["p"] < 0.001
    for write in WRITERS.values():
        assert all(word in write(comparison) for word in ("coherence", "loops", "low.results", "30 pairs"))
