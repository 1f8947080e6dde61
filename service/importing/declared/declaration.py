"""A format as a TOML file declares it. A name that the file has and no field here is an error."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any, Self

from ..reading.documents import Kind

Fields = Mapping[str, str]
"""Expressions by the field of a log or a message that they fill."""


@dataclass(frozen=True)
class Declaration:
    """A format. Everything without its own type is an expression in JMESPath."""

    name: str
    """Its name for `--from`: the name of its file."""
    reads: str
    """The kind of files that it reads, as a sentence of the docs."""
    described: str
    """The address of the format's description, by those whose format it is."""
    fits: str = ""
    """True of an entry in this format and in no other."""
    reader: str = ""
    """The module of `readers`, or the object in one (`apis:anthropic`), that recognises and reads it, where expressions do not
    suffice."""
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
    skipped: Fields = field(default_factory=dict)
    """Entries that hold no conversation, by the name under which they are counted."""
    beside: Fields = field(default_factory=dict)
    """Lists of a conversation whose length is counted under the name: what is no part of it."""
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
    kinds: tuple[Kind, ...] = ()
    """Notations of its files, the usual one first: JSON where none is declared, and text where `line` is. Rows of tables are entries."""
    fix: str = ""
    """Advice on what the file lacks, where it cannot be read."""
    general: bool = False
    """True for a shape that many formats have: it is taken where no other fits."""
    sample: Mapping[str, str] = field(default_factory=dict)
    """A file of our own making in this format; `tools/format_samples.py` writes it."""

    @classmethod
    def of(cls, file: Traversable) -> Self:
        """The format that a TOML file declares. Raises TypeError for a field that no declaration has."""
        read: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        usual = ["TEXT" if "line" in read else "JSON"]
        read["kinds"] = tuple(Kind[name] for name in read.get("kinds", usual))
        read["messages"] = tuple(read.get("messages", ()))
        return cls(name=file.name.removesuffix(".toml"), **read)
