"""Titles: when two are the same, how one may be spelled, and which a text marks by itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .normalise import split_year, title_key, tokenise

ARTICLES = frozenset({"the", "a", "an"})

_INVERTED = re.compile(r"^(?P<name>.*\S),\s*(?P<article>the|an|a)$", re.IGNORECASE | re.DOTALL)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS_OF = {word: str(number) for number, word in enumerate(_NUMBERS, start=1)}
_WORD_OF = {digits: word for word, digits in _DIGITS_OF.items()}
_SUBTITLE = re.compile(r":\s+|\s+[-\u2013\u2014]\s+")
# Two words may be run together ("starwars") where that leaves one long enough to be told.
_JOINED_FROM = 7
_ROMAN_LETTERS = {"i": "1", "v": "5", "x": "10"}


@dataclass(frozen=True, slots=True)
class Guess:
    """A title that a text marks as one: `text[start:end] == surface`."""

    start: int
    end: int
    surface: str


def same_title(a: str, b: str, *, year_optional: bool) -> bool:
    """Whether two titles are equal as whole strings after NFKC, case and white space; with
    `year_optional` a year that one of them lacks matches any."""
    first, second = title_key(a), title_key(b)
    if first == second:
        return True
    if not year_optional:
        return False
    (name, year), (other, other_year) = split_year(first), split_year(second)
    return name == other and (year is None or other_year is None)


def spellings(title: str) -> Iterator[tuple[str, ...]]:
    """The token sequences that name a title in a text, the year and a leading article left off:
    as written, compounds joined, numbers as digits and as words. Repeats may occur."""
    words, chunks = _name_words(title)
    if not words:
        return
    yield words
    if len(chunks) < len(words):
        yield chunks
    for table in (_DIGITS_OF, _WORD_OF):
        yield tuple(table.get(word, word) for word in words)
    if len(words) == 2 and len(words[0]) + len(words[1]) >= _JOINED_FROM:
        yield ("".join(words),)
    if len(words) > 1 and words[-1] in _ROMAN_LETTERS:
        yield (*words[:-1], _ROMAN_LETTERS[words[-1]])


def article_of(title: str) -> str | None:
    """The article that opens a title, or stands at its end behind a comma."""
    words = tokenise(_upright(split_year(title)[0])).words
    return words[0] if len(words) > 1 and words[0] in ARTICLES else None


def subtitle(title: str) -> tuple[str, ...] | None:
    """The words behind a title's last colon or dash, by which people call parts of a series."""
    parts = _SUBTITLE.split(split_year(title)[0])
    words = _name_words(parts[-1])[0]
    return words if len(parts) > 1 and len(words) > 1 else None


def shouted(title: str) -> bool:
    """Whether a title is written in capitals throughout."""
    name = _upright(split_year(title)[0])
    first, _, rest = name.partition(" ")
    return (rest if first.lower() in ARTICLES and rest else name).isupper()


def _upright(name: str) -> str:
    inverted = _INVERTED.match(name)
    return f"{inverted['article']} {inverted['name']}" if inverted else name


def _name_words(title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A title's words, and the same with what a hyphen, dot or the like holds together joined."""
    name = _upright(split_year(title)[0])
    tokens = tokenise(name)
    chunks: list[str] = []
    for index, word in enumerate(tokens.words):
        gap = tokens.gap(index)
        if index and gap and not any(sign.isspace() or sign in "/:&" for sign in gap):
            chunks[-1] += word
        else:
            chunks.append(word)
    words = tokens.words
    if len(words) > 1 and words[0] in ARTICLES:
        return words[1:], tuple(chunks[1:]) if chunks[0] == words[0] else tuple(chunks)
    return words, tuple(chunks)


_NAME = r"[A-Z0-9][\w'’&.-]*(?:(?:\s|:\s)(?:(?:of|the|and|a|an|in|to|for|with|on|from|at|by|de|la)\s)*[A-Z0-9][\w'’&-]*){0,9}"
_MARKED = (
    re.compile(rf"(?P<title>{_NAME})\s*[(\[](?:18|19|20)\d\d[)\]]"),
    re.compile(r"[\"“](?P<title>[^\"“”\n]{1,80})[\"”]"),
    re.compile(rf"(?m)^\s*(?:[-*•]|\d{{1,2}}[.:)])\s+(?P<title>{_NAME})\s*$"),
    re.compile(
        rf"(?i:\bhow about|\bhave you seen|\bwhat about|\bi recommend|\btry|\bcalled|\bwatch)\s+(?P<title>{_NAME})"
    ),
)


def guess_titles(text: str) -> list[Guess]:
    """Titles that the text itself marks, left to right, for logs without a catalogue."""
    taken: list[Guess] = []
    for pattern in _MARKED:
        for match in pattern.finditer(text):
            start, end = match.span("title")
            if all(end <= other.start or start >= other.end for other in taken):
                taken.append(Guess(start, end, text[start:end]))
    return sorted(taken, key=lambda guess: guess.start)
