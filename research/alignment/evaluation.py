"""The cross-validation's files as folds of held-out utterances. Needs no torch."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.alignment.implicit import Calibration

from .corpus import ASIDE, LABELS, folds, labelled, unlabelled
from .measures import PRIOR_POWER, Held, Quality, Vector, calibrate, quality
from .recipe import FOLDS, FROZEN_SHARE, SEEDS, STUDENT_SEEDS

FROZEN = "frozen-of{rest}"


def served_name(seed: int) -> str:
    """A student's file, in 8 bits as it ships."""
    return f"served-fold{{fold}}-seed{seed}"


def student_name(seed: int) -> str:
    """The same in full precision."""
    return f"student-fold{{fold}}-seed{seed}"


def teacher_name(seed: int, share: float = 1.0) -> str:
    """A teacher's file; `share` of the dialogues outside the fold taught it."""
    part = "" if share == 1 else f"-share{share:g}"
    return f"teacher{part}-of{{rest}}-seed{seed}"


class Evaluation:
    """The predictions of the work folder's models on utterances that they have not seen. A model is named
    by its file, with `{fold}` for the number of the fold held out, `{rest}` for the others."""

    def __init__(self, data: Path, work: Path) -> None:
        self.utterances = labelled(data)
        self.labels = np.array([u.label for u in self.utterances])
        self.fold = np.array(folds(self.utterances))
        self.unlabelled = len(unlabelled(data))
        self._work = work

    def has(self, name: str) -> bool:
        """Return whether all folds of a model are there."""
        return all(self._path(name, fold).exists() for fold in range(FOLDS))

    def rows(self, name: str, fold: int) -> Vector:
        """Return what a model says of all labelled utterances."""
        found: Vector = np.load(self._path(name, fold))[: len(self.utterances)]
        return found

    def held(self, name: str) -> list[Held]:
        """Each fold's held-out utterances that have a strategy."""
        return self.held_of([self.rows(name, fold)[:, : len(LABELS)] for fold in range(FOLDS)])

    def held_of(self, rows: Sequence[Vector]) -> list[Held]:
        """The same from each fold's rows."""
        tested = [(self.fold == fold) & (self.labels != ASIDE) for fold in range(FOLDS)]
        return [
            Held(found[here], self.labels[here], self.priors(fold))
            for fold, (found, here) in enumerate(zip(rows, tested, strict=True))
        ]

    def taught(self, fold: int) -> Vector:
        """Return what the teachers of a fold say together: their geometric mean."""
        tuned = [log_softmax(self.rows(teacher_name(seed), fold)[:, : len(LABELS)]) for seed in SEEDS]
        found: Vector = FROZEN_SHARE * self.rows(FROZEN, fold) + (1 - FROZEN_SHARE) * np.mean(tuned, axis=0)
        return found

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

    def aside(self, name: str) -> tuple[Vector, NDArray[np.bool_]]:
        """The logits of having any strategy, and whether the utterance has one; all folds."""
        rows = [self.rows(name, fold)[self.fold == fold, -1] for fold in range(FOLDS)]
        truth = [self.labels[self.fold == fold] != ASIDE for fold in range(FOLDS)]
        return np.concatenate(rows), np.concatenate(truth)

    def _path(self, name: str, fold: int) -> Path:
        rest = "".join(str(other) for other in range(FOLDS) if other != fold)
        return self._work / f"{name.format(fold=fold, rest=rest)}.npy"


def log_softmax(logits: Vector) -> Vector:
    """Row-wise log of the softmax."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    found: Vector = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return found


def cross_fitted(held: Sequence[Held], power: float = PRIOR_POWER) -> list[Calibration]:
    """For each fold the calibration that the other folds' held-out utterances give."""
    return [
        calibrate([one for other, one in enumerate(held) if other != fold], held[fold].priors, power)
        for fold in range(len(held))
    ]


def qualities(held: Sequence[Held], power: float = PRIOR_POWER) -> tuple[list[Quality], list[Calibration]]:
    """Each fold's quality under its cross-fitted calibration."""
    fitted = cross_fitted(held, power)
    return [quality(one, calibration) for one, calibration in zip(held, fitted, strict=True)], fitted
