"""Quality of a pair classifier on utterances of dialogues that it has not seen.

Pairs are all pairs of held-out utterances of a fold that have a strategy, not a sample. Those that
share a strategy and those that do not count half each, as in the paper's sets of 50,000 and 50,000:
accuracy is the mean of the two recalls, and Cohen's kappa is twice that less one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.alignment.implicit import Calibration, log_odds

Vector = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Held:
    """A fold's held-out utterances: logits of the strategies, labels, and the strategies' shares in
    what the fold's model learnt from."""

    logits: Vector
    labels: NDArray[np.int64]
    priors: Vector

    def shared(self, prior_power: float, temperature: float) -> Vector:
        """`sum p(s) q(s)` for every pair: a square matrix."""
        found = uncalibrated(self.priors, prior_power, temperature).distribution(self.logits)
        result: Vector = found @ found.T
        return result

    @property
    def same(self) -> NDArray[np.bool_]:
        """Return whether the utterances of a pair share their label: a square matrix."""
        found: NDArray[np.bool_] = self.labels[:, None] == self.labels[None, :]
        return found

    @property
    def upper(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Each pair once."""
        return np.triu_indices(len(self.labels), 1)


FURTHEST, STEPS, KNOTS = 14.0, 4000, 40
"""Range and number of steps of the log odds that a calibration is fitted on, and of its knots."""

PRIOR_POWER = 0.25
"""By measure, 0 gives the best accuracy in INSPIRED's own mix of strategies (+.001). Where all strategies are as common, .5 gives
the best (+.003): how another system's strategies are mixed is not known beforehand."""

TEMPERATURES = (1.0, 1.25, 1.5, 2.0)


def uncalibrated(priors: Vector, prior_power: float, temperature: float) -> Calibration:
    """Numbers for shares alone."""
    return Calibration(priors, prior_power, temperature, np.zeros(1), np.full(1, 0.5))


def calibrate(held: Sequence[Held], priors: Vector, power: float = PRIOR_POWER) -> Calibration:
    """The temperature that orders the pairs of these folds best, and their probabilities under it, both
    kinds of pairs weighing the same."""
    best: tuple[float, Calibration] | None = None
    for temperature in TEMPERATURES:
        odds, alike, apart = _binned(held, power, temperature)
        order = float(alike @ (np.cumsum(apart) - apart / 2))
        if best is None or order > best[0]:
            best = order, Calibration(priors, power, temperature, *_isotonic(odds, alike, apart))
    assert best is not None
    return best[1]


def _binned(held: Sequence[Held], power: float, temperature: float) -> tuple[Vector, Vector, Vector]:
    """The log odds of all pairs in fine steps. Pairs that share a strategy and those that do not have a mass of one half each."""
    edges = np.linspace(-FURTHEST, FURTHEST, STEPS + 1)
    counts = np.zeros((2, STEPS))
    for fold in held:
        above = fold.upper
        odds = np.clip(log_odds(fold.shared(power, temperature)[above]), -FURTHEST, FURTHEST)
        same = fold.same[above]
        for row, kind in enumerate((same, ~same)):
            counts[row] += np.histogram(odds[kind], edges)[0]
    alike, apart = 0.5 * counts / counts.sum(axis=1, keepdims=True)
    return (edges[1:] + edges[:-1]) / 2, alike, apart


def probabilities(held: Held, calibration: Calibration) -> Vector:
    """The probability of a shared strategy for every pair: a square matrix. The fold's own priors."""
    return calibration.probability(held.shared(calibration.prior_power, calibration.temperature))


def _isotonic(odds: Vector, alike: Vector, apart: Vector) -> tuple[Vector, Vector]:
    """Mean log odds and share alike of `KNOTS` groups of equal mass, the shares never falling: groups
    that would are joined (pool adjacent violators)."""
    mass = alike + apart
    group = np.minimum((np.cumsum(mass) - mass / 2) * KNOTS, KNOTS - 1).astype(int)
    sums = np.stack([np.bincount(group, part, KNOTS) for part in (mass * odds, alike, mass)], axis=1)
    joined: list[Vector] = []
    for one in sums[sums[:, 2] > 0]:
        joined.append(one)
        while len(joined) > 1 and joined[-2][1] / joined[-2][2] >= joined[-1][1] / joined[-1][2]:
            joined[-2:] = [joined[-2] + joined[-1]]
    table = np.array(joined)
    return table[:, 0] / table[:, 2], table[:, 1] / table[:, 2]


@dataclass(frozen=True)
class Quality:
    """Of one fold. `equal` weighs the strategies of the shared pairs the same, whatever their number."""

    accuracy: float
    kappa: float
    recall: float
    specificity: float
    area: float
    equal: float
    labels: float
    macro_f1: float
    pairs: int


def quality(held: Held, calibration: Calibration) -> Quality:
    """Return what the classifier is worth on a fold's pairs."""
    chances, above = probabilities(held, calibration), held.upper
    told, same = (chances >= 0.5)[above], held.same[above]
    recall, specificity = float(told[same].mean()), float((~told[~same]).mean())
    accuracy = (recall + specificity) / 2
    likeliest = calibration.distribution(held.logits).argmax(1)
    own = held.labels[above[0]]
    recalls = [told[same & (own == label)].mean() for label in np.unique(own[same])]
    return Quality(
        accuracy=accuracy,
        kappa=2 * accuracy - 1,
        recall=recall,
        specificity=specificity,
        area=area(chances[above], same),
        equal=float((np.mean(recalls) + specificity) / 2),
        labels=float((likeliest == held.labels).mean()),
        macro_f1=float(np.mean([f1 for _, _, f1 in per_label(held.labels, likeliest).values()])),
        pairs=len(same),
    )


def area(scores: Vector, wanted: NDArray[np.bool_]) -> float:
    """Area under the curve of recall against false alarms; ties count half."""
    _, rank = np.unique(scores, return_inverse=True)
    yes, no = (
        np.bincount(rank[wanted], minlength=rank.max() + 1),
        np.bincount(rank[~wanted], minlength=rank.max() + 1),
    )
    below = np.concatenate([[0], np.cumsum(no)[:-1]])
    return float((yes * (below + no / 2)).sum() / (yes.sum() * no.sum()))


def per_label(labels: NDArray[np.int64], told: NDArray[np.intp]) -> dict[int, tuple[float, float, float]]:
    """Precision, recall and F1 of each label that occurs."""
    found = {}
    for label in map(int, np.unique(labels)):
        hit = int(((labels == label) & (told == label)).sum())
        said, there = int((told == label).sum()), int((labels == label).sum())
        precision, recall = hit / said if said else 0.0, hit / there
        found[label] = precision, recall, 2 * hit / (said + there)
    return found
