"""Are simulated users any good? Two published checks, to be run before their sessions are trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ..domain.conversation import ConversationLog, Item
from ..prompts import neutralise, render
from .asker import Answered, Asker, prompt
from .claims import belief
from .conduct import Trait, share
from .form import Form
from .offers import ItemLookup, offers
from .phrases import style_of
from .transcript import numbered_cards

CHOICES, FALSE_ACCEPTANCES = "prefers_higher_rated", "accepts_against_preferences"
PUBLISHED = {CHOICES: 0.695, FALSE_ACCEPTANCES: 0.0744}
"""PEPPER, table 2: how often the simulator prefers the higher-rated of two held-out items. CONCEPT, appendix D: acceptances
although what the recommender said did not meet the wishes."""

MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two held-out items of one user, `better` the one that it rated higher."""

    preferences: str
    better: Item
    worse: Item


class _Choice(Form):
    number: int


async def audit_choices(
    cases: Sequence[RatedPair], domain: str, asker: Asker, call: Call
) -> tuple[Trait, Usage]:
    """Return how often a taste prefers the item that its user rated higher, and what asking took. Every pair is asked in both
    orders, so that a model which always takes the first gets one half."""
    right: list[bool] = []
    usage = NO_USAGE
    for case in cases:
        for better_at, items in ((1, (case.better, case.worse)), (2, (case.worse, case.better))):
            text = render(
                prompt("choice"),
                plural=style_of(domain).plural,
                preferences=neutralise(case.preferences),
                items=numbered_cards(items),
            )
            answer = await asker.ask([ChatMessage("user", text)], _Choice, call)
            usage += answer.usage
            if isinstance(answer, Answered) and answer.value.number in (1, 2):
                right.append(answer.value.number == better_at)
    return share(CHOICES, right), usage


def audit_acceptances(logs: Iterable[ConversationLog], catalogue: Catalogue | None = None) -> Trait:
    """Of the sessions that ended in an acceptance: the share in which the recommender's words do not bear it out. They deny a
    wish of the user's for the accepted item, or never grant it.

    The words are read by rule, attribute by attribute as the log's user names them, so a claim in
    other words counts as none: an upper bound for users that speak in words of their own. Logs
    without an acceptance, wishes or an item in the accepting message are left out."""
    fits = (_bears_out(log, catalogue) for log in logs)
    return share(FALSE_ACCEPTANCES, [not one for one in fits if one is not None])


def _bears_out(log: ConversationLog, catalogue: Catalogue | None) -> bool | None:
    if log.outcome is None or not log.outcome.accepted or log.outcome.message is None:
        return None
    wishes = log.user.attributes if log.user else ()
    before = log.messages[: log.outcome.message]
    shown = offers(before, ItemLookup.of(log, catalogue), MOST_SHOWN)
    said = log.messages[log.outcome.message].content.casefold()
    taken = next((offer for offer in reversed(shown) if offer.title.casefold() in said), None)
    if not wishes or taken is None:
        return None
    held = belief(taken, wishes, before, shown)
    return all(held.get(wish) for wish in wishes)
