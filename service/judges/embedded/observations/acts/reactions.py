"""Read a user's reaction to a reply from the next message."""

from collections.abc import Collection, Sequence

from .....text.patterns import Lexicon
from .acts import UserAct

LEXICON = Lexicon(__package__, "reactions")

REACH = 3


def sentiment(tokens: Sequence[str]) -> float:
    """The feeling in a message, -1 to 1: positive and negative words, turned round by a negation up
    to three words before; 0 where there are none."""
    positive, negative = LEXICON.words("positive"), LEXICON.words("negative")
    if positive.isdisjoint(tokens) and negative.isdisjoint(tokens):
        return 0.0
    turning = LEXICON.words("turning")
    total = weight = 0
    for index, token in enumerate(tokens):
        if token in positive or token in negative:
            turned = not turning.isdisjoint(tokens[max(0, index - REACH) : index])
            total += 1 if (token in positive) is not turned else -1
            weight += 1
    return total / weight if weight else 0.0


def reaction(acts: Collection[UserAct], liking: float) -> float:
    """Return how well the last reply was received, -1 (a complaint) to 1 (taken up), by what the message
    does first, by the feeling in its words (`sentiment`) second."""
    if UserAct.COMPLAIN in acts:
        return -1.0
    if UserAct.ACCEPT in acts or UserAct.THANK in acts:
        return 1.0 if liking >= 0 else 0.0
    if UserAct.REJECT in acts:
        return -0.5
    if UserAct.SEEN in acts:
        return max(0.0, liking) * 0.5
    return liking * 0.5
