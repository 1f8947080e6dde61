"""The difference of two runs over the same conversations, factor by factor.

Conversations are drawn anew, whole, the same ones for every factor; a factor's loss is the mean of
what its pairs lost. One-sided p-values of "nothing was lost" are corrected over the factors by
Holm's step-down procedure, so that the chance of any false alarm stays under alpha however many
factors are watched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...statistics.bootstrap import Matrix, intervals, ratio_draws

Scores = Mapping[str, Mapping[str, float]]
"""By factor, then by conversation."""


@dataclass(frozen=True)
class Difference:
    """One factor in both runs. `loss` is baseline minus candidate in points of the scale, over the `n`
    conversations that have a score in both; `low` and `high` are its 95 % interval; `p` is one-sided
    for a loss, `adjusted` after Holm; `error` is the standard error of the loss."""

    factor: str
    n: int
    baseline: float
    candidate: float
    loss: float
    low: float
    high: float
    p: float
    adjusted: float
    error: float

    def visible(self, alpha: float, tests: int, margin: float) -> float:
        """The smallest true drop that would be called a loss in four of five runs like this one."""
        from scipy.stats import norm

        needed = max(margin, float(norm.isf(alpha / tests)) * self.error)
        return needed + float(norm.isf(0.2)) * self.error


def differences(
    baseline: Scores,
    candidate: Scores,
    factors: Sequence[str],
    conversations: Sequence[str],
    *,
    draws: int,
    seed: int,
) -> list[Difference]:
    """One difference for each factor with two pairs or more, in their order."""
    paired = {f: [c for c in conversations if c in baseline[f] and c in candidate[f]] for f in factors}
    tested = [factor for factor in factors if len(paired[factor]) > 1]
    if not tested:
        return []
    place = {conversation: index for index, conversation in enumerate(conversations)}
    losses, present = np.zeros((2, len(conversations), len(tested)))
    for column, factor in enumerate(tested):
        for conversation in paired[factor]:
            losses[place[conversation], column] = (
                baseline[factor][conversation] - candidate[factor][conversation]
            )
            present[place[conversation], column] = 1
    drawn = ratio_draws(losses, present, draws=draws, seed=seed)
    return _told(tested, paired, baseline, candidate, drawn)


def _told(
    tested: Sequence[str],
    paired: Mapping[str, Sequence[str]],
    baseline: Scores,
    candidate: Scores,
    drawn: Matrix,
) -> list[Difference]:
    # A resample without any loss speaks for "nothing was lost"; one more is counted for the data itself.
    p_values = [(1 + int(np.sum(~(drawn[:, i] > 0)))) / (1 + len(drawn)) for i in range(len(tested))]
    found = []
    for column, (factor, p, adjusted, interval) in enumerate(
        zip(tested, p_values, holm(p_values), intervals(drawn), strict=True)
    ):
        names = paired[factor]
        before = sum(baseline[factor][name] for name in names) / len(names)
        after = sum(candidate[factor][name] for name in names) / len(names)
        loss = sum(baseline[factor][name] - candidate[factor][name] for name in names) / len(names)
        low, high = (interval.low, interval.high) if interval else (float("-inf"), float("inf"))
        error = float(np.nanstd(drawn[:, column]))
        found.append(Difference(factor, len(names), before, after, loss, low, high, p, adjusted, error))
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given (Holm 1979: the smallest times how many there are, the
    next times one less, ..., never falling, at most 1)."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
