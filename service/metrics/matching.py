"""The rule by which an item that was shown or named is one that the user wanted."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ..text.words import split_year

# CONCEPT's figures rest on ReDial's titles without their year.
_PAPER_YEAR = re.compile(r" \(\d{4}\)$")


class Matching(StrEnum):
    """The rule by which titles are compared. `strict` requires words, marks and years. `published` repeats
    the unsound rule behind CONCEPT's tables: whole strings in lists, and lower-case substrings in texts. By it, nearly every
    sentence names a film called "S (2012)"."""

    STRICT = "strict"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Named:
    """A title in a text: `key` is the item's, or the folded surface where no item is known;
    `dated` says whether the text gives its year."""

    key: str
    surface: str
    dated: bool
    exists: bool


@dataclass(frozen=True)
class Targets:
    """The items that a user wanted, each by its key. `given` tells targets of a log's own
    `ground_truth` (in its order) from those that the catalogue holds for the user's attributes."""

    keys: tuple[str, ...]
    given: bool
    matching: Matching

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self.keys)}

    @cached_property
    def _names(self) -> dict[str, list[tuple[int | None, int]]]:
        """Years and places by the name without its year."""
        named: dict[str, list[tuple[int | None, int]]] = {}
        for place, key in enumerate(self.keys):
            name, year = split_year(key)
            named.setdefault(name, []).append((year, place))
        return named

    @cached_property
    def _substrings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_PAPER_YEAR.sub("", key).lower() for key in self.keys))

    def place(self, key: str) -> int | None:
        """Return which target a listed item is, None where it is none. A year that one side lacks matches
        any where the targets were given by a log and matching is strict."""
        exact = self._places.get(key)
        if exact is not None or not self.given or self.matching is Matching.PUBLISHED:
            return exact
        name, year = split_year(key)
        return next(
            (place for known, place in self._names.get(name, ()) if year is None or known is None), None
        )

    def in_substrings_of(self, text: str) -> bool:
        """Return whether a text holds a target's name, by CONCEPT's rule."""
        lowered = text.lower()
        return any(name in lowered for name in self._substrings)

    def among(self, titles: Iterable[Named]) -> bool:
        """Return whether one of the titles that a text names is a target; a missing year matches any."""
        return any(self._is_one(title) for title in titles if title.exists)

    def _is_one(self, title: Named) -> bool:
        if title.key in self._places:
            return True
        name, _ = split_year(title.key)
        return any(not title.dated or year is None for year, _ in self._names.get(name, ()))
