"""The report's figures, on a work folder of our own making."""

import json
from pathlib import Path

import numpy as np
import pytest

from research.alignment.corpus import ASIDE, LABELS
from research.alignment.evaluation import Evaluation, qualities, served_name, teacher_name
from research.alignment.provenance import twice
from research.alignment.recipe import FOLDS, STUDENT_SEEDS
from research.alignment.report import headline


@pytest.fixture
def study(tmp_path: Path) -> Evaluation:
    """Nine dialogues, and students that are right more often than not."""
    chance = np.random.default_rng(0)
    rows = [
        {
            "id": f"dialogue {number}",
            "utterances": [
                {
                    "role": "assistant",
                    "content": f"text {number} {turn}",
                    "strategy": LABELS[turn % len(LABELS)].value,
                }
                for turn in range(2 * len(LABELS))
            ],
        }
        for number in range(9)
    ]
    (tmp_path / "inspired.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    evaluation = Evaluation(tmp_path, tmp_path)
    known = np.eye(len(LABELS))[evaluation.labels]
    for seed in STUDENT_SEEDS:
        for fold in range(FOLDS):
            logits = 3 * known + chance.normal(0, 1, known.shape)
            file = tmp_path / f"{served_name(seed).format(fold=fold)}.npy"
            np.save(file, np.column_stack([logits, np.ones(len(logits))]))
    return evaluation


def test_the_headline_is_the_mean_over_folds_and_seeds(study: Evaluation) -> None:
    by_seed = [
        [one.accuracy for one in qualities(study.held(served_name(seed)))[0]] for seed in STUDENT_SEEDS
    ]
    told = headline(study)
    assert f"| mean | {3 * 78 * 77 // 2:,} | {np.mean(by_seed):.3f} |" in told
    for seed, row in zip(STUDENT_SEEDS, by_seed, strict=True):
        assert f"| {seed} | {row[0]:.3f} | {row[1]:.3f} | {row[2]:.3f} | {np.mean(row):.3f} |" in told
    spread = np.std(np.mean(by_seed, axis=1), ddof=1)
    assert f"| {spread:.3f} |\n" in told


def test_every_seed_of_a_fold_is_held_out_there(study: Evaluation) -> None:
    found = study.served()
    assert len(found) == FOLDS * len(STUDENT_SEEDS)
    assert sum(len(one.labels) for one in found) == len(STUDENT_SEEDS) * int((study.labels != ASIDE).sum())


def test_a_teacher_is_read_from_the_folds_that_taught_it(study: Evaluation, tmp_path: Path) -> None:
    rows = np.zeros((len(study.labels), len(LABELS) + 1))
    for rest in ("12", "02"):
        np.save(tmp_path / f"teacher-of{rest}-seed0.npy", rows)
    assert not study.has(teacher_name(0))
    np.save(tmp_path / "teacher-of01-seed0.npy", rows + 1)
    assert study.has(teacher_name(0))
    assert study.rows(teacher_name(0), 2)[0, 0] == 1


def test_a_second_run_is_compared_file_by_file(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, last in ((one, b"x"), (other, b"y")):
        folder.mkdir()
        (folder / "a.npy").write_bytes(b"same")
        (folder / "b.npy").write_bytes(last)
    (one / "only here.npy").write_bytes(b"")
    (one / "taken over.npy").write_bytes(b"")
    (other / "taken over.npy").symlink_to(one / "taken over.npy")
    told = twice(one, other)
    assert "1 of 2 files of logits, 0 of 0 files of 8-bit students" in told
    assert "is `not made`" in told
    assert "Not measured" in twice(one, None)
