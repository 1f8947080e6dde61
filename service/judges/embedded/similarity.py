"""Similarity of items, their characteristics, and the thresholds of "alike" and "little known"."""

import re

from ...domain.conversation import Item
from ...text.patterns import Lexicon
from ...text.words import split_year

#: Jaccard similarity over attributes from which two items are very, and somewhat, similar.
VERY_SIMILAR = 0.5
SOMEWHAT_SIMILAR = 0.2
#: An item whose popularity (percentile in its catalogue) is under this is little known.
LITTLE_KNOWN = 0.5
#: Over this share of items without data, a computed factor is not assessable.
MOST_UNKNOWN = 0.5

DIMENSIONS = Lexicon(__package__, "dimensions")
"""The dimensions of a domain, each with the attribute names that catalogues use for it."""
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


def similarity(first: frozenset[object], second: frozenset[object]) -> float:
    """Jaccard similarity of two sets of characteristics, 0 where both are empty."""
    union = len(first | second)
    return len(first & second) / union if union else 0.0


def shares(similarities: list[float]) -> tuple[float, float]:
    """Of items' similarities to what was wanted: the share that is very similar, and the share that is at
    least somewhat similar."""
    if not similarities:
        raise ValueError("shares need at least one similarity")
    very = sum(value >= VERY_SIMILAR for value in similarities)
    somewhat = sum(value >= SOMEWHAT_SIMILAR for value in similarities)
    return very / len(similarities), somewhat / len(similarities)


def characteristics(item: Item, domain: str) -> dict[str, frozenset[str]]:
    """An item's values by dimension, folded; empty dimensions left out. A decade comes from a year, or
    from the year in a title. In a domain of its own every attribute is a dimension."""
    attributes = {name.casefold(): values for name, values in item.attributes.items()}
    wanted = DIMENSIONS.tables.get(domain.casefold())
    if wanted is None:
        wanted = {**{name: (name,) for name in attributes}, **DIMENSIONS.tables["other"]}
    found = {}
    for name, aliases in wanted.items():
        values = frozenset(v.casefold() for alias in aliases for v in attributes.get(alias, ()))
        if name == "decade":
            values = _decades(item, values)
        if values:
            found[name] = values
    return found


def _decades(item: Item, values: frozenset[str]) -> frozenset[str]:
    years = {year for value in values for year in _YEAR.findall(value)}
    titled = split_year(item.title)[1]
    if not years and titled:
        years = {str(titled)}
    return frozenset(f"{year[:3]}0s" for year in years)
