"""Measure the gate on these conversations: its false alarms, and the losses that it can detect.

Two runs of an unchanged system are all it takes. Which of them counts as the baseline is decided again for each conversation and
resampling. So the truth is "nothing changed", whatever chance made of the two runs."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..configuration import GateSettings
from ..scores import Run
from .comparable import comparable, paired_scores, shared_conversations
from .fault_changes import changes_of, fault_shares, state_of
from .paired import PairedLosses, RunDifference, Scores, differences, significance
from .results import RuleState, gravest

QUICK_DRAWS = 2000


@dataclass(frozen=True)
class Sensitivity:
    """One factor: how much scores differ between two runs of the same, and the smallest visible drop. Four of five runs of `n`
    conversations would call that drop a loss."""

    factor: str
    n: int
    spread: float
    visible: float


@dataclass(frozen=True)
class GateCalibration:
    """The share of runs in which an unchanged system fails or stays inconclusive, and the loss that a
    changed one must have."""

    conversations: int
    size: int
    resamplings: int
    states: Counter[RuleState]
    sensitivities: Sequence[Sensitivity]

    @property
    def flip_rate(self) -> float:
        """The share of resamplings in which an unchanged system failed."""
        return self.states[RuleState.FAIL] / self.resamplings


def calibrate(
    first: Run,
    second: Run,
    gate: GateSettings,
    *,
    size: int | None,
    resamplings: int,
    done: Callable[[], None] = lambda: None,
) -> GateCalibration:
    """Judge `resamplings` samples of `size` conversations (all by default) of an unchanged system, and
    call `done` after each."""
    shared = shared_conversations(first, second)
    alike = comparable(first, second, shared, gate.minimum_coverage)
    scores = paired_scores(first, second, alike)
    factors = _decidable(scores, alike, gate)
    shown = fault_shares(first, second, alike, gate)
    size = min(size or len(alike), len(alike))
    generator = np.random.default_rng(gate.seed)
    states: Counter[RuleState] = Counter()
    for number in range(resamplings):
        chosen = [alike[i] for i in generator.choice(len(alike), size=size, replace=False)]
        coins = dict(zip(chosen, (generator.random(size) < 0.5).tolist(), strict=True))
        found = {_decide(exchanged(scores, coins), chosen, factors, gate, seed=gate.seed + number)}
        found |= {state_of(one, gate.alpha) for one in changes_of(*exchanged(shown, coins), gate.alpha)}
        states[gravest(found)] += 1
        done()
    whole = differences(*scores, factors, alike, draws=gate.draws, seed=gate.seed, alpha=gate.alpha)
    sensitivities = [_sensitivity(d, size, gate) for d in whole]
    return GateCalibration(len(alike), size, resamplings, states, sensitivities)


def _decidable(scores: tuple[Scores, Scores], conversations: Sequence[str], gate: GateSettings) -> list[str]:
    least = gate.minimum_coverage * len(conversations)
    wanted = gate.regression.factors or list(scores[0])
    return [f for f in wanted if f in scores[0] and all(len(side[f]) >= least for side in scores)]


def exchanged(scores: tuple[Scores, Scores], coins: Mapping[str, bool]) -> tuple[Scores, Scores]:
    """The scores of these conversations, with the two runs exchanged where the coin says so."""
    first, second = (
        {
            factor: {
                name: scores[side ^ coin][factor][name]
                for name, coin in coins.items()
                if name in scores[side ^ coin][factor]
            }
            for factor in scores[0]
        }
        for side in (0, 1)
    )
    return first, second


def _decide(
    scores: tuple[Scores, Scores],
    conversations: Sequence[str],
    factors: Sequence[str],
    gate: GateSettings,
    *,
    seed: int,
) -> RuleState:
    """The regression rules' verdict on these scores, without words: the gravest over all factors."""
    pairs = PairedLosses.of(*scores, factors, conversations)
    if not pairs.factors:
        return RuleState.PASS
    found = significance(pairs, draws=QUICK_DRAWS, seed=seed, alpha=gate.alpha)
    state = RuleState.PASS
    for factor, loss, adjusted in zip(pairs.factors, pairs.means, found.adjusted, strict=True):
        if loss > gate.regression.margin_of(factor):
            if adjusted <= gate.alpha:
                return RuleState.FAIL
            state = RuleState.INCONCLUSIVE
    return state


def _sensitivity(difference: RunDifference, size: int, gate: GateSettings) -> Sensitivity:
    margin = gate.regression.margin_of(difference.factor)
    n = min(size, difference.n)
    spread = difference.error * difference.n**0.5
    smaller = replace(difference, error=spread / n**0.5)
    return Sensitivity(difference.factor, n, spread, smaller.visible(margin))
