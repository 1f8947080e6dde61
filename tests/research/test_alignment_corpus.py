"""The corpus of the pair classifier, on dialogues of our own."""

import json
from pathlib import Path

import pytest

from research.alignment.corpus import folds, labelled, unlabelled

DIALOGUES = [
    {
        "id": "a",
        "utterances": [
            {"role": "assistant", "content": "Hello there!", "strategy": "no_strategy"},
            {"role": "user", "content": "Hello there!"},
            {"role": "user", "content": "Something  quiet, please."},
            {"role": "assistant", "content": "Which kind of quiet?", "strategy": "opinion_inquiry"},
        ],
    },
    {
        "id": "b",
        "utterances": [
            {"role": "user", "content": "something quiet, please."},
            {"role": "user", "content": " "},
            {"role": "assistant", "content": "Same here.", "strategy": "similarity"},
        ],
    },
    {"id": "c", "utterances": [{"role": "assistant", "content": "Go!", "strategy": "encouragement"}]},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with these dialogues."""
    (tmp_path / "inspired.jsonl").write_text("\n".join(map(json.dumps, DIALOGUES)) + "\n", "utf-8")
    return tmp_path


def test_users_texts_come_once_and_not_if_a_recommender_says_them(data: Path) -> None:
    assert unlabelled(data) == [("a", "something quiet, please.")]


def test_a_dialogue_is_never_split(data: Path) -> None:
    found = folds(labelled(data))
    assert found[0] == found[1]
    assert sorted({found[0], found[2], found[3]}) == [0, 1, 2]
