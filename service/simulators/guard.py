"""The leak guard: a simulated user must not name the item that it secretly wants."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from ..catalogue.titles import spellings
from ..text.words import FUNCTION_WORDS, Span, Tokens, sentences, split_year, tokenise

LEAK_SIMILARITY = 90.0
"""iEvaLM's released code counts a fuzzy match above 90 of 100 as a leak; so do we, on whole words."""

NOWHERE_NEAR = 60.0

_SHORT = 4
_LONGEST = 300
"""Characters of a title that are looked for: each stretch of a text as long is compared with it."""

_YEAR_AFTER = re.compile(r"\s{0,9}[(\[](?:18|19|20)\d\d[)\]]")
_QUOTES = frozenset("'\"*“”\u2018\u2019")


def names(title: str, text: str, *, certain: bool = False) -> bool:
    """Return whether a text names a title. `certain` asks titles of one word to be written as a name: what
    a guard may suspect is no proof that somebody spoke of the item."""
    return bool(mentions(title, text, certain=certain))


def mentions(title: str, text: str, *, certain: bool = False) -> list[tuple[int, int]]:
    """Return where a text names a title: spans of characters.

    A run of whole words counts when its similarity to the title is over 90 of 100; year, case,
    punctuation, a leading article and a subtitle are set aside. A title of one short word ("It",
    "Heat") must be written as a name: with a capital inside a sentence, in quotes or with a year; for
    a guard a capital at a sentence's beginning is enough, unless the word is one of grammar's."""
    plain = text.casefold()
    # Most texts hold nothing near a title, and this is quickly seen.
    forms = [
        (form, length)
        for form, length in _forms(title)
        if fuzz.partial_ratio(form, plain, score_cutoff=NOWHERE_NEAR)
    ]
    if not forms:
        return []
    tokens = tokenise(text)
    found: list[tuple[int, int]] = []
    for form, length in forms:
        as_name = length == 1 and (certain or len(form) <= _SHORT)
        for size in range(max(1, length - 1), length + 2):
            for first in range(len(tokens) - size + 1):
                window = " ".join(tokens.words[first : first + size])
                if _alike(form, window, exact=as_name):
                    span = tokens.starts[first], tokens.ends[first + size - 1]
                    suspect = not certain and form not in FUNCTION_WORDS
                    if not as_name or _written_as_name(tokens, *span, anywhere=suspect):
                        found.append(span)
    return found


def remove_leaks(text: str, titles: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Take out every sentence that names one of the titles; return the rest of the text, and those sentences. A title with a full stop inside
    ("Dr. Moth") takes all sentences that it stretches over."""
    leaks = [span for title in titles for span in mentions(title, text)]
    kept: list[str] = []
    removed: list[tuple[int, int]] = []
    said = sentences(text)
    for sentence, touched in zip(said, touching(leaks, said), strict=True):
        if not touched:
            kept.append(sentence.of(text))
        elif removed and any(start < removed[-1][1] for start, _ in touched):
            removed[-1] = (removed[-1][0], sentence.end)
        else:
            removed.append((sentence.start, sentence.end))
    return " ".join(kept), tuple(text[start:end] for start, end in removed)


def touching(found: Iterable[tuple[int, int]], said: Sequence[Span]) -> list[list[tuple[int, int]]]:
    """Return for each sentence of a text, in their order, which of these stretches reach into it."""
    starts, ends = [sentence.start for sentence in said], [sentence.end for sentence in said]
    touched: list[list[tuple[int, int]]] = [[] for _ in said]
    for start, end in found:
        for place in range(bisect_right(ends, start), bisect_left(starts, end)):
            touched[place].append((start, end))
    return touched


@lru_cache(maxsize=1024)
def _forms(title: str) -> frozenset[tuple[str, int]]:
    """The ways to spell a title, each with its number of words. A subtitle may be left off where
    what stays is still a name."""
    whole = split_year(title)[0][:_LONGEST]
    short = whole.split(":")[0]
    parts = (whole, short) if len(short.split()) > 1 or len(short) > _SHORT else (whole,)
    return frozenset((" ".join(words), len(words)) for part in parts for words in spellings(part))


def _alike(form: str, window: str, *, exact: bool) -> bool:
    if exact:
        return form == window
    return abs(len(form) - len(window)) <= len(form) // 4 + 1 and fuzz.ratio(form, window) > LEAK_SIMILARITY


def _written_as_name(tokens: Tokens, start: int, end: int, *, anywhere: bool) -> bool:
    before, after = tokens.text[:start], tokens.text[end:]
    if _YEAR_AFTER.match(after) or (before[-1:] in _QUOTES and after[:1] in _QUOTES and before and after):
        return True
    opens_sentence = not before.strip() or before.rstrip()[-1] in ".!?:\n"
    return tokens.text[start].isupper() and (anywhere or not opens_sentence)
