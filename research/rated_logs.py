"""Conversations that people have rated, and the correlation of what a judge says with what they said."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog, Item, Message, Role, User

#: The collections that the systems were trained on, as the second half of their names.
HALVES = ("redial", "opendialkg")


@dataclass
class Pairs:
    """Label and output of the same thing, with the system that it is of."""

    label: list[float] = field(default_factory=list)
    output: list[float] = field(default_factory=list)
    system: list[str] = field(default_factory=list)

    def add(self, label: float, output: float, system: str) -> None:
        """One more pair."""
        self.label.append(label)
        self.output.append(output)
        self.system.append(system)

    def of(self, *parts: str) -> "Pairs":
        """The pairs of the systems whose name holds one of `parts`."""
        chosen = Pairs()
        for label, output, system in zip(self.label, self.output, self.system, strict=True):
            if any(part in system for part in parts):
                chosen.add(label, output, system)
        return chosen

    @property
    def pearson(self) -> float | None:
        """Pearson over all pairs."""
        return pearson(self.label, self.output)

    @property
    def within(self) -> float | None:
        """Pearson after each system's own means are taken off: what knowing the system does not tell."""
        label, output = list(self.label), list(self.output)
        for system in set(self.system):
            rows = [i for i, name in enumerate(self.system) if name == system]
            for column in (label, output):
                mean = statistics.fmean(column[i] for i in rows)
                for i in rows:
                    column[i] -= mean
        return pearson(label, output)


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's r; None of fewer than ten pairs, or where one side never varies."""
    if len(first) < 10 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    try:
        return statistics.correlation(first, second)
    except statistics.StatisticsError:
        return None


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def to_log(record: Mapping[str, Any]) -> ConversationLog:
    """A record as a log, its labels left behind."""
    user = record.get("user")
    return ConversationLog(
        messages=tuple(
            Message(
                Role(message["role"]),
                message["content"],
                None if message.get("recommendations") is None else tuple(message["recommendations"]),
            )
            for message in record["messages"]
        ),
        id=record["id"],
        system=record["system"],
        domain=record.get("domain") or ConversationLog.domain,
        user=User(attributes=tuple(user.get("attributes") or ())) if user else None,
    )


def catalogue(path: Path) -> Catalogue:
    """A catalogue's items, indexed."""
    return Catalogue.of(
        [
            Item(title=row["title"], attributes={k: tuple(v) for k, v in row["attributes"].items()})
            for row in read_lines(path)
        ]
    )
