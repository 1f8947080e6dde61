"""Words, sentences, and marked stretches of a text."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
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


def content_words(tokens: Iterable[str]) -> list[str]:
    """The words that carry a topic."""
    return [token for token in tokens if token not in FUNCTION_WORDS and len(token) > 1]


@lru_cache(maxsize=64)  # asked for by several rules in turn
def sentences(text: str) -> tuple[Span, ...]:
    """Sentences and lines of a text, blanks trimmed, empty ones left out."""
    return tuple(_sentences(text))


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
