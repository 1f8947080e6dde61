"""Figures of a calibration."""

from typing import Any

from service.cli.calibration.figures import judge_against_people

MAP: dict[str, Any] = {
    "factor": "coherence",
    "scales": {"judge": {"min": 0, "max": 4}, "people": {"min": 0, "max": 4}},
    "knots": [
        {"score": 1, "value": 0, "low": 0, "high": 1},
        {"score": 2, "value": 1, "low": 0, "high": 2},
        {"score": 3, "value": 3, "low": 2, "high": 4},
    ],
    "level": 0.9,
}


def test_conversations_in_one_place_are_one_larger_dot() -> None:
    drawn = judge_against_people(MAP, [(1.0, 0.0)] * 4 + [(2.0, 1.0)])
    assert drawn.count("<circle") == 2
    assert 'r="6.0"' in drawn
