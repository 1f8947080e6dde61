"""Contentment in a note of feelings."""

import re
from collections.abc import Sequence
from functools import cache

from .patterns import Lexicon
from .words import straight, words

FEELINGS = Lexicon(__package__, "feelings")

#: A word that turns a feeling round stands at most so many words before it.
REACH = 3
#: Characters before a phrase in which such a word is looked for.
LOOK_BACK = 120


def contentment(note: str) -> float | None:
    """Return how content a note sounds, 0 (discontent) to 1 (content); None where it has no feeling.
    Phrases count like words. Within `REACH` words after a negation, a feeling counts as its opposite."""
    signs: list[bool] = []
    plain = straight(note)
    for phrase, glad in (("content", True), ("discontent", False)):
        pattern = FEELINGS.finder(phrase)
        signs += [
            glad is not _turned(words(plain[max(0, match.start() - LOOK_BACK) : match.start()]))
            for match in pattern.finditer(plain)
        ]
        plain = pattern.sub(" ; ", plain)
    tokens = words(plain)
    for index, token in enumerate(tokens):
        feeling = _is(token, "positive") - _is(token, "negative")
        if feeling:
            signs.append((feeling > 0) is not _turned(tokens[max(0, index - REACH) : index]))
    return sum(signs) / len(signs) if signs else None


def negates(text: str) -> bool:
    """Return whether a text has a word that turns a feeling round."""
    return not FEELINGS.words("turning").isdisjoint(words(text))


def _turned(before: Sequence[str]) -> bool:
    return not FEELINGS.words("turning").isdisjoint(before[-REACH:])


def speaks_of_recommender(note: str) -> bool:
    """Return whether a note is about the recommender or what it said."""
    return any(_is(token, "about") for token in words(note))


def _is(token: str, kind: str) -> bool:
    return bool(_pattern(kind).fullmatch(token))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    entries = sorted(FEELINGS.words(kind))
    return re.compile("|".join(re.escape(entry).replace(r"\*", r"\w*") for entry in entries))
