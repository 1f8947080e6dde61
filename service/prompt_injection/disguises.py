"""A text as a reader would decipher it: hidden signs left out, lookalikes read as what they look like, letters that were set
apart joined again. Each character keeps the place that it came from. There are also stretches that stand for another text:
Base64, hexadecimal, codes of single characters, ROT13, text written backwards."""

import base64
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from urllib.parse import unquote

from ..text.patterns import Lexicon
from ..text.words import Span

#: The patterns, stems and weights of `steering.toml`.
LEXICON = Lexicon(__package__, "steering")
_SET_APART = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*·]{1,3}){2,}[^\W\d_](?![^\W_])")
# Words glued by one sign ("ignore/all/of/it"), and words in which figures stand for letters ("1gn0re").
_GLUED = re.compile(r"(?<![^\W_])(?:[^\W_]{1,20}([/_|+*~.-])){2}(?:[^\W_]{1,20}\1){0,30}[^\W_]+")
_FIGURES = re.compile(r"\b(?=[013457@$]{0,24}[A-Za-z])(?=[A-Za-z]{0,24}[013457@$])[A-Za-z013457@$]{3,24}\b")
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
    """The text itself, and where they differ: without what hides, with lookalikes read as Latin letters, and with letters joined
    that were set apart. Words that were glued are parted, their figures read as letters."""
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
    spelled = _FIGURES.sub(lambda word: word.group().translate(_LETTERS), latin.text)
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
    letters = list(view.text)
    for match in _SET_APART.finditer(view.text):
        gaps = list(_SEPARATOR.finditer(view.text, *match.span()))
        for gap in gaps:
            letters[gap.start() : gap.end()] = [""] * len(gap.group())
            if gap.group() != gaps[0].group():
                letters[gap.start()] = " "
    kept = [place for place, letter in enumerate(letters) if letter]
    if len(kept) == len(letters):
        return None
    places = tuple(kept) if view.places is None else tuple(view.places[place] for place in kept)
    return View("".join(letters), places)


LONGEST_CODE = 4000
MOST_CODES = 20
LEAST_LETTERS, LEAST_IN_RECORDS = 0.8, 0.5

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}")
_BASE32 = re.compile(r"(?<![A-Z0-9])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9])")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]?){12,}(?![0-9A-Fa-f])")
_BINARY = re.compile(r"(?<![01])(?:[01]{8}[ ,]?){8,}(?![01])")
_PERCENT = re.compile(r"(?:[\w.~!*'()/+-]{0,40}%[0-9A-Fa-f]{2}){2,}[\w.~!*'()/+-]{0,40}")
_ESCAPES = re.compile(r"(?:(?:\\u\{?[0-9A-Fa-f]{4}\}?|\\x[0-9A-Fa-f]{2}|&#x?[0-9A-Fa-f]{2,5};)[ ]?){6,}")
_ESCAPE = re.compile(r"\\u\{?([0-9A-Fa-f]{4})\}?|\\x([0-9A-Fa-f]{2})")
_URL = re.compile(r"https?://\S+|www\.\S+")
_WORD = re.compile(r"[a-z]{2,}")
# Words that text written backwards is likely to hold.
_TURNED = frozenset({"eht", "dna", "siht", "uoy", "evig", "taht", "rof", "si"})
# The first five letters of words that orders to a judge are made of.
_TELLING = frozenset(
    """instr rubri score evalu judge gradi grade asses ratin ignor crite verdi maxim highe marks perfe
    conve dialo assis recom promp outpu disre flawl award""".split()  # noqa: SIM905
)
_TELLING_SHIFTED = frozenset(codecs.encode(head, "rot13") for head in _TELLING)


def codes(text: str) -> Iterator[tuple[Span, str]]:
    """Stretches that decode to a text, with that text. At most `MOST_CODES` of a kind."""
    for pattern, decode in _KINDS:
        for match in islice(pattern.finditer(text), MOST_CODES):
            try:
                decoded = decode(match.group()[:LONGEST_CODE])
            except ValueError:
                continue
            if _is_text(decoded):
                yield Span(match.start(), match.end(), "code"), decoded


def addresses(text: str) -> list[Span]:
    """Web addresses: what is coded in one is no message."""
    return [Span(match.start(), match.end(), "address") for match in _URL.finditer(text)]


def turned(text: str) -> Iterator[View]:
    """Readings of the whole text in ROT13 and from behind, where that brings out words that orders are made of."""
    written = set(_WORD.findall(text.lower()))
    if not _TELLING_SHIFTED.isdisjoint(word[:5] for word in written):
        yield View(codecs.encode(text, "rot13"))
    if len(written & _TURNED) > 1 or not _TELLING.isdisjoint(word[-1:-6:-1] for word in written):
        yield View(text[::-1], tuple(range(len(text) - 1, -1, -1)))


def _from_base64(code: str) -> str:
    standard = code.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True).decode()


def _from_base32(code: str) -> str:
    bare = code.rstrip("=")
    return base64.b32decode(bare + "=" * (-len(bare) % 8)).decode()


def _from_hex(code: str) -> str:
    return bytes.fromhex(re.sub(r"0x|\\x|[ ,:]", "", code)).decode()


def _from_binary(code: str) -> str:
    return bytes(int(byte, 2) for byte in re.findall("[01]{8}", code)).decode()


def _from_percent(code: str) -> str:
    return unquote(code.replace("+", " "))


def _from_escapes(code: str) -> str:
    plain = _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), html.unescape(code))
    return plain.encode("utf-8", "replace").decode()


_KINDS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (_BASE64, _from_base64),
    (_BASE32, _from_base32),
    (_HEX, _from_hex),
    (_BINARY, _from_binary),
    (_PERCENT, _from_percent),
    (_ESCAPES, _from_escapes),
)


def _is_text(decoded: str) -> bool:
    """Return whether it reads as words: letters, blanks and the signs between them; in a record or markup
    there may be more signs."""
    likely = sum(letter.isalpha() or letter in " ,.'!?:-\n" for letter in decoded)
    record = decoded[:1] in {"{", "[", "<"} and decoded.isprintable()
    return likely >= (LEAST_IN_RECORDS if record else LEAST_LETTERS) * len(decoded) and any(
        map(str.isalpha, decoded)
    )
