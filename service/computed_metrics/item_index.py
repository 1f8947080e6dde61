"""The items that a log is read with: keys, titles in texts, items that fit, and the rule by which one is wanted."""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache

from ..catalogue.catalogue import Catalogue
from ..catalogue.title_guesses import Guess, Verbatim, guess_titles
from ..domain.conversation import Item
from ..text.words import split_year, title_key

# CONCEPT's figures rest on ReDial's titles without their year.
_PAPER_YEAR = re.compile(r" \(\d{4}\)$")
_MOST_KEYS = 5000
_GENRES = ("genre", "genres")


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


@dataclass(frozen=True, slots=True)
class Described:
    """An item that a list shows: the hash of its key, and the values of its attributes and of its genres."""

    key: int
    values: frozenset[str]
    genres: frozenset[str]


class ItemIndex:
    """Items over the index of a whole request, if any. Remembers what it was asked.

    `stocked`: there are items to say what exists. `closed`: a catalogue says it, so that what it does
    not hold does not exist; a log need not list all of its items. `titles` are items known by title alone (of a log's `ground_truth`): they can be found in a
    text, but do not make a catalogue."""

    def __init__(
        self,
        own: tuple[Item, ...],
        titles: tuple[Item, ...],
        base: "ItemIndex | None",
        catalogue: Catalogue | None,
        matching: Matching,
    ) -> None:
        self.closed = catalogue is not None
        self.stocked = bool(own) or self.closed
        self._own = own
        self._base = base
        self.catalogue = Catalogue.over(own + titles, catalogue)
        self._matching = matching
        self.key = lru_cache(_MOST_KEYS)(self._key)
        self.described = lru_cache(_MOST_KEYS)(self._described)
        self._targets = cache(self._fitting)
        self._named = cache(self._read)

    def title(self, reference: str) -> str:
        """The title of the item with this id or title, else the reference."""
        item = self.catalogue.get(reference) if self.catalogue else None
        return reference if item is None else item.title

    @cached_property
    def stock(self) -> "array[int]":
        """Hashes of the keys of all items that can be recommended: the catalogue's, without one the log's own."""
        if self._base is not None:
            return self._base.stock
        items = self.catalogue.items if self.closed and self.catalogue else self._own
        return array("q", {hash(self._key_of(item)) for item in items})

    @cached_property
    def stocked_keys(self) -> frozenset[int]:
        """The same, to be searched."""
        return frozenset(self.stock) if self._base is None else self._base.stocked_keys

    def fits(self, reference: str, attributes: Iterable[str]) -> bool | None:
        """Return whether an item's attributes hold all the wanted ones. None where that is unknown: nothing
        is known of the item, or no attributes. What a catalogue does not hold does not fit."""
        item = self.catalogue.match(reference) if self.catalogue else None
        if item is None:
            return False if self.closed else None
        values = _values(item)
        return _fold(attributes) <= values if values else None

    def fitting(self, attributes: Iterable[str]) -> Targets:
        """All items whose attributes hold all the wanted ones, whatever the case."""
        return self._targets(_fold(attributes))

    def given(self, references: Iterable[str]) -> Targets:
        """The targets that a log names itself."""
        keys = tuple(dict.fromkeys(self.key(reference) for reference in references))
        return Targets(keys, True, self._matching)

    def named(self, text: str, listed: Verbatim | None = None) -> tuple[Named, ...]:
        """The titles that a text names, left to right: known items, titles that no item has but the
        log's lists hold word for word (`listed`), and titles that the text marks as such."""
        return self._named(text) if listed is None else self._read(text, listed)

    @cached_property
    def _known_values(self) -> frozenset[str]:
        return frozenset().union(*(_values(item) for item in self._items))

    @cached_property
    def _values_by_key(self) -> list[tuple[str, frozenset[str]]]:
        return [(self._key_of(item), _values(item)) for item in self._items]

    @property
    def _items(self) -> tuple[Item, ...]:
        """The items that the index below does not answer for."""
        if self._base is None and self.catalogue is not None:
            return self.catalogue.items
        return self._own

    def _described(self, reference: str) -> Described | None:
        """Return what is known of the item with this id or title; None where nothing is."""
        item = self.catalogue.match(reference) if self.catalogue else None
        if item is None:
            return None
        genres = {
            value.casefold()
            for name, values in item.attributes.items()
            if name.casefold() in _GENRES
            for value in values
        }
        return Described(hash(self._key_of(item)), _values(item), frozenset(genres))

    def _fitting(self, wanted: frozenset[str]) -> Targets:
        fitting = [key for key, values in self._values_by_key if wanted <= values]
        if self._base is not None:
            replaced = {self._key_of(item) for item in self._replaced()}
            fitting += [key for key in self._base.fitting(wanted).keys if key not in replaced]
        return Targets(tuple(dict.fromkeys(fitting)), False, self._matching)

    def _replaced(self) -> Iterable[Item]:
        """Own items, and those below that own ones of the same id or title stand for."""
        below = self._base.catalogue if self._base is not None else None
        for item in self._own:
            yield item
            for reference in (item.id, item.title):
                other = below.get(reference) if below and reference else None
                if other is not None:
                    yield other

    def _key(self, reference: str) -> str:
        """Return what a list's entry is compared by: the title of the item with this id or title, else the
        reference as a title."""
        item = self.catalogue.get(reference) if self.catalogue else None
        if self._matching is Matching.PUBLISHED:
            return item.title if item is not None and item.id == reference else reference
        return title_key(item.title if item is not None else reference)

    def _key_of(self, item: Item) -> str:
        return item.title if self._matching is Matching.PUBLISHED else title_key(item.title)

    def _is_value(self, key: str) -> bool:
        return key in self._known_values or (self._base is not None and self._base._is_value(key))

    def _read(self, text: str, listed: Verbatim | None = None) -> tuple[Named, ...]:
        """Known items and titles of the lists, the longer first where they overlap, then what else the text marks."""
        places: list[tuple[int, int, Named | None]] = [
            (m.start, m.end, Named(self._key_of(m.item), m.surface, _dated(m.surface), exists=True))
            for m in (self.catalogue.find(text) if self.catalogue else ())
        ]
        places += [
            (p.start, p.end, self._title(p, title)) for p, title in (listed.find(text) if listed else ())
        ]
        places.sort(key=lambda place: place[0] - place[1])
        places += [
            (guess.start, guess.end, self._title(guess, guess.surface)) for guess in guess_titles(text)
        ]
        found: list[tuple[int, int, Named | None]] = []
        for place in places:
            if not any(place[0] < other[1] and other[0] < place[1] for other in found):
                found.append(place)
        found.sort(key=lambda place: place[0])
        return tuple(named for _, _, named in found if named is not None)

    def _title(self, place: Guess, title: str) -> Named | None:
        """A title that the text marks or a list holds. "How about Tom Hanks?": people and genres, which items
        carry as attributes, are no titles."""
        known = self.catalogue.match(title) if self.catalogue else None
        if known is not None:
            return Named(self._key_of(known), place.surface, _dated(place.surface), exists=True)
        key = title_key(title)
        return None if self._is_value(key) else Named(key, place.surface, _dated(place.surface), exists=False)


def identity(item: Item) -> tuple[object, ...]:
    """Return what tells an item from others, whichever log brings it."""
    return item.id, item.title, item.values


def _values(item: Item) -> frozenset[str]:
    return frozenset(value.casefold() for values in item.attributes.values() for value in values)


def _fold(attributes: Iterable[str]) -> frozenset[str]:
    return frozenset(attribute.casefold() for attribute in attributes)


def _dated(surface: str) -> bool:
    return split_year(surface)[1] is not None
