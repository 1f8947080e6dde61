"""Dialogue acts of users: what a message does, by patterns that hang on no domain's nouns (`acts.toml`)."""

from enum import StrEnum

from .patterns import Lexicon
from .words import Span, straight

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


def user_acts(text: str) -> dict[UserAct, Span]:
    """Return what a user's message does, each with the first stretch that shows it."""
    plain = straight(text)
    found = {act: LEXICON.finder("user", act).search(plain) for act in UserAct}
    return {act: Span(match.start(), match.end(), act) for act, match in found.items() if match}
