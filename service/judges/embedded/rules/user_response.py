"""Read how a user takes the replies up, and what there was to take. Nothing else tells there whether the recommender found what
was wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum
from statistics import fmean

from ..observations.acts.acts import UserAct
from ..observations.acts.heads import SATISFACTION
from ..observations.reading import Read, Reading
from .findings import later_weighs
from .replies import FULL, Judged, Lead

#: Worth of a reply that serves, one that the user accepts, one that the user thanks for, and one that the learned acts see
#: accepted.
SERVED, TAKEN, THANKED, ACCEPTED = 0.5, 0.6, 0.15, 0.5
#: Contentment with which people sound with a recommender by and large: the mean of the ratings that this is learned from.
USUAL = 3.12
#: Weight of one step of how content the user sounds. It shrinks with how little the reply served, and with how little the
#: user's messages answer replies: orders, and words to a machine that fails, sound content or not for many reasons.
CONTENT = 13.0
#: Share of the user's messages that answer replies: up to `ORDERS` their tone counts nothing, from `TALK` on it counts fully,
#: and the replies' own service counts less by `GIVES_WAY`. `BEYOND` messages that answer nothing are added to those of the
#: log, because a few messages tell little of how somebody talks.
ORDERS, TALK, GIVES_WAY, BEYOND = 0.1, 0.3, 0.7, 3
#: Least weight of the user's tone in a session whose replies all ask and suggest nothing, as in an interview: there the
#: user's messages answer questions.
INTERVIEW = 0.5
#: Learned acts that answer a reply instead of asking on: accepting, and thanks, greetings and small talk.
ANSWERS = ("ACC", "OTH")
#: Prior: the expected uptake, and the number of replies that it counts as beside those of the log.
EXPECTED, KNOWN = 0.4, 3.0
#: Weight of the last reply, where the first weighs 1: a session's result shows at its end.
LAST = 4.0
#: New items of a reply that count, and how many it takes, all of the kinds asked for in replies that serve, until
#: further ones add a third of what the first did.
A_REPLY, ENOUGH = 3, 6.0
_TAKES = frozenset({UserAct.ACCEPT, UserAct.THANK})
_REFUSES = frozenset({UserAct.COMPLAIN, UserAct.REJECT})


@dataclass(frozen=True, slots=True)
class Uptake:
    """The mean over the replies, later ones weighing more, 0-1 and drawn to what is to be expected where they are few. And the
    user's messages that take one up. `content` is what the way that the user sounds adds to the mean, or takes off it."""

    share: float
    taken: tuple[Read, ...]
    content: float


def read_uptake(reading: Reading, judged: Sequence[Judged]) -> Uptake:
    """Return how the user took the replies up."""
    values = []
    swings = []
    taken: list[Read] = []
    talk = _talk(reading, judged)
    heard = max(talk, INTERVIEW * _asked(judged))
    for index, each in enumerate(judged):
        later = reading.after(index)
        glad = [read for read in later if read.does.keys() & _TAKES and not read.does.keys() & _REFUSES]
        taken += glad[:1]
        served = each.score / FULL
        shown = SERVED * served + GIVES_WAY * talk * (EXPECTED - SERVED * served)
        swings.append(CONTENT * heard * served * _content(reading, later))
        values.append(
            shown
            + _taken_up(glad)
            + ACCEPTED * max([_accepts(reading.learned[read.index]) for read in later], default=0.0)
            + swings[-1]
        )
    known = len(values) / (len(values) + KNOWN)
    weights = later_weighs(len(values), LAST)
    share = known * (fmean(values, weights) if values else 0.0) + (1 - known) * EXPECTED
    swing = known * fmean(swings, weights) if swings else 0.0
    return Uptake(min(1.0, max(0.0, share)), tuple(taken), swing)


def _accepts(heard: Mapping[str, float]) -> float:
    """Return by how much a message sounds more like accepting than like neither yes nor no: "Hmm, ok." sounds like both."""
    return max(0.0, heard.get("ACC", 0.0) - heard.get("NRE", 0.0))


def _taken_up(glad: Sequence[Read]) -> float:
    """Return what messages that accept or thank count; one that does both accepts."""
    if not glad:
        return 0.0
    return TAKEN if any(UserAct.ACCEPT in read.does for read in glad) else THANKED


def _talk(reading: Reading, judged: Sequence[Judged]) -> float:
    """Return whether the user's messages answer the replies before them, as in talk between people (1), or
    order on (0)."""
    known = [
        min(1.0, fsum(reading.learned[read.index].get(act, 0.0) for act in ANSWERS))
        for index in range(len(judged))
        for read in reading.after(index)
    ]
    answers = fsum(known) / (len(known) + BEYOND)
    return min(1.0, max(0.0, (answers - ORDERS) / (TALK - ORDERS)))


def _asked(judged: Sequence[Judged]) -> float:
    """Return the share of replies that ask and suggest nothing."""
    return fmean([float(each.lead is Lead.ASKS and not each.offers) for each in judged] or [0.0])


def _content(reading: Reading, later: Sequence[Read]) -> float:
    """Return how much more or less content than usual the user's next messages sound."""
    known = [reading.learned[read.index].get(SATISFACTION, USUAL) for read in later]
    return fmean(known) - USUAL if known else 0.0


def read_choice(judged: Sequence[Judged]) -> float:
    """Return what there was to choose from, 0-1: items offered for the first time, up to three a reply. Each counts by how well
    the reply served and how far its items are of the kinds asked for. Each further one adds less."""
    worth = fsum(min(A_REPLY, len(each.fresh)) * each.score / FULL * (1 + each.fit) / 2 for each in judged)
    return 1 - exp(-worth / ENOUGH)
