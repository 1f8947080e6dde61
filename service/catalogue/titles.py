"""Titles: how much context the words of one need, when two are the same, and how one may be spelled. Titles that a log writes
down itself are found in its texts word for word."""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from importlib import resources

import numpy as np

from ..text.words import Tokens, split_year, title_key, tokenise

_BANDS = {"function": 1, "common": 2, "everyday": 3, "names": 3, "proper": 3, "genres": 2}
_SHORT = 3
_RARE = 6
# Words that add up to this are no chance phrase: "garden lantern", but not "the next day".
_DISTINCT_FROM = 6

_ENDING = re.compile(
    r"(?<=...)(?:s|es|d|ed|r|er|ers|rs|ing|ings|ly|y|ness|less|ful|able|or|ors|ist|ists|ion|ment)$"
)


class Weight(IntEnum):
    """The context that a title needs: none; a mark or a phrase; a mark."""

    DISTINCT = 0
    EVERYDAY = 1
    FUNCTION = 2


def everydayness(word: str) -> int:
    """1 for a function word, a number or a letter, 2 for a word that fills any chat. 3 for an everyday or short word, 6 for one
    that is seldom used. Takes a folded word."""
    if word.isdigit() or (len(word) == 1 and word.isascii()):
        return 1
    if len(word) == 1:
        return 3  # a sign of a script that is written without spaces
    band = _words()[0]
    known = band.get(word)
    if known is not None:
        return known
    if len(word) <= _SHORT and word.isascii():
        return 3
    ending = _ENDING.search(word)
    if ending is not None and any(word[: ending.start()] + more in band for more in ("", "e")):
        return 3
    return _RARE


def is_proper(word: str) -> bool:
    """Return whether a word is often capitalised without being a title: days, nations, genres, makers."""
    sections = _words()[1]
    return word in sections["proper"] or word in sections["genres"]


def is_given_name(word: str) -> bool:
    """Return whether a word is a common given name."""
    return word in _words()[1]["names"]


def is_telling(word: str) -> bool:
    """Return whether a capital says that the word is part of a name."""
    return everydayness(word) >= 3 and not is_proper(word)


def weigh(words: Sequence[str]) -> Weight:
    """Return how easily these words stand in a text without naming anything."""
    bands = [everydayness(word) for word in words]
    if len(words) == 1:
        return Weight.FUNCTION if bands[0] < 3 else Weight.EVERYDAY if bands[0] == 3 else Weight.DISTINCT
    if sum(bands) >= _DISTINCT_FROM and (max(bands) > 2 or len(words) > 3):
        return Weight.DISTINCT
    return Weight.FUNCTION if max(bands) < 3 else Weight.EVERYDAY


@lru_cache(maxsize=1)
def _words() -> tuple[Mapping[str, int], Mapping[str, frozenset[str]]]:
    text = (resources.files(__package__) / "everyday.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif not line.startswith("#"):
            sections.setdefault(section, []).extend(line.split())
    band = {word: _BANDS[name] for name, words in sections.items() for word in words}
    return band, {name: frozenset(words) for name, words in sections.items()}


MAX_WORDS = 30
"""Words of a title that is looked for in texts: a longer one would let one item make every search slow."""

ARTICLES = frozenset({"the", "a", "an"})

# Joins by a hyphen, a dot or the like: "X-Men" is also written "Xmen".
_COMPOUND = re.compile(r"(?<=\w)[^\w\s/:&,]+(?=\w)")
_INVERTED = re.compile(r"^(?P<name>.*\S),\s*(?P<article>the|an|a)$", re.IGNORECASE | re.DOTALL)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS_OF = {word: str(number) for number, word in enumerate(_NUMBERS, start=1)}
_WORD_OF = {digits: word for word, digits in _DIGITS_OF.items()}
#: Words that number the parts of a series.
_PARTS = frozenset({"part", "episode", "chapter", "volume", "vol"})
_SUBTITLE = re.compile(r":\s|\s[-\u2013\u2014]\s")
# Two words may be run together ("starwars") where that leaves one long enough to be told.
_JOINED_FROM = 7
_ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}


YEAR_MARK = re.compile(r"\s{0,3}[(\[]((?:18|19|20)\d\d)[)\]]")
"""A year in brackets behind a title."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A title that a text marks as one: `text[start:end] == surface`."""

    start: int
    end: int
    surface: str


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


def series_of(title: str) -> tuple[str, ...]:
    """The folded words by which a title names the series that it may be a part of: those before a number, a subtitle or
    "and the", the leading article left off; all of a title without any of these."""
    name = _upright(split_year(title)[0])
    words = _without_article(tokenise(_SUBTITLE.split(name)[0]).words)[0]
    ends = (index for index, word in enumerate(words) if index and (word.isdigit() or word in _PARTS))
    cut = min(ends, default=len(words))
    joint = next((i for i in range(1, len(words) - 1) if words[i] == "and" and words[i + 1] in ARTICLES), cut)
    return words[: min(cut, joint)]


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


def marked(hashes: "array[int]") -> tuple[int, bytes]:
    """A mask, and a table that holds a one wherever one of the hashes, masked, points to."""
    size = 1 << ((8 * len(hashes)) or 1).bit_length() - 1
    table = np.zeros(size, np.uint8)
    if hashes:
        table[np.frombuffer(hashes, np.int64) & (size - 1)] = 1
    return size - 1, table.tobytes()


#: Letters from which on a title of one word is told by its capital alone.
_TELLING = 4


class Verbatim:
    """Titles by their words, as lists and items spell them; years and leading articles may be missing in a text.

    A title of several words counts wherever it stands with a capital, or letter by letter. One of a single word, or of function
    words alone, must be capitalised for another reason than heading a sentence. An exception is one that is all that is said."""

    def __init__(self, titles: Iterable[str]) -> None:
        self._titles: dict[str, str] = {}
        beginnings = array("q")
        for title in titles:
            words = tokenise(split_year(title)[0]).words
            if len(words) > 1 and words[0] in ARTICLES:
                words = words[1:]
            if words and len(words) <= MAX_WORDS:
                path = words[0]
                for word in words[1:]:
                    beginnings.append(hash(path))
                    path = f"{path} {word}"
                self._titles.setdefault(path, title)
        # As in an index: of the beginnings no more is kept than where their hashes point to.
        self._mask, self._begun = marked(beginnings)

    def find(self, text: str) -> Iterator[tuple[Guess, str]]:
        """Places of titles, left to right, the longest at each, with the title as it was given."""
        tokens = tokenise(text) if self._titles else None
        first = 0
        while tokens is not None and first < len(tokens):
            last, title = self._longest(tokens, first)
            if title is not None and self._meant(tokens, first, last, title):
                start, end = _start(tokens, first, title), tokens.ends[last - 1]
                yield Guess(start, end, text[start:end]), title
                first = last
            else:
                first += 1

    def _longest(self, tokens: Tokens, first: int) -> tuple[int, str | None]:
        path, end, found = tokens.words[first], first, None
        for last in range(first + 1, min(len(tokens), first + MAX_WORDS) + 1):
            if (title := self._titles.get(path)) is not None:
                end, found = last, title
            elif not self._begun[hash(path) & self._mask]:
                break
            if last < len(tokens):
                path = f"{path} {tokens.words[last]}"
        return end, found

    def _meant(self, tokens: Tokens, first: int, last: int, title: str) -> bool:
        text, start, end = tokens.text, tokens.starts[first], tokens.ends[last - 1]
        surface, words = text[start:end], tokens.words[first:last]
        said = YEAR_MARK.match(text, end)
        another_year = said and split_year(title)[1] not in (None, int(said[1]))
        follows = last < len(tokens) and tokens.gap(last) == " "
        if another_year or (follows and tokens.words[last].isdigit() and not said):
            return False  # "Heat 2" does not name Heat
        if len(words) > 1 and weigh(words) is not Weight.FUNCTION:
            return any(map(str.isupper, surface)) or surface in title
        if surface not in title or (len(words) == 1 and not is_telling(words[0])) or len(surface) < _TELLING:
            return False
        return all(_capital(tokens, i) for i in range(first, last)) and (
            text.strip(" .!?,") == surface
            or (
                re.fullmatch(r"[\w,;:'] ", text[max(0, start - 2) : start]) is not None
                and not (follows and _capital(tokens, last))
                and not (
                    tokens.gap(first) == " "
                    and _capital(tokens, first - 1)
                    and is_telling(tokens.words[first - 1])
                )
            )
        )


def _capital(tokens: Tokens, index: int) -> bool:
    return tokens.text[tokens.starts[index]].isupper()


def _start(tokens: Tokens, first: int, title: str) -> int:
    """Return where a title begins, its own article included."""
    article = title.split(maxsplit=1)[0].casefold()
    own = (
        article in ARTICLES and first > 0 and tokens.words[first - 1] == article and tokens.gap(first) == " "
    )
    return tokens.starts[first - 1] if own else tokens.starts[first]
