"""Each reply against what the user wanted of it: the ground of coherence, recoverability, proactiveness.

A reply starts with the full 4 points and loses some for each thing that shows it to miss the user's intent
(`losses.py`); a reply that keeps less than `MISSED` points misses."""

from dataclasses import dataclass
from enum import StrEnum

from ...text.acts import ReplyAct
from ...text.reactions import reaction
from ...text.words import excerpt
from .faults import Course, aftermath, own_faults
from .finding import Exhibit
from .intent import unserved
from .losses import FULL, LOSSES, MISSED
from .naming import Named
from .reading import Exchange, Read, Reading


class Lead(StrEnum):
    """How a reply moves the user on: not at all, by suggesting something new (or asking whether an item
    is known), by asking about wishes or offering a next step."""

    NOT = "not"
    SUGGESTS = "suggests"
    ASKS = "asks"


#: Points that a reply wins back when the user takes it up gladly.
WELCOME = 1.0
#: Losses that the user's next message brings, whatever the reply was in itself.
AFTERMATH = frozenset({"objected", "asked-again"})
#: With one of these losses a reply moves nobody on.
IDLE = frozenset({"empty", "broken", "repeats", "echoes", "greets-again", "asks-again"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn's reply: the points it keeps, 0-4, and why it lost the others (`kinds`, keys of `LOSSES`).
    `lead` says how it moves the user on; `answers` whether it serves what was wanted, whatever the
    user did next; `fresh` are the items it offers for the first time."""

    exchange: Exchange
    score: float
    kinds: tuple[str, ...]
    lead: Lead
    answers: bool
    fresh: tuple[Named, ...]

    @property
    def missed(self) -> bool:
        return self.score < MISSED

    @property
    def exhibit(self) -> Exhibit:
        """The reply, with its heaviest reasons."""
        read = self.exchange.reply[0]
        if not self.kinds:
            return Exhibit(read, excerpt(read.text), "serves what the user wanted")
        reasons = sorted(self.kinds, key=lambda kind: -LOSSES[kind][0])[:2]
        matter = " and ".join(LOSSES[kind][1] for kind in reasons)
        return Exhibit(read, excerpt(read.text), matter, FULL - self.score)


def judge_replies(reading: Reading) -> tuple[Judged, ...]:
    """Every turn's reply, in order."""
    course = Course(started=bool(reading.history), catalogued=reading.case.catalogue is not None)
    judged = []
    offers = reading.offers
    for index, (exchange, offered) in enumerate(offers):
        judged.append(_judge(exchange, offered, reading.after(index), course))
    return tuple(judged)


def _judge(exchange: Exchange, offered: tuple[Named, ...], later: tuple[Read, ...], course: Course) -> Judged:
    course.hear(exchange)
    own = list(own_faults(exchange, course))
    needs = [] if "empty" in own else list(unserved(exchange, offered, course))
    kinds = tuple(dict.fromkeys([*own, *needs, *aftermath(exchange, later)]))
    fresh = tuple(named for named in offered if named.key not in course.offered)
    course.remember(exchange, offered)
    return Judged(
        exchange=exchange,
        score=min(FULL, max(0.0, FULL - sum(LOSSES[kind][0] for kind in kinds)) + _welcome(later)),
        kinds=kinds,
        lead=_guides(exchange, own, needs, fresh),
        answers=not own and not needs,
        fresh=fresh,
    )


def _guides(exchange: Exchange, own: list[str], needs: list[str], fresh: tuple[Named, ...]) -> Lead:
    """How a reply moves the user on."""
    if IDLE & {*own, *needs}:
        return Lead.NOT
    if exchange.acts & {ReplyAct.ELICIT, ReplyAct.OFFER}:
        return Lead.ASKS
    return Lead.SUGGESTS if fresh or ReplyAct.ASK in exchange.acts else Lead.NOT


def _welcome(later: tuple[Read, ...]) -> float:
    """Points won back by how the user takes the reply up."""
    if not later:
        return 0.0
    return WELCOME * max(0.0, *(reaction(read.does, read.words) for read in later), 0.0)
