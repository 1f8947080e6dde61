"""Users' reactions to a recommender, by the words of their later messages."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ...domain.counts import ACCEPTED, CONTENT, OBJECTED, REJECTED, REPEATED
from ...text.acts import UserAct, user_acts
from ...text.feelings import contentment, negates
from ...text.words import words

ACTS = {ACCEPTED: UserAct.ACCEPT, REJECTED: UserAct.REJECT, OBJECTED: UserAct.COMPLAIN}
NEUTRAL = 0.5
"""The contentment of a message that tells of no feeling."""
TILT = 0.25
"""An exclamation mark adds this to a message's contentment, and a negation takes it away."""
REMEMBERED = 20
"""Earlier messages that a message is compared with."""


def reactions(said: Sequence[str]) -> Mapping[str, float]:
    """Return the shares of a user's messages that accept, reject and complain, and their mean contentment, 0 to 1; nothing
    without messages."""
    if not said:
        return {}
    acts = [user_acts(text) for text in said]
    return {
        **{name: fmean(act in found for found in acts) for name, act in ACTS.items()},
        CONTENT: fmean(_contentment(text) for text in said),
    }


def _contentment(text: str) -> float:
    mood = contentment(text)
    mood = (NEUTRAL if mood is None else mood) + TILT * ("!" in text) - TILT * negates(text)
    return min(max(mood, 0.0), 1.0)


def repetition(said: Sequence[str]) -> Mapping[str, float]:
    """Return how much users repeat themselves, 0 to 1; nothing for a single message.

    A message repeats the share of words that it has in common with the earlier message most like it. The mean is over all
    messages but the first."""
    sets = [frozenset(words(text)) for text in said]
    alike = [
        max(len(each & other) / max(len(each | other), 1) for other in sets[max(0, at - REMEMBERED) : at])
        for at, each in enumerate(sets)
        if at
    ]
    return {REPEATED: fmean(alike)} if alike else {}
