"""Are simulated users any good? Two published checks, to be run before their sessions are trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ..domain.conversation import ConversationLog, Item
from ..prompts import neutralise, render
from .asker import Answered, Asker, prompt
from .claims import belief
from .form import Form
from .offers import Offer, Shelf, offers
from .phrases import style_of
from .transcript import item_card

PUBLISHED_CHOICES = 0.695
"""PEPPER, table 2: how often the simulator prefers the higher-rated of two held-out items."""

PUBLISHED_FALSE_ACCEPTANCES = 0.0744
"""CONCEPT, appendix D: acceptances although what the recommender said did not meet the wishes."""

MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two held-out items of one user, `better` the one that it rated higher."""

    preferences: str
    better: Item
    worse: Item


@dataclass(frozen=True, slots=True)
class Audit:
    """A share of cases, 0-1, with what was published for it; None where no case counts."""

    name: str
    share: float | None
    counted: int
    left_out: int
    published: float
    usage: Usage = NO_USAGE


class _Choice(Form):
    number: int


async def audit_choices(cases: Sequence[RatedPair], domain: str, asker: Asker, call: Call) -> Audit:
    """Does a taste prefer the item that its user rated higher? Every pair is asked in both orders, so
    that a model which always takes the first gets one half."""
    right = counted = 0
    usage = NO_USAGE
    for case in cases:
        for better_at, items in ((1, (case.better, case.worse)), (2, (case.worse, case.better))):
            text = render(
                prompt("choice"),
                plural=style_of(domain).plural,
                preferences=neutralise(case.preferences),
                items="\n".join(
                    f'<item number="{n}">\n{item_card(item)}\n</item>' for n, item in enumerate(items, 1)
                ),
            )
            answer = await asker.ask([ChatMessage("user", text)], _Choice, call)
            usage += answer.usage
            if isinstance(answer, Answered) and answer.value.number in (1, 2):
                counted += 1
                right += answer.value.number == better_at
    share = right / counted if counted else None
    return Audit("prefers_higher_rated", share, counted, 2 * len(cases) - counted, PUBLISHED_CHOICES, usage)


def audit_acceptances(logs: Iterable[ConversationLog], catalogue: Catalogue | None = None) -> Audit:
    """Of the sessions that ended in an acceptance: the share in which the recommender's words do not bear it out. They deny a
    wish of the user's for the accepted item, or never grant it.

    The words are read by rule, attribute by attribute as the log's user names them, so a claim in
    other words counts as none: an upper bound for users that speak in words of their own. Logs
    without an acceptance, wishes or an item in the accepting message are left out."""
    counted = against = left_out = 0
    for log in logs:
        fits = _bears_out(log, catalogue)
        if fits is None:
            left_out += 1
            continue
        counted += 1
        against += not fits
    share = against / counted if counted else None
    return Audit("accepts_against_preferences", share, counted, left_out, PUBLISHED_FALSE_ACCEPTANCES)


def _bears_out(log: ConversationLog, catalogue: Catalogue | None) -> bool | None:
    if log.outcome is None or not log.outcome.accepted or log.outcome.message is None:
        return None
    wishes = log.user.attributes if log.user else ()
    before = log.messages[: log.outcome.message]
    shown = offers(before, Shelf.of(log, catalogue), MOST_SHOWN)
    taken = _taken(log.messages[log.outcome.message].content, shown)
    if not wishes or taken is None:
        return None
    return not set(wishes) - belief(taken, wishes, before, shown).claimed


def _taken(text: str, shown: Sequence[Offer]) -> Offer | None:
    return next((offer for offer in reversed(shown) if offer.title.casefold() in text.casefold()), None)
