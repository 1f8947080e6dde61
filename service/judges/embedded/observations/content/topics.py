"""Kinds of items (genres, cuisines, styles): named in a text, known of an item, alike or not."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from .....domain.conversation import Item
from .....text.patterns import Finder, Lexicon
from .....text.words import Span, straight, word_spans, words

LEXICON = Lexicon(__package__, "topics")

#: Dimensions whose values say what kind of thing an item is.
KIND_DIMENSIONS = frozenset({"genre", "genres", "theme", "themes", "cuisine", "style", "styles", "category", "type",
                             "kind", "mood", "diet", "dietary restriction", "product type"})  # fmt: skip

#: Values up to so many characters are shared by many items and read once.
SHORT = 60
#: Characters that may stand between the words of one phrase: "sci - fi".
CLOSE = 3

_NEGATION = Finder(
    r"\b(?:not|no|nothing|stop|avoid|enough|n't|isn't|aren't|wasn't|don't|dont|doesn't|didn't|never|without|hate|dislike|neither|nor|except|"
    r"instead of|rather than|less|isnt|thats not|sick of|tired of|too)\b[^.!?;\n]{0,30}\Z"
)


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


def find_kinds(text: str, tokens: Sequence[Span] | None = None) -> list[tuple[Span, frozenset[str], bool]]:
    """The kinds that a text names: where, which, and whether it wants them (False after a
    negation in the same clause). `tokens` are the text's word spans where the caller has them."""
    found = []
    if tokens is None:
        # Most texts name no kind, which shows before it is known where their words stand.
        tokens = () if _lengths().keys().isdisjoint(words(text)) else word_spans(text)
    for span, kinds in _phrases(tokens):
        before = straight(text[max(0, span.start - 45) : span.start])
        found.append((span, kinds, not _NEGATION.search(before)))
    return found


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


def comparable(wanted: Iterable[str], kinds: frozenset[str]) -> bool:
    """Return whether the two can rule one another out: some of both are of one sort, as genres are, or
    cuisines."""
    wished = frozenset(wanted)
    return any(not (wished.isdisjoint(sort) or kinds.isdisjoint(sort)) for sort in _sorts())


@cache
def _sorts() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(sort) for sort in LEXICON.tables["sorts"].values())
