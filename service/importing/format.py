"""Readings of a format."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .entries import Entry, Fault
from .imported import Imported, UnreadableError, Wanted

Read = Callable[[Sequence[Entry], Wanted, list[Fault]], Iterator[Imported]]


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
