"""Titles: how much context the words of one need, when two are the same, and how one may be spelled."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..text.words import everydayness, split_year, title_key, tokenise

# Words that add up to this are no chance phrase: "garden lantern", but not "the next day".
_DISTINCT_FROM = 6


class Weight(IntEnum):
    """The context that a title needs: none; a mark or a phrase; a mark."""

    DISTINCT = 0
    EVERYDAY = 1
    FUNCTION = 2


def weigh(words: Sequence[str]) -> Weight:
    """Return how easily these words stand in a text without naming anything."""
    bands = [everydayness(word) for word in words]
    if len(words) == 1:
        return Weight.FUNCTION if bands[0] < 3 else Weight.EVERYDAY if bands[0] == 3 else Weight.DISTINCT
    if sum(bands) >= _DISTINCT_FROM and (max(bands) > 2 or len(words) > 3):
        return Weight.DISTINCT
    return Weight.FUNCTION if max(bands) < 3 else Weight.EVERYDAY


MAX_WORDS = 30
"""Words of a title that is looked for in texts: a longer one would let one item make every search slow."""

ARTICLES = frozenset({"the", "a", "an"})

# Joins by a hyphen, a dot or the like: "X-Men" is also written "Xmen".
_COMPOUND = re.compile(r"(?<=\w)[^\w\s/:&,]+(?=\w)")
_INVERTED = re.compile(r"^(?P<name>.*\S),\s*(?P<article>the|an|a)$", re.IGNORECASE | re.DOTALL)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS_OF = {word: str(number) for number, word in enumerate(_NUMBERS, start=1)}
_WORD_OF = {digits: word for word, digits in _DIGITS_OF.items()}
_SUBTITLE = re.compile(r":\s|\s[-\u2013\u2014]\s")
# Two words may be run together ("starwars") where that leaves one long enough to be recognised.
_JOINED_FROM = 7
_ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}


def same_title(a: str, b: str, *, year_optional: bool) -> bool:
    """Return whether two titles are equal as whole strings after NFKC, case and white space; with
    `year_optional` a year that one of them lacks matches any."""
    first, second = title_key(a), title_key(b)
    if first == second:
        return True
    if not year_optional:
        return False
    (name, year), (other, other_year) = split_year(first), split_year(second)
    return name == other and (year is None or other_year is None)


@dataclass(frozen=True, slots=True)
class TitleForm:
    """A title taken apart. `words` and `subtitle` are folded, the leading article left off;
    `subtitle` is what stands behind the last colon or dash, by which people call the parts of a
    series; `shouted` says that the title is written in capitals throughout."""

    words: tuple[str, ...]
    spellings: tuple[tuple[str, ...], ...]
    article: str | None
    year: int | None
    subtitle: tuple[str, ...] | None
    shouted: bool


def parse_title(title: str) -> TitleForm:
    """A title taken apart; `words` is empty where it holds neither letters nor digits."""
    name, year = split_year(title)
    name = _upright(name)
    words, article = _without_article(tokenise(name).words)
    parts = _SUBTITLE.split(name)
    tail = _without_article(tokenise(parts[-1]).words)[0] if len(parts) > 1 else ()
    return TitleForm(
        words=words,
        spellings=tuple(dict.fromkeys(_spellings(name, words))),
        article=article,
        year=year,
        subtitle=tail if len(tail) > 1 else None,
        shouted=(name.partition(" ")[2] if article else name).isupper(),
    )


def spellings(title: str) -> tuple[tuple[str, ...], ...]:
    """The token sequences that name a title in a text, the year and a leading article left off:
    as written, compounds joined, numbers as digits and as words."""
    return parse_title(title).spellings


def _spellings(name: str, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not words:
        return
    yield words
    if _COMPOUND.search(name):
        yield _without_article(tokenise(_COMPOUND.sub("", name)).words)[0]
    for table in (_DIGITS_OF, _WORD_OF):
        if not table.keys().isdisjoint(words):
            yield tuple(table.get(word, word) for word in words)
    if len(words) == 2 and len(words[0]) + len(words[1]) >= _JOINED_FROM:
        yield ("".join(words),)
    if len(words) > 1 and words[-1] in _ROMAN_LETTERS:
        yield (*words[:-1], _ROMAN_LETTERS[words[-1]])


def _upright(name: str) -> str:
    inverted = _INVERTED.match(name) if "," in name else None
    return f"{inverted['article']} {inverted['name']}" if inverted else name


def _without_article(words: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    if len(words) > 1 and words[0] in ARTICLES:
        return words[1:], words[0]
    return words, None
