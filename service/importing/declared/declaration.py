"""A format as a TOML file declares it. A name that the file has and no field here is an error."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

from ..imported import UnreadableError
from .expressions import expression

Fields = Mapping[str, str]
"""Expressions by the field of a log or a message that they fill."""


@dataclass(frozen=True)
class Declaration:
    """A format. Everything without a type of its own is an expression in JMESPath."""

    name: str
    reads: str
    """The kind of files that it reads, as a sentence of the docs."""
    described: str
    """The address of its description."""
    fits: str = ""
    """True of an entry in this format."""
    reader: str = ""
    """The module of `readers` that recognises and reads it, where expressions do not suffice."""
    conversations: str = "@"
    """The conversations of an entry."""
    turns: str = ""
    """The objects of a conversation that hold its messages."""
    conversation: Fields = field(default_factory=dict)
    """Fields of a log, of its conversation."""
    messages: tuple[Fields, ...] = ()
    """The messages of a turn: fields of each, of the turn. A turn with several leaves out those without content. Where there are
    none, a turn is a message in a spelling that most formats have."""
    first: str = ""
    """The role that speaks first, where no turn says who speaks and both take turns."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Roles of a log by the format's own."""
    left: Fields = field(default_factory=dict)
    """Turns that are no messages, by the name under which they are counted."""
    beside: Fields = field(default_factory=dict)
    """Lists of a conversation whose length is counted under the name: what is no part of it."""
    needs: str = ""
    """True of a conversation that can be read; `fix` says what else it lacks."""
    rows: bool = False
    """True where each entry is a message, and the field `conversation` names its conversation."""
    trace: Fields = field(default_factory=dict)
    """Of an entry that is a trace: `id`, `session`."""
    steps: str = "@"
    """The steps of a trace."""
    step: Fields = field(default_factory=dict)
    """Of a step: `id`, `parent`, `trace`, `session`, `start`, `given`, `came`, `labels`; of a tool's `tool`, `call`, `failed`.
    Other names are metadata."""
    line: str = ""
    """A regular expression of one line of a text, where the format is one; its groups are the fields of a turn."""
    ends: str = ""
    """True of the last line of a conversation."""
    table: bool = False
    """True for a table, whose rows are the entries."""
    kinds: tuple[str, ...] = ()
    """Notations of its files, the usual one first, where `line` and `table` do not tell."""
    fix: str = ""
    """Advice on what the file lacks, where it cannot be read."""
    general: bool = False
    """True for a shape that many formats have."""
    limits: tuple[str, ...] = ()
    sample: Mapping[str, str] = field(default_factory=dict)

    def claims(self, value: Any) -> bool:
        """Return whether a value is in this format."""
        if self.line:
            return isinstance(value, str) and self._is_text(value)
        try:
            return isinstance(value, dict | list) and bool(expression(self.fits)(value))
        except UnreadableError:
            return False

    def _is_text(self, text: str) -> bool:
        lines = [line for line in text[:20_000].split("\n")[:20] if line.strip()]
        return bool(lines) and all(re.fullmatch(self.line, line) for line in lines)


def declared(file: Traversable) -> Declaration:
    """The declaration in a TOML file. Raises TypeError for a field that no declaration has."""
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    for name in ("messages", "limits", "kinds"):
        read[name] = tuple(read.get(name, ()))
    return Declaration(name=file.name.removesuffix(".toml"), **read)
