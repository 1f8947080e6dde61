"""All conversations that the heads are taught with, whatever file they are in, and our own phrases."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Files of conversations: with labels of acts, and with ratings of satisfaction at every message of a user, by family.
LABELLED = "iard.jsonl"
RATED = {
    "human": "uss_redial.dev.jsonl",
    "tasks": "uss_sgd.dev.jsonl",
    "interviews": "uss_ccpe.dev.jsonl",
}
#: Parts that the conversations of people are split into, each left out as a family: other sets share dialogues with them.
PARTS = 5
PHRASES = Path(__file__).parent / "phrases.jsonl"
_YEAR = re.compile(r"\s*\((?:18|19|20)\d\d\)")


def family(name: str, index: int) -> str:
    """The family that the rated conversation at that place belongs to."""
    return f"{name} {index % PARTS}" if name == "human" else name


#: All of them: each is read by what saw none of it.
RATED_FAMILIES = tuple(dict.fromkeys(family(name, index) for name in RATED for index in range(PARTS)))


def talks(data: Path, files: tuple[str, ...] = (LABELLED, *RATED.values())) -> Iterator[Mapping[str, Any]]:
    """The conversations of those of the files that are at hand."""
    for name in files:
        if (path := data / name).exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.strip():
                    yield json.loads(line)


def messages_of(talk: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Role and text of every message."""
    return [(each["role"], each["content"]) for each in talk["messages"]]


def untitled(text: str) -> str:
    """A text without the years that mark titles: elsewhere titles carry none."""
    return _YEAR.sub("", text)


@dataclass(frozen=True)
class Phrase:
    """A sentence of our own: who says it, the kind that tests ask for, and its acts of `VARIED`."""

    side: str
    kind: str
    text: str
    acts: frozenset[str]


def phrases() -> list[Phrase]:
    """All of our own phrases."""
    lines = map(json.loads, PHRASES.read_text(encoding="utf-8").splitlines())
    return [Phrase(each["side"], each["kind"], each["text"], frozenset(each["acts"])) for each in lines]
