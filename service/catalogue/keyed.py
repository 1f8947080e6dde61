"""Things under keys of which nearly each has one."""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Keyed(Generic[Thing]):
    """The things of each key, in the order given. A list is kept only for a key of several: of twenty thousand items
    nearly all have a title of their own, and lists would take 2 MB."""

    def __init__(self, things: Iterable[tuple[str, Thing]]) -> None:
        self._first: dict[str, Thing] = {}
        self._others: dict[str, list[Thing]] = {}
        for key, thing in things:
            if key in self._first:
                self._others.setdefault(key, []).append(thing)
            else:
                self._first[key] = thing

    def __getitem__(self, key: str) -> list[Thing]:
        """Return the things of a key, none where it is not known."""
        return [self._first[key], *self._others.get(key, ())] if key in self._first else []

    def first(self, key: str) -> Thing | None:
        """Return the first thing of a key."""
        return self._first.get(key)

    def __iter__(self) -> Iterator[tuple[str, list[Thing]]]:
        for key in self._first:
            yield key, self[key]
