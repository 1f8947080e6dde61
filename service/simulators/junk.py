"""Messages that no user would send: a model's loops, leftovers of prompts and templates, text without words."""

import re

from ..llm.context import is_looping

LONGEST = 4_000
"""Characters of a message that a user may send."""
LONGEST_PHRASE = 6
FEWEST_REPEATS = 4
LEAST_LETTERS = 0.4

_LETTER = re.compile(r"[^\W\d_]")
_RUN = re.compile(r"([^\s.\-_=*])\1{9}")
_LEFTOVER = re.compile(
    r"<\|[^|\s]{1,40}\|>|</?(?:s|log|think|answer|schema|user|assistant)>|\[/?INST\]|\{\{|\}\}|```|\{\"|\"\}|\\n\\n"
    r"|\[(?:your|insert|item|title|movie|name|genre|actor|director|city|place|date|price|brand|product)\b[^\]\n]{0,40}\]"
    r"|\{(?:title|item|name|message|movie|genre|actor|price|product)\}"
    r"|^[^\S\n]{0,9}(?:user|assistant|recommender|system)[^\S\n]{0,3}:|\bas an? (?:AI|artificial|large) (?:language )?(?:model|intelligence)\b",
    re.IGNORECASE | re.MULTILINE,
)


def junk_in(message: str) -> str | None:
    """Return what makes a message unfit to be a user's, in words that a model can repair it by; None for a usable one."""
    if not _LETTER.search(message):
        return "it has no words"
    if len(message) > LONGEST:
        return f"it has {len(message)} characters: a user writes a few sentences"
    if _LEFTOVER.search(message):
        return "it holds a mark of a model's own form, which no user writes"
    if is_looping(message) or _RUN.search(message) or _repeats_a_phrase(message):
        return "it says the same again and again"
    shown = [character for character in message if not character.isspace()]
    if len(shown) > 10 and len(_LETTER.findall(message)) < LEAST_LETTERS * len(shown):
        return "it has hardly any words"
    return None


def _repeats_a_phrase(message: str) -> bool:
    """Return whether a phrase follows itself three times, and makes up half of the message."""
    words = [word for part in message.casefold().split() if (word := part.strip(".,;:!?\"'()"))]
    for length in range(1, LONGEST_PHRASE + 1):
        same = 0
        for at in range(length, len(words)):
            same = same + 1 if words[at] == words[at - length] else 0
            repeated = same + length
            if (
                repeated >= FEWEST_REPEATS * length
                and 2 * repeated >= len(words)
                and repeated >= FEWEST_REPEATS + 1
            ):
                return True
    return False
