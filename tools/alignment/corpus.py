"""The utterances that the classifier learns from, and how dialogues are dealt to folds."""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.alignment.strategies import NO_STRATEGY, STRATEGIES
from service.alignment.utterance import normalise

from .recipe import FOLDS, NEAR_DUPLICATE, UNLABELLED

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


def folds(utterances: Sequence[Utterance], count: int = FOLDS) -> list[int]:
    """The fold of each utterance: whole dialogues are dealt out, in an order fixed by their ids."""
    names = sorted({u.dialogue for u in utterances}, key=lambda name: hashlib.sha256(name.encode()).digest())
    dealt = {name: number % count for number, name in enumerate(names)}
    return [dealt[u.dialogue] for u in utterances]


def unlabelled(data: Path) -> list[str]:
    """Utterances of human recommenders in other dialogues."""
    texts = dict.fromkeys(
        normalise(message["content"])
        for name in ("iard.jsonl", "uss_redial.dev.jsonl")
        for row in read_rows(data / name)
        for message in row["messages"]
        if message["role"] == "assistant"
    )
    kept = [text for text in texts if text]
    random.Random(0).shuffle(kept)
    return kept[:UNLABELLED]


def twins(texts: Sequence[str], others: Sequence[str]) -> set[int]:
    """Which of `texts` are the same as one of `others`, or nearly so."""
    grams = [_grams(other) for other in others]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(grams):
        for gram in found:
            holders[gram].append(number)
    close = set()
    for index, text in enumerate(texts):
        own, shared = _grams(text), defaultdict[int, int](int)
        for gram in own:
            for number in holders.get(gram, ()):
                shared[number] += 1
        if any(n / (len(own) + len(grams[k]) - n) >= NEAR_DUPLICATE for k, n in shared.items()):
            close.add(index)
    return close


def _grams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))
