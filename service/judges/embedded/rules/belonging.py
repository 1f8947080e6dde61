"""A reply that clearly does not belong to its conversation, as the encoder reads the two.

The bounds were chosen on our own contrasts: a reply from elsewhere loses points, and no good reply loses many
(docs/embedded-judge.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ..observations.hearing import Fit
from ..observations.reading import Reading
from ..wording import say
from .findings import Exhibit, exhibit
from .replies import Judged

ELSEWHERE = "elsewhere"
#: Key in `counts` of coherence's verdicts: the mean probability that a reply belongs to the conversation.
BELONGING = "belonging"
#: Under the first probability a reply loses points, from the second on all of `COST`.
DOUBTFUL, CLEAR = 0.16, 0.01
COST = 2.5
#: Words of topic from which on a reply says enough to be out of place: "Have fun!" fits anywhere.
ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Stray:
    """A reply that does not fit, and the message of the user that it follows, both as they are shown."""

    reply: Exhibit
    request: Exhibit


def guarded(reading: Reading, judged: Sequence[Judged]) -> tuple[list[Judged], list[Stray]]:
    """The replies with what belonging takes off their scores, and those that lost by it."""
    found, strays = [], []
    for each in judged:
        fit = reading.fits.get(each.exchange.reply[0].index)
        cost = min(each.score, points_lost(fit)) if fit and _says_enough(each) else 0.0
        if fit and cost > 0:
            strays.append(_stray(reading, fit, cost))
            found.append(replace(each, score=each.score - cost, kinds=(*each.kinds, ELSEWHERE)))
        else:
            found.append(each)
    return found, strays


def share_belonging(reading: Reading) -> dict[str, float]:
    """The mean probability, 0 to 1, that a reply belongs, under the name that verdicts count it by; empty where the encoder
    read no reply."""
    chances = [fit.probability for fit in reading.fits.values()]
    return {BELONGING: fmean(chances)} if chances else {}


def points_lost(fit: Fit) -> float:
    """Points that a reply loses, 0 to `COST`."""
    return COST * min(1.0, max(0.0, (DOUBTFUL - fit.probability) / (DOUBTFUL - CLEAR)))


def _says_enough(each: Judged) -> bool:
    return len(frozenset(word for read in each.exchange.reply for word in read.topic)) >= ENOUGH


def _stray(reading: Reading, fit: Fit, cost: float) -> Stray:
    reply, request = (reading.messages[index] for index in (fit.reply, fit.request))
    return Stray(
        exhibit(reply, 0, len(reply.text), say("belonging.does-not-fit", index=request.index), cost),
        exhibit(request, 0, len(request.text), say("belonging.followed"), 0.0),
    )
