"""Contentment of a note of feelings, and whether the note concerns the conversation."""

import re
from collections.abc import Sequence
from functools import cache

from .....text.patterns import Lexicon
from .....text.words import straight, words

LEXICON = Lexicon(__package__, "feelings")

#: A word that turns a feeling round stands at most so many words before it.
REACH = 3
#: Characters before a phrase in which such a word is looked for.
LOOK_BACK = 120
#: Weight of a note about the recommender, where one about the user's own mood weighs 1.
OF_THE_RECOMMENDER = 2.0


def contentment(note: str) -> float | None:
    """Return how content a note sounds, 0 (discontent) to 1 (content); None where it tells of no feeling.
    Phrases count like words, and what stands within `REACH` words after a word that turns it round counts
    as its opposite."""
    told: list[bool] = []
    plain = straight(note)
    for phrase, glad in (("content", True), ("discontent", False)):
        pattern = LEXICON.finder(phrase)
        told += [
            glad is not _turned(words(plain[max(0, match.start() - LOOK_BACK) : match.start()]))
            for match in pattern.finditer(plain)
        ]
        plain = pattern.sub(" ; ", plain)
    tokens = words(plain)
    for index, token in enumerate(tokens):
        feeling = _is(token, "positive") - _is(token, "negative")
        if feeling:
            told.append((feeling > 0) is not _turned(tokens[max(0, index - REACH) : index]))
    return sum(told) / len(told) if told else None


def _turned(before: Sequence[str]) -> bool:
    return not LEXICON.words("turning").isdisjoint(before[-REACH:])


def weight(note: str) -> float:
    """Return what a note weighs: twice as much where it speaks of the recommender or of what it said."""
    return OF_THE_RECOMMENDER if any(_is(token, "about") for token in words(note)) else 1.0


def _is(token: str, kind: str) -> bool:
    return bool(_pattern(kind).fullmatch(token))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return _any_of(sorted(LEXICON.words(kind)))


def _any_of(entries: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(entry).replace(r"\*", r"\w*") for entry in entries))
