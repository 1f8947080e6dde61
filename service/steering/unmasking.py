"""A text as a reader would decipher it, with the places that its characters came from: hidden signs left
out, lookalikes read as what they look like, letters that were set apart joined again."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..text.words import Span
from .lexicon import LEXICON

_SET_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*·]{1,3}){2,}[^\W\d_](?![^\W_])")
# Words glued by one sign ("ignore/all/of/it"), and words in which figures stand for letters ("1gn0re").
_GLUED = re.compile(r"(?<![^\W_])(?:[^\W_]{1,20}([/_|+*~.-])){2}(?:[^\W_]{1,20}\1){0,30}[^\W_]+")
_FIGURES = re.compile(r"\b(?=[013457@$]{0,24}[A-Za-z])(?=[A-Za-z]{0,24}[013457@$])[A-Za-z013457@$]{3,24}\b")
# Without these there are none such.
_GLUE, _FIGURE = re.compile(r"[/_|+*~.-][^\W_]"), re.compile("[013457@$]")
_LETTERS = str.maketrans("013457@$", "oieastas")
_SEPARATOR = re.compile(r"[ .\-_*·]+")
_LATIN = re.compile(
    r"(?:LATIN (SMALL |CAPITAL )?LETTER(?: SMALL CAPITAL)?|SYMBOL LETTER) ([A-Z])(?: WITH\b.*)?$"
)
_TAGS = range(0xE0020, 0xE007F)


@dataclass(frozen=True, slots=True)
class View:
    """A reading of a text; character `i` stands for what is at `places[i]` of it."""

    text: str
    places: tuple[int, ...] | None = None

    def span(self, start: int, end: int, kind: str) -> Span:
        """A stretch of this view, as one of the text."""
        if self.places is None:
            return Span(start, end, kind)
        ends = self.places[start], self.places[end - 1]  # in a text read from behind, the first is the later
        return Span(min(ends), max(ends) + 1, kind)


def views(text: str) -> Iterator[View]:
    """The text itself, and where they differ: without what hides, with lookalikes read as Latin
    letters, with letters joined that were set apart, and with words parted that were glued, their
    figures read as letters."""
    yield View(text)
    plain = View(text) if text.isascii() else _plain(text)
    if plain.text != text:
        yield plain
    latin = plain
    if not plain.text.isascii() and (folded := _as_latin(plain.text)) != plain.text:
        latin = View(folded, plain.places)
        yield latin
    joined = _joined(latin)
    if joined is not None:
        yield joined
    spelled = latin.text
    if _FIGURE.search(spelled):
        spelled = _FIGURES.sub(lambda word: word.group().translate(_LETTERS), spelled)
    if _GLUE.search(spelled):
        spelled = _GLUED.sub(lambda words: words.group().replace(words[1], " "), spelled)
    if spelled != latin.text:
        yield View(spelled, latin.places)


def _plain(text: str) -> View:
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for plain in _plainest(letter):
            letters.append(plain)
            places.append(place)
    return View("".join(letters), tuple(places))


def _plainest(letter: str) -> str:
    if letter.isascii():
        return letter
    if ord(letter) in _TAGS:
        return chr(ord(letter) - 0xE0000)
    if unicodedata.category(letter) == "Cf":
        return ""
    return unicodedata.normalize("NFKC", letter)


def _as_latin(text: str) -> str:
    """Lookalikes, and letters that Unicode names after one of the Latin alphabet: small capitals, letters in
    squares, letters with marks."""
    return "".join(letter if letter.isascii() else _latin(letter) for letter in text)


@cache
def _latin(letter: str) -> str:
    if (seen := _lookalikes().get(ord(letter))) is not None:
        return seen
    named = _LATIN.search(unicodedata.name(letter, ""))
    if named is None:
        return letter
    return named[2] if named[1] == "CAPITAL " else named[2].lower()


@cache
def _lookalikes() -> dict[int, str]:
    table = LEXICON.tables["lookalikes"]
    return {ord(known): seen for known, seen in zip(table["from"], table["to"], strict=True)}


def _joined(view: View) -> View | None:
    """The view with set-apart letters joined; another gap than the first one parts words. None where there are none."""
    kept: list[int] = []
    spaces: set[int] = set()
    position = 0
    for match in _SET_APART.finditer(view.text):
        kept += range(position, match.start())
        gaps = list(_SEPARATOR.finditer(match.group()))
        usual = gaps[0].group()
        begin = match.start()
        for gap in gaps:
            kept += range(begin, match.start() + gap.start())
            if gap.group() != usual:
                kept.append(match.start() + gap.start())
                spaces.add(kept[-1])
            begin = match.start() + gap.end()
        kept += range(begin, match.end())
        position = match.end()
    if not position:
        return None
    kept += range(position, len(view.text))
    text = "".join(" " if place in spaces else view.text[place] for place in kept)
    source = view.places
    return View(text, tuple(kept) if source is None else tuple(source[place] for place in kept))
