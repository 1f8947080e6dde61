"""Kinds of items (genres, cuisines, styles): named in a text, known of an item, alike or not."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from ..domain.parts import Item
from ..text.patterns import Lexicon
from ..text.words import Span, word_spans, words

LEXICON = Lexicon(__package__, "kinds")

#: Dimensions whose values say what kind of thing an item is.
KIND_DIMENSIONS = frozenset({"genre", "genres", "theme", "themes", "cuisine", "style", "styles", "category", "type",
                             "kind", "mood", "diet", "dietary restriction", "product type"})  # fmt: skip

#: Values up to so many characters are shared by many items and read once.
SHORT = 60
#: Characters that may stand between the words of one phrase: "sci - fi".
CLOSE = 3


@cache
def _names() -> dict[tuple[str, ...], frozenset[str]]:
    """Every phrase for a kind, as words, with the kinds that it can mean."""
    kinds: dict[tuple[str, ...], set[str]] = {}
    for kind, phrases in LEXICON.tables["kinds"].items():
        for phrase in [kind, *phrases]:
            kinds.setdefault(tuple(words(phrase)), set()).add(kind)
    return {phrase: frozenset(meant) for phrase, meant in kinds.items()}


@cache
def _lengths() -> dict[str, tuple[int, ...]]:
    """For the first word of a phrase, the lengths of the phrases that it opens, longest first."""
    lengths: dict[str, set[int]] = {}
    for phrase in _names():
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    return {first: tuple(sorted(known, reverse=True)) for first, known in lengths.items()}


def _phrases(tokens: Sequence[Span]) -> Iterator[tuple[Span, frozenset[str]]]:
    lengths, names = _lengths(), _names()
    reached = 0
    for position in [place for place, token in enumerate(tokens) if token.kind in lengths]:
        for length in lengths[tokens[position].kind] if position >= reached else ():
            run = tokens[position : position + length]
            kinds = names.get(tuple([token.kind for token in run]))
            if kinds and all(after.start - before.end <= CLOSE for before, after in pairwise(run)):
                yield Span(run[0].start, run[-1].end, "kind"), kinds
                reached = position + length
                break


def same_kind(word: str) -> str:
    """Return the genre that a word always stands for ("scary": horror), or the word itself."""
    stands_for: str = LEXICON.tables["same"].get(word, word)
    return stands_for


def kinds_of(item: Item) -> frozenset[str]:
    """The kinds that an item's attributes say it is of; empty where they do not say."""
    values = [value for dimension, values in item.attributes.items() if dimension.casefold() in KIND_DIMENSIONS
              for value in values]  # fmt: skip
    return kinds_named(values)


def kinds_named(values: Iterable[str]) -> frozenset[str]:
    """The kinds that these values name."""
    return frozenset().union(
        *(_known_kinds(value) if len(value) <= SHORT else _kinds_in(value) for value in values)
    )


def _kinds_in(value: str) -> frozenset[str]:
    return frozenset(kind for _, kinds in _phrases(word_spans(value)) for kind in kinds)


_known_kinds = lru_cache(maxsize=2_000)(_kinds_in)


def akin(wanted: Iterable[str], kinds: frozenset[str]) -> bool:
    """Return whether something of these kinds can pass for one of the wanted ones, or for a neighbour."""
    near = LEXICON.tables["near"]
    return any(kind in kinds or not kinds.isdisjoint(near.get(kind, ())) for kind in wanted)
