"""A format: how it is recognised, how it is read, and what it looks like."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple, ParamSpec

from .entries import Entry, Fault
from .imported import Imported, UnreadableError, Wanted
from .reading.documents import Kind

P = ParamSpec("P")
Line = tuple[Literal["user", "assistant"], str]
"""Roles and their words, in a sample."""
Read = Callable[[Sequence[Entry], Wanted, list[Fault]], Iterator[Imported]]


class Limit(StrEnum):
    """A limit of a format."""

    IN_TURNS = "user and assistant speak in turn, the user first"
    ONE_LINE = "a message is one line"
    TRIMMED = "white space around a message is lost"


@dataclass(frozen=True)
class Format:
    """One file of `formats` declares one. A file is read by it where `fits` says yes to the values of its entries."""

    name: str
    """Its name for `--from`: the name of its file."""
    reads: str
    """The kind of files that it reads, as a sentence of the docs."""
    described: str
    """The address of the format's description, by those whose format it is."""
    fits: Callable[[Any], bool]
    """Return whether one entry's value is in this format and in no other: a JSON value, a row, or a whole text."""
    read: Read
    """The conversations of a file's entries. What cannot be read is added to the faults."""
    sample: Callable[[Sequence[Line]], str]
    """A file of our own making in this format that says these lines."""
    kinds: tuple[Kind, ...] = (Kind.JSON,)
    """The ways in which its files are written, the usual one first."""
    general: bool = False
    """True for a shape that many formats have: it is taken where no other fits."""
    limits: frozenset[Limit] = frozenset()
    """The limits of what it can say: the lines of a sample keep to them."""


class Reader(NamedTuple):
    """Recognition and reading of a format in Python: its own values and no other's, and the conversations of its entries."""

    fits: Callable[[Any], bool]
    read: Read


def per_entry(read: Callable[[Entry, Wanted], Imported]) -> Read:
    """A reading in which each entry is a conversation."""

    def reading(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        for entry in entries:
            yield from attempt(entry.place, faults, read, entry, wanted)

    return reading


def attempt(
    place: str, faults: list[Fault], make: Callable[P, Imported], *args: P.args, **kwargs: P.kwargs
) -> Iterator[Imported]:
    """Yield what is made, or a fault that names the place."""
    try:
        yield make(*args, **kwargs)
    except UnreadableError as error:
        faults.append(Fault(place, str(error), error.names))
