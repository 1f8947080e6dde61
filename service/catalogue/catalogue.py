"""The items a service or a log knows, and where a text names them."""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from ..domain.conversation import ConversationLog, Item
from ..errors import ConfigurationError
from ..text.words import split_year, title_key, tokenise
from .file import read_items
from .index import Mention, TitleIndex, best_of, search

#: Dimensions whose values are people.
PEOPLE_DIMENSIONS = frozenset({"star", "stars", "actor", "actors", "cast", "director", "directors", "author", "authors",
                               "writer", "writers", "artist", "artists"})  # fmt: skip

#: Fields of an item beside its names and attributes.
DATA = ("popularity", "description", "price", "currency", "rating", "stock", "url", "image")

FORGIVEN = 50_000
"""Words of a log's own items in which slips are forgiven: the items of an ordinary log have fewer, and more fill the memory."""


class Catalogue:
    """Items by id and title, and a search for them in texts.

    `Catalogue.of` indexes items; `Catalogue.over` lays a log's own items over a shared catalogue
    without indexing that again, and indexes them when they are first looked for: by then the request that
    brought them is gone from memory. Its items never change, so that requests may share one."""

    def __init__(
        self,
        own: tuple[Item, ...],
        name: str | None,
        base: "Catalogue | None",
        most_forgiven: int = sys.maxsize,
    ) -> None:
        self.name = name
        self.base = base
        self._own = own
        self._most_forgiven = most_forgiven

    @classmethod
    def of(cls, items: Iterable[Item], name: str | None = None) -> "Catalogue":
        """A catalogue of these items, indexed."""
        catalogue = cls(tuple(items), name, None)
        catalogue._index.warm()
        catalogue.match("unheard")
        return catalogue

    @classmethod
    def over(cls, items: Iterable[Item], base: "Catalogue | None") -> "Catalogue | None":
        """A log's own items before those of a shared catalogue; None where there is neither.

        An own item may lack attributes by dimension, popularity or description. They are then taken from the item of the same id
        or title in the base."""
        own = tuple(items)
        if not own:
            return base
        if base is not None:
            own = tuple(_filled(item, base) for item in own)
        return cls(own, base.name if base else None, base, FORGIVEN)

    @classmethod
    def of_log(cls, log: ConversationLog, base: "Catalogue | None") -> "Catalogue | None":
        """A log's own items over those of a shared catalogue, and with them the items that only its cards show. What a card
        says of an item that is known otherwise is a claim, and no knowledge of it."""
        known = cls.over(log.items, base)
        cards = tuple(
            item
            for item in log.card_items
            if known is None or not ((item.id and known.get(item.id)) or known.match(item.title))
        )
        return cls.over((*log.items, *cards), base) if cards else known

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All items; an own item stands for those of the same id or title in the base."""
        if self.base is None:
            return self._own
        replaced = {id(item) for own in self._own for item in self.base._same(own)}
        kept = self.base.items if not replaced else tuple(i for i in self.base.items if id(i) not in replaced)
        return self._own + kept

    @cached_property
    def _index(self) -> TitleIndex:
        return TitleIndex(self._own, self._most_forgiven)

    @property
    def _indices(self) -> tuple[TitleIndex, ...]:
        return (self._index, *(self.base._indices if self.base else ()))

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in reversed(self._own) if item.id is not None}

    @cached_property
    def _by_title(self) -> dict[str, list[Item]]:
        found: dict[str, list[Item]] = {}
        for item in self._own:
            found.setdefault(title_key(item.title), []).append(item)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[Item]]:
        """Of the items of one title the best: more are never asked for."""
        found: dict[str, list[Item]] = {}
        for key, items in self._by_title.items():
            found.setdefault(split_year(key)[0], []).append(best_of(items))
        return found

    @cached_property
    def content_hash(self) -> str:
        """SHA-256, in hex, over the items' content, whatever their order. Computed when first read."""
        lines = sorted(json.dumps(_content(item), sort_keys=True) for item in self._own)
        digest = hashlib.sha256("\n".join(lines).encode())
        if self.base is not None:
            digest.update(self.base.content_hash.encode())
        return digest.hexdigest()

    def knows_person(self, name: str) -> bool:
        """Return whether somebody of this name, given in folded words, made one of the items or takes part
        in it."""
        return name in self._people or bool(self.base and self.base.knows_person(name))

    def dimensions_of(self, value: str) -> frozenset[str]:
        """The attributes, people aside, that some item has a value of, all in folded words."""
        own = self._values.get(value, frozenset())
        return own | self.base.dimensions_of(value) if self.base else own

    def has_several(self, dimension: str) -> bool:
        """Return whether any item has two values of an attribute, given in folded words."""
        return dimension in self._several or bool(self.base and self.base.has_several(dimension))

    @cached_property
    def _people(self) -> frozenset[str]:
        """Those who made an item or take part in one, as its attributes say, in folded words."""
        return frozenset(
            folded(value)
            for item in self._own
            for dimension, values in item.attributes.items()
            if dimension.casefold() in PEOPLE_DIMENSIONS
            for value in values
        )

    @cached_property
    def _values(self) -> Mapping[str, frozenset[str]]:
        dimensions: dict[str, set[str]] = {}
        for item in self._own:
            for name, values in item.attributes.items():
                if name.casefold() not in PEOPLE_DIMENSIONS:
                    for value in values:
                        dimensions.setdefault(value, set()).add(name)
        found: dict[str, frozenset[str]] = {}
        for value, names in dimensions.items():
            key = folded(value)
            found[key] = found.get(key, frozenset()) | {folded(name) for name in names}
        return found

    @cached_property
    def _several(self) -> frozenset[str]:
        return frozenset(
            folded(name)
            for item in self._own
            for name, values in item.attributes.items()
            if len(set(values)) > 1
        )

    def get(self, reference: str) -> Item | None:
        """The item with this id, else with this title as a whole string (NFKC, case and white
        space folded), year included."""
        return self._identified(reference) or self._titled(title_key(reference))

    def match(self, reference: str) -> Item | None:
        """As `get`, but a year that the reference or the title lacks matches any."""
        exact = self.get(reference)
        if exact is not None:
            return exact
        name, year = split_year(title_key(reference))
        fitting = [
            item for known, item in self._named(name) if year is None or known is None or known == year
        ]
        return best_of(fitting) if fitting else None

    def find(self, text: str) -> list[Mention]:
        """The items that the text names, left to right, no two overlapping, longer ones first.

        Tolerates articles, case, accents, punctuation, Roman numerals, a missing year and, in
        longer titles, a slip of the pen. A title made of everyday words counts only where the
        text marks it: by a year, quotation marks, capitals or a phrase such as "have you seen"."""
        return search(tokenise(text), self._indices)

    def _identified(self, name: str) -> Item | None:
        return self._by_id.get(name) or (self.base._identified(name) if self.base else None)

    def _titled(self, key: str) -> Item | None:
        own = next(iter(self._by_title.get(key, ())), None)
        return own or (self.base._titled(key) if self.base else None)

    def _named(self, name: str) -> list[tuple[int | None, Item]]:
        own = [(split_year(title_key(item.title))[1], item) for item in self._by_name.get(name, ())]
        return [*own, *(self.base._named(name) if self.base else ())]

    def _same(self, item: Item) -> list[Item]:
        """The items here that have the id or the title of another."""
        by_id = [self._by_id[item.id]] if item.id is not None and item.id in self._by_id else []
        by_title = self._by_title.get(title_key(item.title), [])
        return by_id + by_title + (self.base._same(item) if self.base else [])


def folded(words: str) -> str:
    """Words as values are compared: case, accents, punctuation and underscores aside."""
    return " ".join(tokenise(words.replace("_", " ")).words)


def _filled(item: Item, base: Catalogue) -> Item:
    known = next(iter(base._same(item)), None)
    if known is None:
        return item
    filled = {
        name: getattr(item, name) if getattr(item, name) is not None else getattr(known, name)
        for name in ("id", *DATA)
    }
    return replace(item, attributes=MappingProxyType({**known.attributes, **item.attributes}), **filled)


def load_catalogues(folder: Path) -> dict[str, Catalogue]:
    """Every `*.jsonl` of a folder as a catalogue under its file's stem. A line is an object
    `{title, id?, attributes{dimension: text or texts}?, popularity?, description?,
    price?, currency?, rating?, stock?, url?, image?}`; a broken
    one is a `ConfigurationError` that names file, line and what is wrong."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: no such folder of catalogues")
    return {path.stem: Catalogue.of(read_items(path), path.stem) for path in sorted(folder.glob("*.jsonl"))}


def _content(item: Item) -> Mapping[str, object]:
    return {
        "title": item.title,
        "id": item.id,
        "attributes": {name: sorted(values) for name, values in item.attributes.items()},
        "popularity": item.popularity,
        "description": item.description,
        # Left out where they are not known, so that catalogues without them keep their hash.
        **{name: value for name in DATA[2:] if (value := getattr(item, name)) is not None},
    }
