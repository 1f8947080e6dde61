"""Whether a text is English enough for rules that know English only."""

import unicodedata
from collections.abc import Sequence
from functools import cache

from .lexicon import word_set

READ = ("en",)
"""The languages that the embedded judge reads, as BCP 47 names them."""

ENOUGH_LETTERS = 24
ENOUGH_WORDS = 8


def is_other_language(tokens: Sequence[str], letters: str) -> bool:
    """Whether a text is certainly not English: most letters of another script, or clearly more of
    the commonest words of other languages than of English ones. Short or unmarked texts (a
    title, "ok") are not other: the benefit of the doubt keeps them assessable.

    `letters` is the text itself, or a piece long enough to judge."""
    return _foreign_script(letters[:4000]) or _foreign_words(tokens[:2000])


def _foreign_script(text: str) -> bool:
    if text.isascii():
        return False
    alphabetic = [letter for letter in text if letter.isalpha()]
    if len(alphabetic) < ENOUGH_LETTERS:
        return False
    latin = sum(
        letter < "\u0250" or unicodedata.name(letter, "").startswith("LATIN") for letter in alphabetic
    )
    return latin * 2 < len(alphabetic)


def _foreign_words(tokens: Sequence[str]) -> bool:
    if len(tokens) < ENOUGH_WORDS:
        return False
    english, other = word_set("languages", "english"), _other_alone()
    ours = sum(map(english.__contains__, tokens))
    theirs = sum(map(other.__contains__, tokens))
    return theirs > 2 * ours and theirs * 5 >= len(tokens)


@cache
def _other_alone() -> frozenset[str]:
    return word_set("languages", "other") - word_set("languages", "english")
