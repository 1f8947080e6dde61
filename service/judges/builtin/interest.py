"""How far a reply carries the user on, learned from people's marks for single replies.

A linear model over `signals.py` whose weights may not be negative (each signal counts as it is meant or not at
all), trained by `tools/train_judge`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .losses import FULL

MIDDLE = FULL / 2


@dataclass(frozen=True, slots=True)
class Weighing:
    """Mean, spread and weight of each signal; the sum is on the scale of points around the middle."""

    mean: Mapping[str, float]
    spread: Mapping[str, float]
    weight: Mapping[str, float]

    def points(self, signals: Mapping[str, float]) -> float:
        """0 to 4 for one reply."""
        total = sum(
            weight * (signals[name] - self.mean[name]) / self.spread[name]
            for name, weight in self.weight.items()
        )
        return min(FULL, max(0.0, MIDDLE + total))


def carries_on(signals: Sequence[Mapping[str, float]]) -> list[float]:
    """How far each reply carries the user on, in points of 4."""
    weighing = _weighing()
    return [weighing.points(each) for each in signals]


@cache
def source() -> str:
    """The stored numbers: what an evaluator's revision covers."""
    return (files(__package__) / "interest.json").read_text(encoding="utf-8")


@cache
def _weighing() -> Weighing:
    return Weighing(**json.loads(source()))
