"""Decide whether a text is English enough for rules that know English only."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from .....text.patterns import Lexicon
from .....text.words import FUNCTION_WORDS, words

LEXICON = Lexicon(__package__, "languages")

READ = ("en",)
"""The languages that the embedded judge reads, as BCP 47 names them."""

ENOUGH_LETTERS = 24
FEWEST_LETTERS = 2
ENOUGH_WORDS = 8


def is_other_language(tokens: Sequence[str], letters: str) -> bool:
    """Return whether a text is not English: most letters are of another script, chat words of other
    languages ("danke") outnumber English words, or the commonest words of other languages clearly
    outnumber the English ones. Unmarked texts (a title, "ok") are not other: the benefit of the doubt
    keeps them assessable.

    `letters` is the text itself, or a piece long enough to judge."""
    return _foreign_script(letters[:4000]) or _foreign_words(tokens[:2000])


def _foreign_script(text: str) -> bool:
    if text.isascii():
        return False
    alphabetic = [letter for letter in text if letter.isalpha()]
    if len(alphabetic) < FEWEST_LETTERS:
        return False
    latin = sum(
        letter < "\u0250" or unicodedata.name(letter, "").startswith("LATIN") for letter in alphabetic
    )
    if latin * 2 >= len(alphabetic):
        return False
    # "Try 七人の侍" is English with a long title.
    return len(alphabetic) >= ENOUGH_LETTERS or not is_english(words(text))


def is_english(tokens: Sequence[str]) -> bool:
    """Return whether a text holds one of the commonest words that English shares with no other language."""
    return not _languages().english_alone.isdisjoint(tokens)


def _foreign_words(tokens: Sequence[str]) -> bool:
    known = _languages()
    chat, ours, theirs = (
        sum(map(listed.__contains__, tokens)) for listed in (known.said, known.english, known.other)
    )
    if chat and chat + theirs > sum(map(known.english_alone.__contains__, tokens)):
        return True
    return len(tokens) >= ENOUGH_WORDS and theirs > 2 * ours and theirs * 5 >= len(tokens)


class _Languages(NamedTuple):
    """The commonest words of English and of other languages, and what is said in chats of these."""

    english: frozenset[str]
    english_alone: frozenset[str]
    other: frozenset[str]
    said: frozenset[str]


@cache
def _languages() -> _Languages:
    english, said = LEXICON.words("english"), LEXICON.words("said")
    alone = (english | FUNCTION_WORDS) - LEXICON.words("shared") - LEXICON.words("other") - said
    return _Languages(english, alone, LEXICON.words("other") - english - said, said - english)
