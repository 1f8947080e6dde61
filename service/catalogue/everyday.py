"""Frequency of words, which decides how much context a title made of them needs."""

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from importlib import resources

_BANDS = {"function": 1, "common": 2, "everyday": 3, "names": 3, "proper": 3, "genres": 2}
_SHORT = 3
_RARE = 6
# Words that add up to this are no chance phrase: "garden lantern", but not "the next day".
_DISTINCT_FROM = 6

_ENDING = re.compile(
    r"(?<=...)(?:s|es|d|ed|r|er|ers|rs|ing|ings|ly|y|ness|less|ful|able|or|ors|ist|ists|ion|ment)$"
)


class Weight(IntEnum):
    """The context that a title needs: none; a mark or a phrase; a mark."""

    DISTINCT = 0
    EVERYDAY = 1
    FUNCTION = 2


def everydayness(word: str) -> int:
    """1 for a function word, a number or a letter, 2 for one that fills any chat, 3 for an everyday
    or short one, 6 for one that is seldom used. Takes a folded word."""
    if word.isdigit() or (len(word) == 1 and word.isascii()):
        return 1
    if len(word) == 1:
        return 3  # a sign of a script that is written without spaces
    band = _words()[0]
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
    sections = _words()[1]
    return word in sections["proper"] or word in sections["genres"]


def is_given_name(word: str) -> bool:
    """Return whether a word is a common given name."""
    return word in _words()[1]["names"]


def is_telling(word: str) -> bool:
    """Return whether a capital says that the word is part of a name."""
    return everydayness(word) >= 3 and not is_proper(word)


def weigh(words: Sequence[str]) -> Weight:
    """Return how easily these words stand in a text without naming anything."""
    bands = [everydayness(word) for word in words]
    if len(words) == 1:
        return Weight.FUNCTION if bands[0] < 3 else Weight.EVERYDAY if bands[0] == 3 else Weight.DISTINCT
    if sum(bands) >= _DISTINCT_FROM and (max(bands) > 2 or len(words) > 3):
        return Weight.DISTINCT
    return Weight.FUNCTION if max(bands) < 3 else Weight.EVERYDAY


@lru_cache(maxsize=1)
def _words() -> tuple[Mapping[str, int], Mapping[str, frozenset[str]]]:
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
