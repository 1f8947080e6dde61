"""Train and cross-validate. Every step leaves a file in the work folder and is not done again.

    python -m tools.alignment.train --data FOLDER --work FOLDER --step folds|final|curve

`folds`: for each fold teachers of several seeds and the frozen one, then the student that learns
from them. `final`: the same on all dialogues; `ship` puts that student into the service. `curve`:
teachers of a quarter and half of the dialogues."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray

from . import frozen
from .corpus import ASIDE, Utterance, folds, labelled, twins, unlabelled
from .encoder import Classifier, load_tokenizer, logits, pretrained, tokens
from .export import save, served_logits
from .recipe import CURVE, FOLDS, FROZEN_SHARE, SEEDS, STUDENT, TEACHER, TEMPERATURE
from .tuning import Lesson, tune

Matrix = NDArray[np.floating[Any]]
ALL = -1
"""The fold that holds nothing out."""


class Study:
    """The steps, each cached as an array of the work folder. Rows are the labelled utterances, then
    the unlabelled ones."""

    def __init__(self, data: Path, work: Path) -> None:
        self.work = work
        self.utterances = labelled(data)
        self.fold = np.array(folds(self.utterances))
        self.tokenizer = load_tokenizer()
        self.other = unlabelled(data)
        self.ids = tokens(self.tokenizer, [u.text for u in self.utterances])
        self.other_ids = tokens(self.tokenizer, self.other)

    def training(self, fold: int, share: float = 1.0) -> list[int]:
        """Indices to learn from: all but the fold's, or the first `share` of their dialogues."""
        kept = [i for i in range(len(self.utterances)) if self.fold[i] != fold]
        dialogues = list(dict.fromkeys(self.utterances[i].dialogue for i in kept))
        chosen = set(dialogues[: round(share * len(dialogues))])
        return [i for i in kept if self.utterances[i].dialogue in chosen]

    def extra(self, fold: int) -> list[int]:
        """Indices of the unlabelled utterances to learn from: those that no held-out one resembles."""
        held = [u.text for u, f in zip(self.utterances, self.fold, strict=True) if f == fold]
        close = twins(self.other, held)
        return [index for index in range(len(self.other)) if index not in close]

    def teacher(self, fold: int, seed: int, share: float = 1.0) -> Matrix:
        """Logits of a fine-tuned teacher."""
        part = "" if share == 1 else f"-share{share:g}"

        def make() -> Matrix:
            indices = self.training(fold, share)
            model = tune(self._lesson(indices), TEACHER, seed)
            return logits(model, self.ids + ([] if share < 1 else self.other_ids))

        return self._kept(f"teacher{part}-fold{fold}-seed{seed}", make)

    def frozen(self, fold: int) -> Matrix:
        """Log probabilities of the frozen teacher."""

        def make() -> Matrix:
            known = [i for i in self.training(fold) if self.utterances[i].label != ASIDE]
            rows = self._kept("features", lambda: frozen.features([*self.ids, *self.other_ids]))
            return frozen.fit(rows[known], [self.utterances[i].label for i in known], rows)

        return self._kept(f"frozen-fold{fold}", make)

    def student(self, fold: int, seed: int = 0) -> Matrix:
        """Logits of the student of all the fold's teachers, in full precision."""
        return self._kept(f"student-fold{fold}-seed{seed}", lambda: logits(self.tuned(fold, seed), self.ids))

    def served(self, fold: int, seed: int = 0) -> Matrix:
        """Logits of the same student as it would be shipped, in 8 bits."""

        def make() -> Matrix:
            path = self.work / f"served-fold{fold}-seed{seed}.onnx"
            save(self.tuned(fold, seed), path)
            return served_logits(path, self.ids)

        return self._kept(f"served-fold{fold}-seed{seed}", make)

    def tuned(self, fold: int, seed: int = 0) -> Classifier:
        """The student itself, from its file or trained now."""
        path = self.work / f"student-fold{fold}-seed{seed}.pt"
        if not path.exists():
            torch.save(tune(self.distilled(fold), STUDENT, seed).state_dict(), path)
        model = pretrained()
        model.load_state_dict(torch.load(path))
        model.eval()
        return model

    def distilled(self, fold: int) -> Lesson:
        """What the student learns: on labelled text the mean of label and teachers, on other text
        the teachers alone, who count there as far as they see a strategy at all."""
        said, strategic = self.taught(fold)
        indices, extra = self.training(fold), self.extra(fold)
        rows = [*indices, *(len(self.ids) + index for index in extra)]
        of_labels = self._lesson(indices)
        wanted, known = said[rows], len(indices)
        wanted[:known] = (wanted[:known] + of_labels.wanted) / 2
        present = strategic[rows]
        present[:known] = of_labels.strategic
        counts = present.copy()
        return Lesson([*of_labels.ids, *(self.other_ids[i] for i in extra)], wanted, present, counts)

    def taught(self, fold: int) -> tuple[Matrix, Matrix]:
        """The teachers' joint distribution over strategies (a tempered geometric mean), and their
        share of strategy at all, for every row."""
        teachers = [self.teacher(fold, seed) for seed in SEEDS]
        tuned = np.mean([log_softmax(t[:, :-1]) for t in teachers], axis=0)
        said = FROZEN_SHARE * self.frozen(fold) + (1 - FROZEN_SHARE) * tuned
        present = np.mean([t[:, -1] for t in teachers], axis=0)
        return np.exp(log_softmax(said / TEMPERATURE)), 1 / (1 + np.exp(-present))

    def _lesson(self, indices: Sequence[int]) -> Lesson:
        chosen: list[Utterance] = [self.utterances[i] for i in indices]
        return Lesson.of_labels([self.ids[i] for i in indices], chosen)

    def _kept(self, name: str, make: Callable[[], Matrix]) -> Matrix:
        path = self.work / f"{name}.npy"
        if not path.exists():
            found = make()
            np.save(path, found)
            print("done", name, flush=True)
        kept: Matrix = np.load(path)
        return kept


def log_softmax(given: Matrix) -> Matrix:
    """Row-wise log of the softmax."""
    shifted = given - given.max(axis=-1, keepdims=True)
    result: Matrix = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def cross_validate(study: Study) -> None:
    """The student of every fold, with all that it learns from."""
    for fold in range(FOLDS):
        study.student(fold)
        study.served(fold)


def learning_curve(study: Study) -> None:
    """Teachers of parts of the dialogues."""
    for share in CURVE:
        for fold in range(FOLDS):
            study.teacher(fold, SEEDS[0], share)


def main() -> None:
    """Go through the steps that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--step", choices=["folds", "final", "curve"], default="folds")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    asked.work.mkdir(parents=True, exist_ok=True)
    study = Study(asked.data, asked.work)
    steps = {"folds": cross_validate, "final": lambda study: study.served(ALL), "curve": learning_curve}
    steps[asked.step](study)


if __name__ == "__main__":
    main()
