"""All that code can say of how a log's replies stand to their sources and to the user's wishes, each computed once."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog
from ..domain.parts import Card
from .facts import Facts, Origin, facts_of
from .passed_over import errors, unused
from .results import Result
from .sources import Sources
from .statements import Statement, of_cards, of_text
from .wishes import Wish, wanted_together, wishes_of


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that a reply shows. `offered`: whether a tool's result before it holds the item, None where no tool offered
    items before, or the user named it first. `against`: the wishes that its data go against, None where they answer none."""

    message: int
    card: Card
    offered: bool | None
    against: tuple[Wish, ...] | None


class Grounding:
    """The replies of a log held against what tools answered, the log's items and the catalogue, in this order."""

    def __init__(self, log: ConversationLog, catalogue: Catalogue | None) -> None:
        self.log = log
        self.sources = Sources(log, catalogue)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that a source answers, in the order of their messages."""
        return tuple(one for at in self.log.replies for one in self._stated(at))

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """The items that replies show and that something can be said of, in order, repeats kept."""
        return tuple(one for at in self.log.replies for one in self._shown(at))

    @cached_property
    def unused(self) -> tuple[tuple[Result, int, bool], ...]:
        """Results with items, the reply that follows each, and whether no reply uses any of it."""
        return tuple(unused(self.log, self.sources))

    @cached_property
    def errors(self) -> tuple[tuple[Result, int, bool], ...]:
        """Failed results, the reply that follows each, and whether it passes the error over."""
        return tuple(errors(self.log, self.sources))

    def _stated(self, at: int) -> Iterator[Statement]:
        message = self.log.messages[at]
        yield from of_text(at, message, self.sources)
        yield from of_cards(at, message.cards if message.parts else (), self.sources)

    def _shown(self, at: int) -> Iterator[Shown]:
        message = self.log.messages[at]
        offers = bool(message.recommendations) and self.sources.offers_before(at)
        wishes = tuple(wanted_together(self._wishes(at))) if message.recommendations else ()
        for card in message.cards if wishes or offers else ():
            known = [*self.sources.of(card, at)] if wishes else []
            offered = self.sources.offered(card, at) if offers and not self.sources.raised(card, at) else None
            yield Shown(at, card, offered, _against(card, known, wishes) if wishes else None)

    def title(self, one: Shown) -> str:
        """The title of an item that is shown, its reference where nobody knows one."""
        known = (facts.title for facts in self.sources.of(one.card, one.message))
        return (one.card.item and one.card.item.title) or next(filter(None, known), one.card.reference)

    @property
    def has_wishes(self) -> bool:
        """Return whether the user has a wish that data can answer."""
        return any(held for _, held in self._held)

    def _wishes(self, at: int) -> tuple[Wish, ...]:
        return next(held for said, held in reversed(self._held) if said < at)

    @cached_property
    def _held(self) -> tuple[tuple[int, tuple[Wish, ...]], ...]:
        return wishes_of(self.log, self.sources)


def _against(card: Card, known: list[Facts], wishes: tuple[tuple[Wish, ...], ...]) -> tuple[Wish, ...] | None:
    """The wishes that an item goes against. The word of its card counts where no source knows better."""
    if card.item is not None:
        known = [*known, facts_of(card.item, Origin.CARD)]
    answers = [(group[0], [wish.answered(known) for wish in group]) for group in wishes] if known else []
    answered = [(wish, any(told)) for wish, told in answers if None not in told]
    return tuple(wish for wish, holds in answered if not holds) if answered else None
