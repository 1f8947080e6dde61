"""How a user takes the replies up, and what there was to take, where nothing else tells whether the recommender found
what was wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum
from statistics import fmean

from ...text.acts import UserAct
from ...text.learned import SATISFACTION
from .losses import FULL
from .reading import Read, Reading
from .replies import Judged
from .signals import NEUTRAL, most

#: What a reply that serves, one that the user takes up by thanking or accepting, and one that the learned acts
#: see accepted count.
SERVED, TAKEN, ACCEPTED = 0.5, 0.45, 0.2
#: What a step of how content the user sounds counts, and the most that it does: the less, by the square, the less the
#: reply served, since words to a machine that fails sound content for all sorts of reasons.
CONTENT, SWING = 3.0, 1.0
#: What is known beforehand: the uptake to be expected, and as how many replies that counts beside those of the log.
EXPECTED, KNOWN = 0.4, 0.75
#: New items of a reply that count, and how many it takes, all of the kinds asked for in replies that serve, until
#: further ones add a third of what the first did.
A_REPLY, ENOUGH = 3, 6.0
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
        served = each.score / FULL
        content = min(SWING, max(-SWING, CONTENT * _content(reading, later)))
        accepted = most(reading, later, "ACC")
        values.append(SERVED * served + TAKEN * bool(glad) + ACCEPTED * accepted + content * served**2)
    share = (sum(values) + KNOWN * EXPECTED) / (len(values) + KNOWN)
    return Uptake(min(1.0, max(0.0, share)), tuple(taken))


def _content(reading: Reading, later: Sequence[Read]) -> float:
    """How far from neither content nor discontent the user's next messages sound, -2 to 2."""
    known = [reading.learned[read.index].get(SATISFACTION, NEUTRAL) for read in later]
    return fmean(known) - NEUTRAL if known else 0.0


def read_choice(judged: Sequence[Judged]) -> float:
    """What there was to choose from, 0-1: items offered for the first time, up to three a reply, each by how well the reply
    served and how far its items are of the kinds asked for. Each further one adds less."""
    worth = fsum(min(A_REPLY, len(each.fresh)) * each.score / FULL * (1 + each.fit) / 2 for each in judged)
    return 1 - exp(-worth / ENOUGH)
