"""Kinds of items (genres, cuisines, styles): named in a text, known of an item, alike or not."""

import re
from collections.abc import Iterable
from functools import cache

from ..domain.conversation import Item
from .lexicon import load
from .spans import Span
from .words import straight

#: Dimensions whose values say what kind of thing an item is.
KIND_DIMENSIONS = frozenset({"genre", "genres", "theme", "themes", "cuisine", "style", "styles", "category", "type",
                             "kind", "mood", "diet", "dietary restriction", "product type"})  # fmt: skip

_NEGATION = re.compile(
    r"\b(?:not|no|n't|isn't|aren't|wasn't|don't|dont|doesn't|didn't|never|without|hate|dislike|neither|nor|except|"
    r"instead of|rather than|less|isnt|thats not|sick of|tired of|too)\b[^.!?;\n]{0,30}\Z",
    re.IGNORECASE,
)


@cache
def _names() -> dict[str, frozenset[str]]:
    """Every word or phrase for a kind, with the kinds it can mean."""
    kinds: dict[str, set[str]] = {}
    for kind, phrases in load("topics")["kinds"].items():
        for phrase in [kind, *phrases]:
            kinds.setdefault(phrase, set()).add(kind)
    return {phrase: frozenset(meant) for phrase, meant in kinds.items()}


@cache
def _pattern() -> re.Pattern[str]:
    phrases = sorted(_names(), key=lambda phrase: (-len(phrase), phrase))
    return re.compile(r"\b(?:" + "|".join(map(re.escape, phrases)) + r")\b", re.IGNORECASE)


def find_kinds(text: str) -> list[tuple[Span, frozenset[str], bool]]:
    """The kinds that a text names: where, which, and whether it wants them (False after a
    negation in the same clause)."""
    found = []
    for match in _pattern().finditer(text):
        before = straight(text[max(0, match.start() - 45) : match.start()])
        span = Span(match.start(), match.end(), "kind")
        found.append((span, _names()[match.group().casefold()], not _NEGATION.search(before)))
    return found


def kinds_of(item: Item) -> frozenset[str]:
    """The kinds that an item's attributes say it is of; empty where they do not say."""
    values = [value for dimension, values in item.attributes.items() if dimension.casefold() in KIND_DIMENSIONS
              for value in values]  # fmt: skip
    return kinds_named(values)


def kinds_named(values: Iterable[str]) -> frozenset[str]:
    """The kinds that these values name, value by value: a whole phrase first, then words in it."""
    kinds: set[str] = set()
    for value in values:
        whole = _names().get(value.casefold())
        kinds |= (
            whole
            if whole
            else set().union(*(_names()[m.group().casefold()] for m in _pattern().finditer(value)))
        )
    return frozenset(kinds)


def akin(wanted: Iterable[str], kinds: frozenset[str]) -> bool:
    """Whether something of these kinds can pass for one of the wanted ones, or for a neighbour."""
    near = load("topics")["near"]
    return any(kind in kinds or not kinds.isdisjoint(near.get(kind, ())) for kind in wanted)
