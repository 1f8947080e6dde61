"""All conversations that the learned acts are taught with, whatever file they are in."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

#: Files of conversations: with labels of acts, with ratings of satisfaction, and all that are without labels of acts.
LABELLED = "iard.jsonl"
RATED = "uss_redial.dev.jsonl"
OTHERS = (
    RATED,
    "crsarena_eval.dev.jsonl",
    "inspired.jsonl",
    "concept_redial.sample.jsonl",
    "concept_opendialkg.sample.jsonl",
)
#: Parts that the conversations with ratings are split into: each is read by models that saw none of it.
PARTS = 5


def part(index: int) -> int:
    """The part that the conversation at that place belongs to."""
    return index % PARTS


def talks(data: Path, files: tuple[str, ...] = (LABELLED, *OTHERS)) -> Iterator[Mapping[str, Any]]:
    """The conversations of those of the files that are at hand."""
    for name in files:
        if (path := data / name).exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.strip():
                    yield json.loads(line)


def messages_of(talk: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Role and text of every message."""
    return [(each["role"], each["content"]) for each in talk.get("messages") or talk.get("utterances") or ()]
