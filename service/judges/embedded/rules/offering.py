"""Find faults of the items that a reply offers, by the conversation and the catalogue."""

import re
from collections.abc import Iterable, Iterator

from ....grounding.money import prices
from ..observations.acts.acts import ReplyAct, UserAct, list_entries
from ..observations.content.topics import akin, comparable
from ..observations.naming import Named, kinds_offered
from ..observations.reading import Exchange
from .answering import REFERS_BACK
from .reply_faults import Course

_OTHERS = re.compile(
    r"\b(?:any(?:thing)? (?:others?|else)|another(?: one)?|something else|others\?)(?!\w)", re.IGNORECASE
)
#: From this share of fitting items an offer is of the right kind.
MOSTLY = 0.6


def poor_offers(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Keys of `LOSSES` for what is wrong with the items offered."""
    told = _told(exchange)
    costs = [price for read in exchange.reply for price in prices(read.text)] if course.limit else []
    if course.limit and costs and min(costs) > course.limit:
        yield "too-dear"
    if not offered:
        if course.unwanted & told and ReplyAct.ELICIT in exchange.acts:
            yield "unwanted-kind"
        return
    yield from _known_already(exchange, offered, course)
    if all(named.item is None for named in offered) and course.catalogue:
        yield "unknown-items"
    known = kinds_told(exchange, offered)
    yield from _misfit(known, course)
    yield from course.asked.missed_by(offered)
    number = len({named.key for named in offered})
    if course.number and (number > 1 if course.number == 1 else number < course.number):
        yield "wrong-number"
    unwanted = [kinds for kinds in known if kinds & course.unwanted]
    if course.unwanted & told or (unwanted and 2 * len(unwanted) >= len(known)):
        yield "unwanted-kind"


def kinds_told(exchange: Exchange, offered: Iterable[Named]) -> list[frozenset[str]]:
    """Return what is known of the kinds of the items that a reply offers: by the catalogue or, where that
    tells of none, by what the reply says."""
    told = _told(exchange)
    return kinds_offered(offered) or ([told] if told else [])


def _told(exchange: Exchange) -> frozenset[str]:
    """The kinds that a reply speaks of, outside titles and without turning them down."""
    kinds = (each for read in exchange.reply for each in read.kinds)
    return frozenset(kind for _, named, positive in kinds if positive for kind in named)


def _known_already(exchange: Exchange, offered: tuple[Named, ...], course: Course) -> Iterator[str]:
    """Items that the user has turned down, was offered before, or has named."""
    keys = {named.key for named in offered}
    heard = " ".join(read.text for read in exchange.user)
    if keys & course.refused:
        yield "turned-down"
    elif keys <= course.offered and (
        _OTHERS.search(heard) or not (UserAct.INQUIRE in exchange.wants or REFERS_BACK.search(heard))
    ):
        yield "offered-before"
    examples = {named.key for read in exchange.user for named in read.named}
    again = examples and any(named.key in examples for named in exchange.named)
    if again and UserAct.REQUEST in exchange.wants and any(list_entries(r.text) for r in exchange.reply):
        yield "named-back"


def _misfit(known: list[frozenset[str]], course: Course) -> Iterator[str]:
    """Items of these kinds, of another kind than the user asked for."""
    compared = [kinds for kinds in known if comparable(course.wanted, kinds)]
    if compared:
        fitting = sum(akin(course.wanted, kinds) for kinds in compared) / len(compared)
        if fitting < MOSTLY:
            yield "partly-wrong" if fitting else "wrong-kind"
