"""All conversations at hand, each with its family: what is learned from some families is measured on another."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.encoder.belonging import Spoken

FILES = (
    "crsarena_eval.dev.jsonl", "uss_redial.dev.jsonl", "inspired.jsonl", "iard.jsonl", "uss_sgd.dev.jsonl",
    "uss_ccpe.dev.jsonl", "cosrec.dev.jsonl", "concept_redial.sample.jsonl", "concept_opendialkg.sample.jsonl",
)  # fmt: skip
#: Files whose conversations are of one family; those of the other files are distinguished by their system.
FAMILY_OF_FILE = {
    "uss_redial.dev.jsonl": "people", "inspired.jsonl": "people", "iard.jsonl": "people",
    "uss_sgd.dev.jsonl": "SGD", "uss_ccpe.dev.jsonl": "interviews", "cosrec.dev.jsonl": "products",
}  # fmt: skip
FAMILIES = ("ChatGPT", "weak systems", "SGD", "products", "people", "interviews")
#: Files that are learned from and not measured on: both sides are simulated.
SIMULATED = ("concept_redial.sample.jsonl", "concept_opendialkg.sample.jsonl")


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, the group whose replies may be exchanged, and its family."""

    spoken: tuple[Spoken, ...]
    group: str
    family: str
    measured: bool


def conversations(folder: Path) -> Iterator[Talk]:
    """The conversations of the folder's files, in a fixed order."""
    for name in FILES:
        if (path := folder / name).exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                yield _talk(name, json.loads(line))


def _talk(name: str, row: dict[str, Any]) -> Talk:
    system = str(row.get("system") or "human")
    family = FAMILY_OF_FILE.get(name) or ("ChatGPT" if "chatgpt" in system else "weak systems")
    said = row.get("messages") or row["utterances"]
    return Talk(
        tuple((each["role"] == "user", each["content"]) for each in said),
        f"{name} {system if name not in FAMILY_OF_FILE else ''}",
        family,
        name not in SIMULATED,
    )
