"""Imports of texts, for tests of formats."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from service.importing.entries import Fault
from service.importing.formats import AUTO
from service.importing.imported import Imported, Wanted
from service.importing.importer import Import
from tools.format_samples import Line

Said = Sequence[tuple[str, str]]

SAID: list[Line] = [
    ("user", "A quiet film, please"),
    ("assistant", "Try Paper Lanterns (2009)"),
    ("user", "No, another"),
    ("assistant", "Then Glass Harvest (2018)"),
]


@dataclass
class Read:
    """The result of an import."""

    made: list[Imported]
    faults: list[Fault]
    summary: list[str]
    around: dict[str, int] = field(default_factory=dict)

    @property
    def one(self) -> Imported:
        """The only log. Fails where there are more or fewer, or faults."""
        assert not self.faults, list(map(str, self.faults))
        (imported,) = self.made
        return imported

    @property
    def refusal(self) -> str:
        """The first fault. Fails where a log was made."""
        assert not self.made
        return str(self.faults[0])


def read(content: str | bytes, source: str = AUTO, wanted: Wanted | None = None) -> Read:
    """Return what an import makes of a file `data` with this content."""
    data = content.encode() if isinstance(content, str) else content
    under_way = Import([("data", data)], source, wanted or Wanted())
    made = list(under_way.logs())
    return Read(made, under_way.faults, under_way.summary, dict(under_way.left))


def read_values(*values: Any, source: str = AUTO, wanted: Wanted | None = None) -> Read:
    """The same for JSON Lines of these values."""
    return read("".join(json.dumps(value) + "\n" for value in values), source, wanted)


def said_in(imported: Imported) -> list[tuple[str, str]]:
    """Return who says what in a log, calls of tools and their results left out."""
    return [(message["role"], message["content"]) for message in imported.log["messages"] if is_said(message)]


def is_said(message: Any) -> bool:
    """Return whether the user wrote or saw something of a message."""
    tools = {part["type"] for part in message.get("parts", ())} & {"tool_call", "tool_result"}
    return message["role"] != "tool" and bool(
        message["content"] or message.get("recommendations") or not tools
    )


def parts_in(imported: Imported) -> list[Any]:
    """The parts of every message that has some."""
    return [message["parts"] for message in imported.log["messages"] if "parts" in message]
