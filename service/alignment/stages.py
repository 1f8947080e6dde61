"""Stage weights: how much a deviation weighs, given what the human recommender did before.

Where people all do the same next, deviating from them is a fault; where anything can come next, it
says little (the paper's section 8). The weight after a strategy is 1 / (entropy + e) of the human distribution over what follows
it. It is scaled so that its mean over human turns is 1."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from .strategies import STRATEGIES, StrategyName

START = "start"
"""Stands for what comes before a dialogue's first turn with a strategy."""

EPSILON = 0.01
"""The `e` that keeps the weight finite where people always do the same; in nats, as the entropy."""

PSEUDO_COUNT = 0.5
"""Added to every count, so that a strategy never seen next is rare and not impossible."""


StageWeights = Mapping[str, float]
"""The weight of a turn by the human's strategy in the turn before, or `START`."""


@cache
def stage_weights() -> StageWeights:
    """The weights in `model/stages.json`, estimated from INSPIRED by `research.alignment.stages`."""
    text = files(__package__).joinpath("model", "stages.json").read_text("utf-8")
    weights: StageWeights = json.loads(text)["weights"]
    return weights


def estimate(dialogues: Iterable[Sequence[StrategyName]]) -> StageWeights:
    """Weights from the strategies of human turns, in order, `no_strategy` left out."""
    following: dict[str, Counter[StrategyName]] = {
        name: Counter() for name in (START, *(s.slug.value for s in STRATEGIES))
    }
    for dialogue in dialogues:
        before = START
        for strategy in dialogue:
            following[before][strategy] += 1
            before = strategy.value
    raw = {name: 1 / (_entropy(counts) + EPSILON) for name, counts in following.items()}
    turns = sum(counts.total() for counts in following.values())
    mean = sum(raw[name] * counts.total() for name, counts in following.items()) / turns
    return {name: weight / mean for name, weight in raw.items()}


def _entropy(counts: Counter[StrategyName]) -> float:
    masses = [counts[strategy.slug] + PSEUDO_COUNT for strategy in STRATEGIES]
    total = sum(masses)
    return -sum(mass / total * math.log(mass / total) for mass in masses)
