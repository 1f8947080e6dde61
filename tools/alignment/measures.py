"""How good a pair classifier is on utterances of dialogues that it has not seen.

Pairs are all pairs of held-out utterances of a fold that have a strategy, not a sample. Those that
share a strategy and those that do not count half each, as in the paper's sets of 50,000 and 50,000:
accuracy is the mean of the two recalls, and Cohen's kappa is twice that less one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.alignment.implicit import Calibration

Vector = NDArray[np.floating[Any]]
DRAWS = 1000


@dataclass(frozen=True)
class Held:
    """A fold's held-out utterances: logits of the strategies, labels, and the strategies' shares in
    what the fold's model learnt from."""

    logits: Vector
    labels: NDArray[np.int64]
    priors: Vector

    def shared(self, prior_power: float, temperature: float) -> Vector:
        """`sum p(s) q(s)` for every pair: a square matrix."""
        numbers = Calibration(self.priors, prior_power, temperature, 1.0, 1.0, 0.0)
        found = numbers.distribution(self.logits)
        result: Vector = found @ found.T
        return result

    @property
    def same(self) -> NDArray[np.bool_]:
        """Whether the utterances of a pair share their label: a square matrix."""
        found: NDArray[np.bool_] = self.labels[:, None] == self.labels[None, :]
        return found

    @property
    def upper(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Each pair once."""
        return np.triu_indices(len(self.labels), 1)


FURTHEST, STEPS = 14.0, 4000
"""Range and number of steps of the log odds that a calibration is fitted on."""

GRID = [(power, temperature) for power in (0.0, 0.25, 0.5) for temperature in (1.0, 1.25, 1.5, 2.0)]


def calibrate(held: Sequence[Held], priors: Vector) -> Calibration:
    """The prior power and temperature that order the pairs of these folds best, and the numbers under
    which they are then likeliest, both kinds of pairs weighing the same."""
    best: tuple[float, Calibration] | None = None
    for power, temperature in GRID:
        odds, alike, apart = _binned(held, power, temperature)
        order = float(alike @ (np.cumsum(apart) - apart / 2))
        if best is None or order > best[0]:
            best = order, Calibration(priors, power, temperature, *_beta(odds, alike, apart))
    assert best is not None
    return best[1]


def _binned(held: Sequence[Held], power: float, temperature: float) -> tuple[Vector, Vector, Vector]:
    """The log odds of all pairs in fine steps, with the mass of pairs that share a strategy and of those
    that do not, one half each."""
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


def log_odds(shares: Vector) -> Vector:
    """Log odds, kept finite."""
    inside = np.clip(shares, 1e-9, 1 - 1e-9)
    result: Vector = np.log(inside) - np.log1p(-inside)
    return result


def balanced(wanted: NDArray[np.bool_]) -> Vector:
    """Weights under which both kinds of pairs weigh one half."""
    share = wanted.mean()
    result: Vector = np.where(wanted, 0.5 / share, 0.5 / (1 - share)) / len(wanted)
    return result


def log_loss(chances: Vector, wanted: NDArray[np.bool_]) -> float:
    """Mean log loss in nats, both kinds of pairs weighing the same."""
    told = np.clip(np.where(wanted, chances, 1 - chances), 1e-9, 1)
    return float(-(balanced(wanted) * np.log(told)).sum())


def _beta(odds: Vector, alike: Vector, apart: Vector) -> tuple[float, float, float]:
    """Rise, fall and intercept of a beta calibration. A part with a negative weight is left out: more in
    common must never be less likely to be the same."""
    parts = {"rise": -np.logaddexp(0, -odds), "fall": np.logaddexp(0, odds)}
    *weights, intercept = _logistic(list(parts.values()), alike, apart)
    if min(weights) < 0:
        parts = {
            name: part for (name, part), weight in zip(parts.items(), weights, strict=True) if weight > 0
        }
        *weights, intercept = _logistic(list(parts.values()), alike, apart)
    found = dict(zip(parts, weights, strict=True))
    return found.get("rise", 0.0), found.get("fall", 0.0), intercept


def _logistic(parts: Sequence[Vector], alike: Vector, apart: Vector) -> list[float]:
    """The weight of each part, and the intercept, by Newton's method on the weighted likelihood."""
    inputs = np.stack([*parts, np.ones_like(alike)])
    weights, mass = np.array([*[0.5] * len(parts), 1.0]), alike + apart
    for _ in range(100):
        chances = 1 / (1 + np.exp(-(weights @ inputs)))
        gradient = inputs @ (alike - mass * chances)
        hessian = (inputs * (mass * chances * (1 - chances))) @ inputs.T
        step = np.linalg.solve(hessian + 1e-9 * np.eye(len(weights)), gradient)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return [float(weight) for weight in weights]


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
    """What the classifier is worth on a fold's pairs."""
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


def bootstrap(held: Sequence[Held], calibrations: Sequence[Calibration]) -> tuple[float, float]:
    """95 % interval of the accuracy, averaged over folds, when sentences are drawn anew: pairs are
    not independent of each other, sentences nearly are."""
    chance = np.random.default_rng(0)
    draws = np.zeros(DRAWS)
    for fold, calibration in zip(held, calibrations, strict=True):
        told = probabilities(fold, calibration) >= 0.5
        same = fold.same.copy()
        np.fill_diagonal(same, False)
        apart = ~fold.same
        size = len(fold.labels)
        counts = chance.multinomial(size, np.full(size, 1 / size), size=DRAWS).astype(np.float32)

        def mass(matrix: NDArray[np.bool_], counts: NDArray[np.float32] = counts) -> NDArray[np.float32]:
            found: NDArray[np.float32] = np.einsum("di,di->d", counts @ matrix.astype(np.float32), counts)
            return found

        draws += (mass(same & told) / mass(same) + mass(apart & ~told) / mass(apart)) / 2
    low, high = np.quantile(draws / len(held), [0.025, 0.975])
    return float(low), float(high)


def reliability(
    held: Sequence[Held], calibrations: Sequence[Calibration]
) -> list[tuple[float, float, float]]:
    """For ten ranges of probability: mean probability, share that shares a strategy, weight."""
    chances, same = [], []
    for fold, calibration in zip(held, calibrations, strict=True):
        above = fold.upper
        chances.append(probabilities(fold, calibration)[above])
        same.append(fold.same[above])
    told, wanted = np.concatenate(chances), np.concatenate(same)
    weights, place = balanced(wanted), np.minimum((told * 10).astype(int), 9)
    rows = []
    for number in range(10):
        here = place == number
        mass = float(weights[here].sum())
        if mass:
            rows.append(
                (float(weights[here] @ told[here]) / mass, float(weights[here] @ wanted[here]) / mass, mass)
            )
    return rows


def memoriser(labels: NDArray[np.int64], pairs: int = 20_000, folds: int = 5) -> float:
    """What pair-level cross-validation gives one that reads no text: it joins sentences that a
    training pair calls alike and calls two sentences alike when they are joined."""
    chance = np.random.default_rng(0)
    above = np.triu_indices(len(labels), 1)
    same = labels[above[0]] == labels[above[1]]
    drawn = np.concatenate(
        [chance.choice(np.flatnonzero(kind), pairs // 2, replace=False) for kind in (same, ~same)]
    )
    chance.shuffle(drawn)
    fold = np.arange(pairs) % folds
    hits = 0
    for number in range(folds):
        root = np.arange(len(labels))
        for index in drawn[(fold != number) & same[drawn]]:
            a, b = root[above[0][index]], root[above[1][index]]
            if a != b:
                root[root == b] = a
        tested = drawn[fold == number]
        hits += int(((root[above[0][tested]] == root[above[1][tested]]) == same[tested]).sum())
    return hits / pairs
