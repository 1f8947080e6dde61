"""How content a note of feelings sounds, and whether it concerns the conversation."""

import re
from collections.abc import Sequence
from functools import cache

from .lexicon import compiled, word_set
from .words import straight, words

#: A word that turns a feeling round stands at most so many words before it.
REACH = 3
#: What a note about the recommender weighs beside one about the user's own temper.
OF_THE_RECOMMENDER = 2.0


def contentment(note: str) -> float | None:
    """How content a note sounds, 0 (discontent) to 1 (content); None where it tells of no feeling. Phrases
    count like words; a feeling within `REACH` words after a word that turns it round counts as its opposite."""
    plain = straight(note)
    good = len(compiled("feelings", "content").findall(plain))
    bad = len(compiled("feelings", "discontent").findall(plain))
    for phrase in ("content", "discontent"):
        plain = compiled("feelings", phrase).sub(" ; ", plain)
    tokens = words(plain)
    turning = word_set("feelings", "turning")
    for index, token in enumerate(tokens):
        feeling = _is(token, "positive") - _is(token, "negative")
        if not feeling:
            continue
        turned = not turning.isdisjoint(tokens[max(0, index - REACH) : index])
        good += (feeling > 0) is not turned
        bad += (feeling > 0) is turned
    return good / (good + bad) if good + bad else None


def weight(note: str) -> float:
    """What a note weighs: twice as much where it speaks of the recommender or of what it said."""
    return OF_THE_RECOMMENDER if any(_is(token, "about") for token in words(note)) else 1.0


def _is(token: str, kind: str) -> bool:
    return bool(_pattern(kind).fullmatch(token))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return _any_of(sorted(word_set("feelings", kind)))


def _any_of(entries: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(entry).replace(r"\*", r"\w*") for entry in entries))
