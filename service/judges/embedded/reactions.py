"""Users' reactions to a recommender, by the words of their later messages."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ...domain.counts import ACCEPTED, CONTENT, OBJECTED, REJECTED
from ...text.acts import UserAct, user_acts
from ...text.feelings import contentment

ACTS = {ACCEPTED: UserAct.ACCEPT, REJECTED: UserAct.REJECT, OBJECTED: UserAct.COMPLAIN}
NEUTRAL = 0.5
"""The contentment of a message that tells of no feeling."""


def reactions(said: Sequence[str]) -> Mapping[str, float]:
    """Return the shares of a user's messages that accept, reject and complain, and their mean contentment, 0 to 1; nothing
    without messages."""
    if not said:
        return {}
    acts = [user_acts(text) for text in said]
    felt = [contentment(text) for text in said]
    return {
        **{name: fmean(act in found for found in acts) for name, act in ACTS.items()},
        CONTENT: fmean(NEUTRAL if one is None else one for one in felt),
    }
