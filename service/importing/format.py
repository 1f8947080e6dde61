"""Readings of a format, and the limits of what a format can say."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NamedTuple

from .entries import Entry, Fault
from .imported import Imported, UnreadableError, Wanted

Read = Callable[[Sequence[Entry], Wanted, list[Fault]], Iterator[Imported]]


class Limit(StrEnum):
    """A limit of a format."""

    IN_TURNS = "user and assistant speak in turn, the user first"
    ONE_LINE = "a message is one line"
    TRIMMED = "white space around a message is lost"


class Reader(NamedTuple):
    """Recognition and reading of a format in Python: its own values and no other's, and the conversations of its entries."""

    fits: Callable[[Any], bool]
    read: Read


def per_entry(read: Callable[[Entry, Wanted], Imported]) -> Read:
    """A reading in which each entry is a conversation."""

    def reading(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        for entry in entries:
            with refusing(entry.place, faults):
                yield read(entry, wanted)

    return reading


@contextmanager
def refusing(place: str, faults: list[Fault]) -> Iterator[None]:
    """Turn an UnreadableError into a fault that names the place."""
    try:
        yield
    except UnreadableError as error:
        faults.append(Fault(place, str(error), error.names))
