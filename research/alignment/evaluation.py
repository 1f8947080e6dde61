"""The cross-validation's files as folds of held-out utterances. Needs no torch.

    python -m research.alignment.evaluation --data FOLDER --work FOLDER

Prints the quality of the student that ships, in 8 bits, for each seed and fold."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from .corpus import ASIDE, LABELS, folds, labelled
from .measures import Held, Quality, Vector, calibrate, quality
from .recipe import FOLDS, STUDENT_SEEDS


def served_name(seed: int) -> str:
    """A student's file, in 8 bits as it ships."""
    return f"served-fold{{fold}}-seed{seed}"


class Evaluation:
    """The predictions of the work folder's models on utterances that they have not seen. A model is named
    by its file, with `{fold}` for the number of the fold held out."""

    def __init__(self, data: Path, work: Path) -> None:
        self.utterances = labelled(data)
        self.labels = np.array([u.label for u in self.utterances])
        self.fold = np.array(folds(self.utterances))
        self._work = work

    def held(self, name: str) -> list[Held]:
        """Each fold's held-out utterances that have a strategy."""
        tested = [(self.fold == fold) & (self.labels != ASIDE) for fold in range(FOLDS)]
        return [
            Held(self._rows(name, fold)[here, : len(LABELS)], self.labels[here], self.priors(fold))
            for fold, here in enumerate(tested)
        ]

    def served(self) -> list[Held]:
        """Each fold's held-out utterances, by the students of every seed as they ship."""
        return [held for seed in STUDENT_SEEDS for held in self.held(served_name(seed))]

    def priors(self, fold: int | None) -> Vector:
        """The strategies' shares outside a fold, or everywhere."""
        known = self.labels != ASIDE
        here = known if fold is None else known & (self.fold != fold)
        counts = np.bincount(self.labels[here], minlength=len(LABELS))
        found: Vector = counts / counts.sum()
        return found

    def _rows(self, name: str, fold: int) -> Vector:
        """Return what a model says of all labelled utterances."""
        found: Vector = np.load(self._work / f"{name.format(fold=fold)}.npy")[: len(self.utterances)]
        return found


def qualities(held: Sequence[Held]) -> list[Quality]:
    """Each fold's quality under the calibration that the other folds' held-out utterances give."""
    fitted = [
        calibrate([one for other, one in enumerate(held) if other != fold], held[fold].priors)
        for fold in range(len(held))
    ]
    return [quality(one, calibration) for one, calibration in zip(held, fitted, strict=True)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    asked = parser.parse_args()
    evaluation = Evaluation(asked.data, asked.work)
    for seed in STUDENT_SEEDS:
        for fold, found in enumerate(qualities(evaluation.held(served_name(seed))), 1):
            print(json.dumps({"seed": seed, "fold": fold, **asdict(found)}))


if __name__ == "__main__":
    main()
