"""The utterances that the classifier learns from, and how dialogues are dealt to folds."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.alignment.implicit import normalise
from service.alignment.strategies import NO_STRATEGY, STRATEGIES

from .recipe import FOLDS

LABELS = tuple(strategy.slug for strategy in STRATEGIES)
ASIDE = -1
"""The label of an utterance without a strategy."""


@dataclass(frozen=True)
class Utterance:
    """One utterance of a human recommender; `label` indexes LABELS, or is ASIDE."""

    dialogue: str
    text: str
    label: int


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def labelled(data: Path) -> list[Utterance]:
    """INSPIRED's recommender utterances, in the file's order."""
    index = {slug: number for number, slug in enumerate(LABELS)} | {NO_STRATEGY: ASIDE}
    return [
        Utterance(row["id"], normalise(said["content"]), index[said["strategy"]])
        for row in read_rows(data / "inspired.jsonl")
        for said in row["utterances"]
        if said["role"] == "assistant"
    ]


def folds(utterances: Sequence[Utterance]) -> list[int]:
    """The fold of each utterance: whole dialogues are dealt out, in an order fixed by their ids."""
    names = sorted({u.dialogue for u in utterances}, key=lambda name: hashlib.sha256(name.encode()).digest())
    dealt = {name: number % FOLDS for number, name in enumerate(names)}
    return [dealt[u.dialogue] for u in utterances]


def unlabelled(data: Path) -> list[tuple[str, str]]:
    """Return what INSPIRED's users say, with its dialogue: each text once, and none that a recommender
    says."""
    labels = {utterance.text for utterance in labelled(data)}
    found: dict[str, str] = {}
    for row in read_rows(data / "inspired.jsonl"):
        for said in row["utterances"]:
            text = normalise(said["content"])
            if said["role"] == "user" and text and text not in labels:
                found.setdefault(text, row["id"])
    return [(dialogue, text) for text, dialogue in found.items()]
