"""How a user takes the replies up, where nothing else tells whether the recommender found what was wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ...text.acts import UserAct
from ...text.learned import SATISFACTION
from .losses import FULL
from .reading import Read, Reading
from .replies import Judged
from .signals import NEUTRAL, most

#: What a reply that serves, one that the user takes up by thanking or accepting, one that the learned acts
#: see accepted, and a step of how content the user sounds count.
SERVED, TAKEN, ACCEPTED, CONTENT = 0.5, 0.45, 0.2, 0.6
#: What is known beforehand: the uptake to be expected, and as how many replies that counts beside those of the log.
EXPECTED, KNOWN = 0.4, 0.75
_TAKES = frozenset({UserAct.ACCEPT, UserAct.THANK})
_REFUSES = frozenset({UserAct.COMPLAIN, UserAct.REJECT})


@dataclass(frozen=True, slots=True)
class Uptake:
    """The mean over the replies, 0-1, drawn to what is to be expected where they are few, and the user's messages
    that take one up."""

    share: float
    taken: tuple[Read, ...]


def read_uptake(reading: Reading, judged: Sequence[Judged]) -> Uptake:
    """How the user took the replies up."""
    values = []
    taken: list[Read] = []
    for index, each in enumerate(judged):
        later = reading.after(index)
        glad = [read for read in later if read.does.keys() & _TAKES and not read.does.keys() & _REFUSES]
        taken += glad[:1]
        content = (
            fmean(reading.learned[r.index].get(SATISFACTION, NEUTRAL) for r in later) - NEUTRAL
            if later
            else 0.0
        )
        accepted = most(reading, later, "ACC")
        values.append(
            SERVED * each.score / FULL + TAKEN * bool(glad) + ACCEPTED * accepted + CONTENT * content
        )
    share = (sum(values) + KNOWN * EXPECTED) / (len(values) + KNOWN)
    return Uptake(min(1.0, max(0.0, share)), tuple(taken))
