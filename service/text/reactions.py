"""How a user takes a reply, read from the next message."""

from collections.abc import Collection, Sequence

from .acts import UserAct
from .lexicon import word_set

REACH = 3


def sentiment(tokens: Sequence[str]) -> float:
    """The feeling in a message, -1 to 1: positive and negative words, turned round by a negation up
    to three words before; 0 where there are none."""
    positive, negative = word_set("reactions", "positive"), word_set("reactions", "negative")
    turning = word_set("reactions", "turning")
    total = weight = 0
    for index, token in enumerate(tokens):
        value = (token in positive) - (token in negative)
        if value:
            turned = any(earlier in turning for earlier in tokens[max(0, index - REACH) : index])
            total += -value if turned else value
            weight += 1
    return total / weight if weight else 0.0


def reaction(acts: Collection[UserAct], tokens: Sequence[str]) -> float:
    """How well the last reply was received, -1 (a complaint) to 1 (taken up), by what the message does
    first, by its words second."""
    if UserAct.COMPLAIN in acts:
        return -1.0
    liking = sentiment(tokens)
    if UserAct.ACCEPT in acts or UserAct.THANK in acts:
        return 1.0 if liking >= 0 else 0.0
    if UserAct.REJECT in acts:
        return -0.5
    if UserAct.SEEN in acts:
        return max(0.0, liking) * 0.5
    return liking * 0.5
