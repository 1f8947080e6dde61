"""Quality of the student that ships on held-out utterances, and the calibration that these give. Needs no torch.

    python -m research.alignment.evaluation --data FOLDER --work FOLDER

Prints the quality in 8 bits for each seed and fold. Pairs are all pairs of a fold's held-out utterances that have a strategy. Those that
share a strategy and those that do not count half each, as in the paper's sets of 50,000 and 50,000. So accuracy is the mean of
the two recalls, and Cohen's kappa is twice that less one."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression
from sklearn.metrics import f1_score, roc_auc_score

from research.options import read_paths
from service.alignment.implicit import Calibration, log_odds

from .corpus import ASIDE, LABELS, folds, labelled
from .recipe import FOLDS, STUDENT_SEEDS

Vector = NDArray[np.floating[Any]]
FURTHEST, STEPS, KNOTS = 14.0, 4000, 40
"""Range and number of steps of the log odds that a calibration is fitted on, and of its knots."""

PRIOR_POWER = 0.25
"""By measure, 0 gives the best accuracy in INSPIRED's own mix of strategies (+.001). Where all strategies are as common, .5 gives
the best (+.003): how another system's strategies are mixed is not known beforehand."""

TEMPERATURES = (1.0, 1.25, 1.5, 2.0)


@dataclass(frozen=True)
class Held:
    """A fold's held-out utterances: logits of the strategies, labels, and the strategies' shares in
    what the fold's model learnt from."""

    logits: Vector
    labels: NDArray[np.int64]
    priors: Vector

    @property
    def above(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Each pair once."""
        return np.triu_indices(len(self.labels), 1)

    @property
    def same(self) -> NDArray[np.bool_]:
        """Return whether the utterances of each pair share their label."""
        one, two = self.above
        found: NDArray[np.bool_] = self.labels[one] == self.labels[two]
        return found

    def shared(self, temperature: float) -> Vector:
        """`sum p(s) q(s)` for each pair, by the fold's own priors."""
        numbers = Calibration(self.priors, PRIOR_POWER, temperature, np.zeros(1), np.full(1, 0.5))
        found = numbers.distribution(self.logits)
        result: Vector = (found @ found.T)[self.above]
        return result


class Evaluation:
    """The predictions of the work folder's students on utterances that they have not seen."""

    def __init__(self, data: Path, work: Path) -> None:
        self.utterances = labelled(data)
        self.labels = np.array([u.label for u in self.utterances])
        self.fold = np.array(folds(self.utterances))
        self._work = work

    def held(self, seed: int) -> list[Held]:
        """Each fold's held-out utterances that have a strategy, by the student of a seed as it ships."""
        found = []
        for fold in range(FOLDS):
            here = (self.fold == fold) & (self.labels != ASIDE)
            rows = np.load(self._work / f"served-fold{fold}-seed{seed}.npy")[: len(self.utterances)]
            found.append(Held(rows[here, : len(LABELS)], self.labels[here], self.priors(fold)))
        return found

    def priors(self, fold: int | None) -> Vector:
        """The strategies' shares outside a fold, or everywhere."""
        known = self.labels != ASIDE
        here = known if fold is None else known & (self.fold != fold)
        counts = np.bincount(self.labels[here], minlength=len(LABELS))
        found: Vector = counts / counts.sum()
        return found

    def calibration(self) -> Calibration:
        """The calibration that ships: that of all folds and seeds."""
        return calibrate([one for seed in STUDENT_SEEDS for one in self.held(seed)], self.priors(None))


def calibrate(held: Sequence[Held], priors: Vector) -> Calibration:
    """The temperature that orders the pairs of these folds best, and their probabilities under it, both
    kinds of pairs weighing the same."""
    found = []
    for temperature in TEMPERATURES:
        odds, alike, apart = _binned(held, temperature)
        order = float(alike @ (np.cumsum(apart) - apart / 2))
        found.append((order, Calibration(priors, PRIOR_POWER, temperature, *_isotonic(odds, alike, apart))))
    return max(found, key=lambda one: one[0])[1]


def _binned(held: Sequence[Held], temperature: float) -> tuple[Vector, Vector, Vector]:
    """The log odds of all pairs in fine steps. Pairs that share a strategy and those that do not have a mass of one half each."""
    edges = np.linspace(-FURTHEST, FURTHEST, STEPS + 1)
    counts = np.zeros((2, STEPS))
    for fold in held:
        odds, same = np.clip(log_odds(fold.shared(temperature)), -FURTHEST, FURTHEST), fold.same
        counts += [np.histogram(odds[kind], edges)[0] for kind in (same, ~same)]
    alike, apart = 0.5 * counts / counts.sum(axis=1, keepdims=True)
    return (edges[1:] + edges[:-1]) / 2, alike, apart


def _isotonic(odds: Vector, alike: Vector, apart: Vector) -> tuple[Vector, Vector]:
    """Mean log odds and share alike of `KNOTS` groups of equal mass, the shares never falling: groups
    that would are joined."""
    mass = alike + apart
    group = np.minimum((np.cumsum(mass) - mass / 2) * KNOTS, KNOTS - 1).astype(int)
    sums = np.stack([np.bincount(group, part, KNOTS) for part in (mass * odds, alike, mass)])
    sums = sums[:, sums[2] > 0]
    rising = isotonic_regression(sums[1] / sums[2], sample_weight=sums[2])
    _, joined = np.unique(rising, return_inverse=True)
    table = np.stack([np.bincount(joined, part) for part in sums])
    return table[0] / table[2], table[1] / table[2]


def quality(held: Held, calibration: Calibration) -> dict[str, float]:
    """Return what the classifier is worth on a fold's pairs. `equal` weighs the strategies of the shared pairs the same, whatever
    their number."""
    chances, same = calibration.probability(held.shared(calibration.temperature)), held.same
    same_predicted = chances >= 0.5
    recall, specificity = float(same_predicted[same].mean()), float((~same_predicted[~same]).mean())
    accuracy = (recall + specificity) / 2
    likeliest = calibration.distribution(held.logits).argmax(1)
    own = held.labels[held.above[0]]
    recalls = [same_predicted[same & (own == label)].mean() for label in np.unique(own[same])]
    return {
        "accuracy": accuracy,
        "kappa": 2 * accuracy - 1,
        "recall": recall,
        "specificity": specificity,
        "area": float(roc_auc_score(same, chances)),
        "equal": float((np.mean(recalls) + specificity) / 2),
        "labels": float((likeliest == held.labels).mean()),
        "macro_f1": float(f1_score(held.labels, likeliest, labels=np.unique(held.labels), average="macro")),
        "pairs": len(same),
    }


def main() -> None:
    """Print each fold's quality under the calibration that the other folds' held-out utterances give."""
    asked = read_paths(__doc__, "data", "work")
    evaluation = Evaluation(asked.data, asked.work)
    for seed in STUDENT_SEEDS:
        held = evaluation.held(seed)
        for fold, one in enumerate(held):
            others = [other for other in held if other is not one]
            found = quality(one, calibrate(others, one.priors))
            print(json.dumps({"seed": seed, "fold": fold + 1, **found}))


if __name__ == "__main__":
    main()
