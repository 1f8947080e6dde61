"""Estimate how well a reply serves the user, and how much it advances the conversation, learned from people's
marks for single replies.

Two linear models over `signals.py` whose weights may not be negative (each signal counts as it is meant or not at
all), trained by `research/train_judge`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .deductions import FULL

Signals = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Weighing:
    """Mean, spread and weight of each signal; the sum is in points around `level`."""

    level: float
    mean: Signals
    spread: Signals
    weight: Signals

    def shares(self, signals: Signals) -> dict[str, float]:
        """Return what each signal adds to or takes from the level, in points; one that is not known does
        neither."""
        return {
            name: weight * (signals[name] - self.mean[name]) / self.spread[name]
            for name, weight in self.weight.items()
            if name in signals
        }

    def points(self, signals: Signals) -> float:
        """0 to 4 for one reply."""
        return min(FULL, max(0.0, self.level + sum(self.shares(signals).values())))


def serves(signals: Sequence[Signals]) -> list[float]:
    """Return how well each reply serves the user, in points of 4."""
    return [weighing("relevance").points(each) for each in signals]


def carries_on(signals: Sequence[Signals]) -> list[float]:
    """Return how far each reply carries the user on, in points of 4."""
    return [weighing("interest").points(each) for each in signals]


def speaks_against(signals: Signals) -> str:
    """The signal that takes most from how well a reply serves the user; empty where none takes anything."""
    shares = weighing("relevance").shares(signals)
    name = min(shares, key=lambda name: shares[name], default="")
    return name if name and shares[name] < 0 else ""


@cache
def weighing(name: str) -> Weighing:
    """The stored weighing of that name."""
    return Weighing(**json.loads(_stored(name)))


def _stored(name: str) -> str:
    return (files(__package__) / f"{name}.json").read_text(encoding="utf-8")
