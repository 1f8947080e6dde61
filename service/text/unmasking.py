"""A text as a reader would decipher it, with the places that its characters came from: hidden signs left
out, lookalikes read as what they look like, letters that were set apart joined again."""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from . import lexicon
from .spans import Span

_SET_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*·]{1,3}){2,}[^\W\d_](?![^\W_])")
# Words glued by one sign ("ignore/all/of/it"), and words in which figures stand for letters ("1gn0re").
_GLUED = re.compile(r"(?<![^\W_])(?:[^\W_]{1,20}([/_|+*~.-])){2}(?:[^\W_]{1,20}\1){0,30}[^\W_]+")
_FIGURES = re.compile(r"\b(?=[013457@$]*[A-Za-z])(?=[A-Za-z]*[013457@$])[A-Za-z013457@$]{3,24}\b")
_LETTERS = str.maketrans("013457@$", "oieastas")
_SEPARATOR = re.compile(r"[ .\-_*·]+")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){16,}(?![0-9A-Fa-f])")
_RIGHT_TO_LEFT = re.compile("\u202e([^\u202c\n]+)")
_TAGS = range(0xE0020, 0xE007F)
LONGEST_CODE = 4000
MOST_CODES = 20


@dataclass(frozen=True, slots=True)
class View:
    """A reading of a text; character `i` stands for what is at `places[i]` of it."""

    text: str
    places: tuple[int, ...] | None = None

    def span(self, start: int, end: int, kind: str) -> Span:
        """A stretch of this view, as one of the text."""
        if self.places is None:
            return Span(start, end, kind)
        return Span(self.places[start], self.places[end - 1] + 1, kind)


def views(text: str) -> Iterator[View]:
    """The text itself, and where they differ: without what hides, with lookalikes read as Latin
    letters, with letters joined that were set apart, and with words parted that were glued, their
    figures read as letters."""
    yield View(text)
    plain = View(text) if text.isascii() else _plain(text)
    if plain.text != text:
        yield plain
    latin = plain
    if not plain.text.isascii() and (folded := plain.text.translate(_lookalikes())) != plain.text:
        latin = View(folded, plain.places)
        yield latin
    joined = _joined(latin)
    if joined is not None:
        yield joined
    spelled = latin.text
    if any(figure in spelled for figure in "013457@$"):
        spelled = _FIGURES.sub(lambda word: word.group().translate(_LETTERS), spelled)
    spelled = _GLUED.sub(lambda words: words.group().replace(words[1], " "), spelled)
    if spelled != latin.text:
        yield View(spelled, latin.places)


def codes(text: str) -> Iterator[tuple[Span, str]]:
    """Stretches that decode to a text (Base64, hexadecimal, written backwards), and that text."""
    found = 0
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, bytes.fromhex)):
        for match in pattern.finditer(text):
            found += 1
            if found > MOST_CODES:
                return
            try:
                decoded = decode(match.group()[:LONGEST_CODE]).decode("utf-8")
            except (binascii.Error, ValueError):
                continue
            yield Span(match.start(), match.end(), "code"), decoded
    for match in _RIGHT_TO_LEFT.finditer(text):
        yield Span(match.start(), match.end(), "code"), match[1][::-1]


def _from_base64(token: str) -> bytes:
    standard = token.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)


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


@cache
def _lookalikes() -> dict[int, str]:
    table = lexicon.load("steering")["lookalikes"]
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
