"""Dialogue acts: what a message of the user or of the recommender does.

A message may do several things at once. Rules, not a classifier: each act is shown by the stretch of text
that betrays it, and none hangs on one domain's nouns. The patterns are in `lexicon/acts.toml`.
"""

import re
from enum import StrEnum
from functools import cache, lru_cache
from typing import TypeVar

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, straight, words

LEXICON = Lexicon(__package__, "acts")


class UserAct(StrEnum):
    """An act of the user; the order is that of the lexicon."""

    GREET = "greet"
    THANK = "thank"
    CLOSE = "close"
    REQUEST = "request"
    INQUIRE = "inquire"
    WHY = "why"
    PREFER = "prefer"
    REJECT = "reject"
    SEEN = "seen"
    COMPLAIN = "complain"
    ACCEPT = "accept"
    CONFIRM = "confirm"


class ReplyAct(StrEnum):
    """An act of the recommender. `ask` is any question, `elicit` one about the user's wishes, `unaware` an
    admission not to know."""

    GREET = "greet"
    CLOSE = "close"
    WELCOME = "welcome"
    ASK = "ask"
    ELICIT = "elicit"
    OFFER = "offer"
    RECOMMEND = "recommend"
    INFORM = "inform"
    APOLOGISE = "apologise"
    PRAISE = "praise"
    UNAWARE = "unaware"
    CONFIRM = "confirm"


_MARKER = re.compile(
    r"(?:^\(?\d{1,2}\s?[.:)]\s|(?:^|(?<=\s))(?:\(?\d{1,2}(?:\s?[.:)][ \t]|\s{2,})|[-*•]\s))[ \t]*(?=\S)",
    re.MULTILINE,
)
_SIGN = re.compile(r"[\d*•-]")
"""Without any of these there is no marker."""


def user_acts(text: str) -> dict[UserAct, Span]:
    """Return what a user's message does, each with the first stretch that shows it."""
    return _acts(_finders("user", UserAct), straight(text))


def reply_acts(text: str) -> dict[ReplyAct, Span]:
    """Return what a recommender's message does, each with the first stretch that shows it. A list of two
    or more numbered or bulleted entries recommends."""
    acts = _acts(_finders("reply", ReplyAct), straight(text))
    entries = list_entries(text)
    if entries and ReplyAct.RECOMMEND not in acts:
        acts[ReplyAct.RECOMMEND] = Span(entries[0].start, entries[-1].end, ReplyAct.RECOMMEND)
    return acts


Act = TypeVar("Act", UserAct, ReplyAct)


def _acts(finders: tuple[tuple[Act, ...], Finders], plain: str) -> dict[Act, Span]:
    found = zip(finders[0], finders[1].search(plain), strict=True)
    return {act: Span(match.start(), match.end(), act) for act, match in found if match}


@cache
def _finders(side: str, acts: type[Act]) -> tuple[tuple[Act, ...], Finders]:
    """The acts of a side and what shows each."""
    return tuple(acts), Finders(*(LEXICON.finder(side, act) for act in acts))


@lru_cache(maxsize=64)  # asked for by several rules in turn
def list_entries(text: str) -> tuple[Span, ...]:
    """The entries of a numbered or bulleted list, markers left out; none for a single marker, which
    is more often a number in a sentence."""
    if not _SIGN.search(text):
        return ()
    marks = list(_MARKER.finditer(text))
    numbered = [mark for mark in marks if any(sign.isdigit() for sign in mark.group())]
    if len(numbered) > 1:  # "1. A title - a comedy": the dash opens no entry of its own
        marks = numbered
    if len(marks) < 2:
        return ()
    entries = []
    for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True):
        entry = text[mark.end() : end].split("\n", 1)[0].rstrip()
        if entry:
            entries.append(Span(mark.end(), mark.end() + len(entry), "entry"))
    return tuple(entries) if len(entries) > 1 else ()


def is_brief(text: str, limit: int = 4) -> bool:
    """Return whether a message has at most `limit` words: often too short to carry an act of its own."""
    return len(words(text[: 40 * (limit + 1)])) <= limit
