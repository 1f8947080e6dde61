"""A reply that asks for patience, and nothing comes of it."""

import re

from .....text.words import straight
from ...observations.acts.acts import ReplyAct, UserAct
from ...observations.reading import Exchange
from ..rule import Needs, Rule, Seen

_WAIT = re.compile(
    r"\blet me (?:just |quickly )?(?:check|look|see|search|find out|think)\b(?! (?:if|whether) (?:i|we) (?:understand|got))"
    r"|\b(?:one|just a|give me a) (?:moment|second|sec|minute)\b"
    r"|\bi(?:'ll| will) (?:check|look into|search for|get back)\b"
    r"|\b(?:hold on|bear with me|please wait)\b",
    re.IGNORECASE,
)
#: Words of a reply that asks for patience and says little else.
BRIEF = 25
_DONE = frozenset({UserAct.CLOSE, UserAct.ACCEPT})


def _finds(seen: Seen) -> bool:
    if not _stalls(seen.exchange) or seen.offered:
        return False
    following = seen.following
    if following is None or not following.reply:
        return seen.over and not (following and following.wants & _DONE)
    return _stalls(following) and not following.named


def _stalls(exchange: Exchange) -> bool:
    """Return whether a reply asks for patience, names nothing and asks nothing."""
    if exchange.named or len(exchange.said) > BRIEF or exchange.acts & {ReplyAct.ELICIT, ReplyAct.ASK}:
        return False
    return any(_WAIT.search(straight(read.text)) for read in exchange.reply)


RULE = Rule(
    slug="stalls",
    cost=3.0,
    finds=_finds,
    needs=Needs.NEXT_REPLY,
    matches=(
        ("U: Is there a table for two tonight?", "A: Let me check that for you."),
        (
            "U: A calm film, please.",
            "A: One moment please, I'll search for one.",
            "U: ok",
            "A: Hold on, still looking.",
        ),
    ),
    passes=(
        ("U: A calm film, please.", "A: Let me see: The Quiet Harbour (1999) is calm."),
        ("U: A calm film, please.", "A: Let me check: do you like old films?"),
        ("U: A calm film, please.", "A: One moment.", "U: ok", "A: How about The Quiet Harbour (1999)?"),
    ),
)
