"""One spelling for titles and texts: what is folded before two of them are compared."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from .words import MARKS

# The year that a title carries at its end, as catalogues write it: "Name (1999)".
_TRAILING_YEAR = re.compile(r"[(\[]\s{0,9}((?:18|19|20)\d\d)\s{0,9}[)\]]$")

# Initials with dots are one word ("E.T."). Words, with inner apostrophes; scripts written without spaces give one token a character.
_HAN_KANA = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_APOSTROPHES = "'\u2019\u2018\u02bc`\u00b4"
_WORD = rf"[^\W_{_HAN_KANA}]"
_LETTER = rf"[^\W\d_{_HAN_KANA}]"
_TOKEN = rf"(?<![\w.]){_LETTER}(?:\.{_LETTER})+(?!\w)|[{_HAN_KANA}]|{_WORD}(?:[{MARKS}]|{_WORD}|[{_APOSTROPHES}](?={_WORD}))*|&|(?<=\s)\+(?=\s)"
_ASCII_TOKEN = re.compile(r"(?<![\w.])[a-z](?:\.[a-z])+(?!\w)|[a-z0-9]+(?:['`][a-z0-9]+)*|&|(?<=\s)\+(?=\s)")
_INNER_SIGNS = str.maketrans("", "", _APOSTROPHES + ".")

# Signs that some catalogues keep escaped, as in a URL ("What%3F"), separate words like the signs.
_ESCAPED = re.compile(r"%[23][0-9A-Fa-f](?![0-9A-Za-z])")

# Single letters are left alone here: "I" is a word. A title's own are handled where it is indexed.
_ROMAN = {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8",
    "ix": "9", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15",
}  # fmt: skip
_SPELLED = {"&": "and", "+": "and", **_ROMAN}


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text: `words[i]` is folded and stands at `text[starts[i]:ends[i]]`."""

    text: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.words)

    def gap(self, index: int) -> str:
        """Return what stands between the word at `index` and the one before it."""
        before = self.ends[index - 1] if index else 0
        after = self.starts[index] if index < len(self.words) else len(self.text)
        return self.text[before:after]

    def possessive(self, index: int) -> bool:
        """Return whether the word at `index` ends in an apostrophe and s."""
        end = self.ends[index]
        return end > 2 and self.text[end - 1] in "sS" and self.text[end - 2] in _APOSTROPHES


def title_key(title: str) -> str:
    """A title as whole strings are compared: NFKC, case and white space folded, year kept."""
    if title.isascii():
        return " ".join(title.lower().split())
    folded = unicodedata.normalize("NFD", title).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def split_year(title: str) -> tuple[str, int | None]:
    """A title and the year in brackets at its end; a title that is nothing else keeps it."""
    found = _TRAILING_YEAR.search(title.rstrip())
    if found is None or not title[: found.start()].strip():
        return title.strip(), None
    return title[: found.start()].strip(), int(found.group(1))


@lru_cache(maxsize=8)  # a message is looked through for a catalogue's titles, and for those that it marks
def tokenise(text: str) -> Tokens:
    """The words of a text with their places: accents, case, apostrophes and ampersands folded,
    Roman numerals as digits. Linear in the text's length."""
    read = _ESCAPED.sub("   ", text) if "%" in text else text
    if text.isascii():
        found = [(*m.span(), m.group()) for m in _ASCII_TOKEN.finditer(read.lower())]
    else:
        found = [(*m.span(), m.group()) for m in _token().finditer(read)]
    if not found:
        return Tokens(text, (), (), ())
    starts, ends, words = zip(*found, strict=True)
    return Tokens(text, _folded_ascii(words) if text.isascii() else tuple(map(_fold, words)), starts, ends)


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        _TOKEN
    )  # takes as long as a hundredth of a start, and texts that are all ASCII do without


def _folded_ascii(words: tuple[str, ...]) -> tuple[str, ...]:
    """The same for words in small letters that are all ASCII, at once."""
    if not "".join(words).isalnum():
        words = tuple([word if word.isalnum() else word.translate(_INNER_SIGNS) for word in words])
    return tuple(map(_SPELLED.get, words, words))


def _fold(word: str) -> str:
    if not word.isascii():
        parts = unicodedata.normalize("NFKD", word)
        word = "".join(part for part in parts if not unicodedata.combining(part))
    word = word.casefold().translate(_INNER_SIGNS)
    return _SPELLED.get(word, word)
