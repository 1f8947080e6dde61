"""Dialogue acts: what a message of the user or of the recommender does, and how the user takes a reply up.

A message may do several things at once. Rules, not a classifier: each act is shown by the stretch of text
that betrays it, and none hangs on one domain's nouns. The patterns are in `acts.toml`.
"""

import re
from collections.abc import Collection, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import TypeVar

from .....text.patterns import Finders, Lexicon
from .....text.words import Span, straight, words

LEXICON = Lexicon(__package__, "acts")
#: A word that turns a feeling round stands at most so many words before it.
REACH = 3


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


def sentiment(tokens: Sequence[str]) -> float:
    """The feeling in a message, -1 to 1: positive and negative words, turned round by a negation up
    to three words before; 0 where there are none."""
    positive, negative = LEXICON.words("feeling", "positive"), LEXICON.words("feeling", "negative")
    if positive.isdisjoint(tokens) and negative.isdisjoint(tokens):
        return 0.0
    turning = LEXICON.words("feeling", "turning")
    total = weight = 0
    for index, token in enumerate(tokens):
        if token in positive or token in negative:
            turned = not turning.isdisjoint(tokens[max(0, index - REACH) : index])
            total += 1 if (token in positive) is not turned else -1
            weight += 1
    return total / weight if weight else 0.0


def reaction(acts: Collection[UserAct], liking: float) -> float:
    """Return how well the last reply was received, -1 (a complaint) to 1 (taken up). What the message does decides first, the
    feeling in its words (`sentiment`) second."""
    if UserAct.COMPLAIN in acts:
        return -1.0
    if UserAct.ACCEPT in acts or UserAct.THANK in acts:
        return 1.0 if liking >= 0 else 0.0
    if UserAct.REJECT in acts:
        return -0.5
    if UserAct.SEEN in acts:
        return max(0.0, liking) * 0.5
    return liking * 0.5
