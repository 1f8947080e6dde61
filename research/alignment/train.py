"""Train and cross-validate. Every step leaves a file in the work folder and is not done again.

    python -m research.alignment.train --data FOLDER --work FOLDER --step folds|final

A student learns from each label, joined with what teachers say who have not seen that label's dialogue (the folds take turns). It
also learns from what the teachers say together of text without labels. `folds`: for each fold the students of the other two, of
several seeds. `final`: the same on all dialogues; `ship` puts that student into the service."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray

from research.pack import save, stack_of_torch
from service.alignment.implicit import MAX_TOKENS
from service.encoder.encoder import FOLDER, Stack, arrays, words

from . import frozen
from .corpus import ASIDE, folds, labelled, unlabelled
from .encoder import Classifier, load_tokenizer, logits, pretrained, tokens
from .recipe import FOLDS, FROZEN_SHARE, LABEL_SHARE, SEEDS, STUDENT, STUDENT_SEEDS, TEACHER, TEMPERATURE
from .tuning import Lesson, tune

Matrix = NDArray[np.floating[Any]]
ALL = FOLDS
"""The number of a fold that is not there: nothing is held out."""


class Study:
    """The steps, each cached in the work folder. Rows are the labelled utterances, then the unlabelled
    ones. A teacher is named by the folds that taught it, a student by the fold that it has not seen."""

    def __init__(self, data: Path, work: Path) -> None:
        self.work = work
        self.utterances = labelled(data)
        other, dealt = unlabelled(data), folds(self.utterances)
        fold_of = {u.dialogue: fold for u, fold in zip(self.utterances, dealt, strict=True)}
        self.fold = np.array([*dealt, *(fold_of[dialogue] for dialogue, _ in other)])
        tokenizer = load_tokenizer()
        self.ids = tokens(tokenizer, [u.text for u in self.utterances])
        self.all_ids = self.ids + tokens(tokenizer, [text for _, text in other])

    def indices(self, taught: Sequence[int]) -> list[int]:
        """The labelled utterances of some folds."""
        return [i for i in range(len(self.ids)) if self.fold[i] in taught]

    def teacher(self, taught: Sequence[int], seed: int) -> Matrix:
        """Logits of a fine-tuned teacher."""

        def make() -> Matrix:
            return logits(tune(self.labels(self.indices(taught)), TEACHER, seed), self.all_ids)

        return self._kept(f"teacher-of{joined(taught)}-seed{seed}", make)

    def frozen(self, taught: Sequence[int]) -> Matrix:
        """Log probabilities of the frozen teacher."""

        def make() -> Matrix:
            known = [i for i in self.indices(taught) if self.utterances[i].label != ASIDE]
            rows = self._kept("features", lambda: frozen.features(self.all_ids))
            return frozen.fit(rows[known], [self.utterances[i].label for i in known], rows)

        return self._kept(f"frozen-of{joined(taught)}", make)

    def said(self, taught: Sequence[int]) -> Matrix:
        """Return what the teachers of some folds say together: a geometric mean of the strategies' shares,
        as logarithms, and the mean logit of any strategy."""
        teachers = [self.teacher(taught, seed) for seed in SEEDS]
        tuned = np.mean([log_softmax(rows[:, :-1]) for rows in teachers], axis=0)
        shares = FROZEN_SHARE * self.frozen(taught) + (1 - FROZEN_SHARE) * tuned
        return np.column_stack([shares, np.mean([rows[:, -1] for rows in teachers], axis=0)])

    def lesson(self, held: int) -> Lesson:
        """Return what a student learns that does not see the fold `held`: of a labelled utterance its
        label and what teachers say who have not seen its dialogue; of another what all those teachers say."""
        seen = outside(held)
        blind = {fold: self.said(outside(held, fold)) for fold in seen}
        joint = np.mean(list(blind.values()), axis=0)
        known = self.indices(seen)
        for i in known:
            joint[i] = blind[self.fold[i]][i]
        targets = np.exp(log_softmax(joint[:, :-1] / TEMPERATURE))
        other = [i for i in range(len(self.ids), len(self.all_ids)) if self.fold[i] in seen]
        plain = self.labels(known)
        mixed = LABEL_SHARE * plain.wanted + (1 - LABEL_SHARE) * targets[known]
        present = np.concatenate([plain.strategic, 1 / (1 + np.exp(-joint[other, -1]))])
        ids = [self.all_ids[i] for i in [*known, *other]]
        return Lesson(ids, np.concatenate([mixed, targets[other]]), present, counts=present)

    def served(self, held: int, seed: int) -> Matrix:
        """Logits of a student as the service computes them, from 8-bit weights."""

        def make() -> Matrix:
            path = self.work / f"served-fold{held}-seed{seed}.npz"
            weights = {name: each.numpy() for name, each in self.tuned(held, seed).state_dict().items()}
            packed = stack_of_torch(weights)
            packed["places"] = packed["places"][:MAX_TOKENS]
            save(path, packed | {"head.weight": weights["head.weight"].T, "head.bias": weights["head.bias"]})
            stored = arrays(path)
            means = Stack(words(FOLDER), stored).means(self.ids)
            found: Matrix = means @ stored["head.weight"] + stored["head.bias"]
            return found

        return self._kept(f"served-fold{held}-seed{seed}", make)

    def tuned(self, held: int, seed: int) -> Classifier:
        """The student itself, from its file or trained now."""
        path = self.work / f"student-fold{held}-seed{seed}.pt"
        if not path.exists():
            torch.save(tune(self.lesson(held), STUDENT, seed).state_dict(), path)
        model = pretrained()
        model.load_state_dict(torch.load(path))
        model.eval()
        return model

    def labels(self, indices: Sequence[int]) -> Lesson:
        """The lesson of the labels alone."""
        return Lesson.of_labels([self.ids[i] for i in indices], [self.utterances[i] for i in indices])

    def _kept(self, name: str, make: Callable[[], Matrix]) -> Matrix:
        path = self.work / f"{name}.npy"
        if not path.exists():
            found = make()
            np.save(path, found)
            print("done", name, flush=True)
        kept: Matrix = np.load(path)
        return kept


def outside(*held: int) -> tuple[int, ...]:
    """The folds beside these."""
    return tuple(fold for fold in range(FOLDS) if fold not in held)


def joined(taught: Sequence[int]) -> str:
    """Folds as they stand in a file's name."""
    return "".join(map(str, taught))


def log_softmax(given: Matrix) -> Matrix:
    """Row-wise log of the softmax."""
    shifted = given - given.max(axis=-1, keepdims=True)
    result: Matrix = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def main() -> None:
    """Go through the steps that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--step", choices=["folds", "final"], default="folds")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    asked.work.mkdir(parents=True, exist_ok=True)
    study = Study(asked.data, asked.work)
    if asked.step == "final":
        study.served(ALL, STUDENT_SEEDS[0])
        return
    for seed in STUDENT_SEEDS:
        for fold in range(FOLDS):
            study.served(fold, seed)


if __name__ == "__main__":
    main()
