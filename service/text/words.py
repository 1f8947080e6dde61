"""Words and sentences of a text, marked stretches of it, and one spelling for titles and words: what is folded before two of them are
compared. And how everyday a word is."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import accumulate
from typing import NamedTuple

#: Signs that belong to the letter before them, of which Python takes none for a part of a word: accents, points, vowels.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83"
    "\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u102b-\u103e"
)
_WORD = re.compile(rf"[^\W\d_]+(?:(?:['\u2019]|[{MARKS}]+)[^\W\d_]+|[{MARKS}]+)*|\d+(?:[.,]\d+)*")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*|\d+(?:[.,]\d+)*")
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”\u2019)\]]*(?=\s|$)|\n")

#: Words that carry no topic: function words, and the verbs of talking about choosing.
FUNCTION_WORDS = frozenset(
    """a about after again all also am an and any are aren't as at be because been before being but by can can't
    could couldn't did didn't do does doesn't doing don't down during each either else even ever every few for
    from further get gets getting give given go goes going gonna got had hadn't has hasn't have haven't having he
    he's her here hers him his how i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just let
    let's like made make many may maybe me might mine more most much must my myself neither no nor not of off oh
    ok okay on once one ones only or other our ours out over own perhaps please pretty quite rather really s same
    shall she she's should shouldn't since so some something sorry still such sure t take tell than thank thanks
    that that's the their theirs them then there there's these they they'd they'll they're they've thing things
    this those though through to too u under until up us very wanna want wants was wasn't we we'd we'll we're we've
    well were weren't what what's when where which while who who's whom whose why will with without won't would
    wouldn't yeah yes yet you you'd you'll you're you've your yours""".split()  # noqa: SIM905 - a list of words reads best as prose
)


class Span(NamedTuple):
    """Characters `start` to `end` (exclusive) of a text, with the name of what was found there. A tuple: there
    are hundreds for a message, and they are sorted again and again."""

    start: int
    end: int
    kind: str

    def of(self, text: str) -> str:
        """The stretch itself."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        return self.start < other.end and other.start < self.end


def outside(spans: Iterable[Span], protected: Iterable[Span]) -> list[Span]:
    """The spans that touch none of the protected ones (titles and names, say), sorted. No
    slower than sorting; spans may overlap one another."""
    ordered = sorted(spans)
    walls = sorted(protected) if ordered else []
    if not walls:
        return ordered
    starts = [wall.start for wall in walls]
    reach = list(accumulate((wall.end for wall in walls), max))
    kept = []
    for span in ordered:
        before = bisect_left(starts, span.end)
        if not before or reach[before - 1] <= span.start:
            kept.append(span)
    return kept


def blank(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans replaced by blanks, so that all other positions stay the same."""
    pieces = []
    position = 0
    for span in sorted(spans):
        if span.end <= position:
            continue
        start = max(span.start, position)
        pieces += [text[position:start], " " * (span.end - start)]
        position = span.end
    pieces.append(text[position:])
    return "".join(pieces)


def straight(text: str) -> str:
    """The text with straight apostrophes, for the lexicons' patterns; positions stay."""
    return text.replace("\u2019", "'")


def fold(text: str) -> str:
    """Case and typographic apostrophes set aside. Not for positions: folding may change lengths."""
    return straight(text).casefold()


def words(text: str) -> list[str]:
    """The words of a text, folded."""
    return _ASCII_WORD.findall(text.lower()) if text.isascii() else _WORD.findall(fold(text))


def grams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All runs of `n` words."""
    return list(zip(*(tokens[start:] for start in range(n)), strict=False))


def distinct(texts: Iterable[str], n: int) -> float | None:
    """Different n-grams over all n-grams of texts, none across two of them; None where there is none."""
    found = [gram for text in texts for gram in grams(words(text), n)]
    return len(set(found)) / len(found) if found else None


@lru_cache(
    maxsize=4
)  # asked for by several rules in turn; kept for a whole log they would take more than the log
def word_spans(text: str) -> tuple[Span, ...]:
    """The words of a text where they stand; `kind` is the folded word."""
    if text.isascii():  # folding keeps positions then, and once for all is faster
        new = tuple.__new__  # there are hundreds in a log: a call of `Span` would take twice as long
        return tuple(
            [new(Span, (*match.span(), match.group())) for match in _ASCII_WORD.finditer(text.lower())]
        )
    return tuple([Span(*match.span(), fold(match.group())) for match in _WORD.finditer(text)])


@lru_cache(maxsize=64)  # asked for by several rules in turn
def sentences(text: str) -> tuple[Span, ...]:
    """Sentences and lines of a text, blanks trimmed, empty ones left out."""
    return tuple(_sentences(text))


def sentence_at(text: str, position: int) -> Span:
    """Return the sentence around a position of a text; the whole text if the position is in none."""
    found = sentences(text)
    place = bisect_right(found, position, key=lambda one: one.start) - 1
    within = place >= 0 and position < found[place].end
    return found[place] if within else Span(0, len(text), "sentence")


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for match in SENTENCE_END.finditer(text):
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        yield Span(start + left, start + right, "sentence")


def excerpt(text: str, limit: int = 90) -> str:
    """The start of a text, cut at a word, as an exact piece of it: what a quote shows."""
    piece = text.strip()
    line = piece.split("\n", 1)[0].rstrip()
    if len(line) <= limit:
        return line
    cut = line.rfind(" ", 0, limit)
    return line[: cut if cut > limit // 2 else limit].rstrip()


def quotation(piece: str, text: str, limit: int = 60) -> str:
    """A piece of a text as a sentence quotes it: the start of the piece, with an ellipsis at either end where the text goes on."""
    shown = excerpt(piece, limit)
    start = text.find(piece)
    end = piece.find(shown) + len(shown)
    before = start > 0 and not text[:start].isspace()
    after = text[start + end :] if start >= 0 else piece[end:]
    return f"{'… ' if before else ''}{shown}{' …' if after and not after.isspace() else ''}"


# The year that a title carries at its end, as catalogues write it: "Name (1999)".
_TRAILING_YEAR = re.compile(r"[(\[]\s{0,9}((?:18|19|20)\d\d)\s{0,9}[)\]]$")

# Initials with dots are one word ("E.T."). Words, with inner apostrophes; scripts written without spaces give one token a character.
_HAN_KANA = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_APOSTROPHES = "'\u2019\u2018\u02bc`\u00b4"
_TOKEN_WORD = rf"[^\W_{_HAN_KANA}]"
_TOKEN_LETTER = rf"[^\W\d_{_HAN_KANA}]"
_TOKEN = rf"(?<![\w.]){_TOKEN_LETTER}(?:\.{_TOKEN_LETTER})+(?!\w)|[{_HAN_KANA}]|{_TOKEN_WORD}(?:[{MARKS}]|{_TOKEN_WORD}|[{_APOSTROPHES}](?={_TOKEN_WORD}))*|&|(?<=\s)\+(?=\s)"
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


#: The band of each section of `everyday.txt`, as `everydayness` gives it.
_BANDS = {"function": 1, "common": 2, "everyday": 3, "names": 3, "proper": 3, "genres": 2}
_SHORT = 3
_RARE = 6
_ENDING = re.compile(
    r"(?<=...)(?:s|es|d|ed|r|er|ers|rs|ing|ings|ly|y|ness|less|ful|able|or|ors|ist|ists|ion|ment)$"
)


def everydayness(word: str) -> int:
    """1 for a function word, a number or a letter, 2 for a word that fills any chat. 3 for an everyday or short word, 6 for one
    that is seldom used. Takes a folded word."""
    if word.isdigit() or (len(word) == 1 and word.isascii()):
        return 1
    if len(word) == 1:
        return 3  # a sign of a script that is written without spaces
    band = _everyday()[0]
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
    sections = _everyday()[1]
    return word in sections["proper"] or word in sections["genres"]


def is_given_name(word: str) -> bool:
    """Return whether a word is a common given name."""
    return word in _everyday()[1]["names"]


def is_telling(word: str) -> bool:
    """Return whether a capital says that the word is part of a name."""
    return everydayness(word) >= 3 and not is_proper(word)


@lru_cache(maxsize=1)
def _everyday() -> tuple[Mapping[str, int], Mapping[str, frozenset[str]]]:
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
