"""All that code can say of how a log's replies stand to their sources and to the user's wishes, each computed once; results of tools that
replies leave unused, and errors that they pass over."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog
from ..domain.parts import Card
from ..text.words import straight
from .facts import Facts, Origin, facts_of
from .results import Result
from .sources import Names, Sources, name_of
from .statements import Statement, of_cards, of_text
from .wishes import Wish, wanted_together, wishes_of

_OWNS_UP = re.compile(
    r"\b(?:sorry|apolog\w{2,8}|unable|unfortunately|unavailable|error|problem|trouble|issue|fail(?:ed|s)?|couldn't|could not|can't|cannot"
    r"|wasn't able|weren't able|not able|don't know|do not know|no information|don't have|do not have|not available|try again|went wrong"
    r"|at the moment|\bnot (?:just )?yet|tried|clash\w*|refused|declined|rejected|turned down|down to \d|sold out|fully booked|no (?:free |more )?(?:rooms?|seats?|slots?|tables?|places?)\b|(?:isn't|not) (?:working|responding|answering)|(?:is|are|was|seems) (?:currently |still )?(?:down|offline|unreachable)|no \w+ (?:yet|right now)|timed out|not (?:find|found|sure|reach|check|load)|didn't (?:find|work)|later"
    r"|without (?:knowing|the)|leider|tut mir leid|entschuldig\w+|konnte\w* nicht|fehl\w*|abgelehnt|lo siento|lamentablemente|no (?:pude|puedo|hay|se pudo)|rechazad\w*|désolée?s?|malheureusement|impossible|refusée?)\b",
    re.IGNORECASE,
)


_ADMITS = re.compile(
    r"\b(?:above|beyond|exceeds?|stretch\w*|unfortunately|sorry|afraid|over (?:your|the|budget|that|what)|over(?=\W*\Z|[.,;!)])|(?:more|higher|pricier|dearer|bigger|longer) than (?:you|your|what you)"
    r"|nothing (?:under|below|within|in|left|that|for|else)|no \w+ (?:under|below|within|in|left|available)|don't have|do not have|(?:couldn't|could not|can't|cannot|didn't) find"
    r"|slightly|out of (?:budget|reach|stock)|sold out|(?:is|are) (?:all )?(?:full|fully booked)|closest|nearest|cheapest|lowest|only (?:in|comes?|available)|alternatively"
    r"|(?:isn't|is not|not) (?:quite )?(?:what you|within|under|below|in your|for you)|you (?:didn't|did not|don't) want|even though|be an option|if you (?:could|can) (?:go|live|spend)"
    r"|leider|teurer als|liegt über|etwas (?:über|mehr|teurer)|lamentablemente|lo siento|por encima|supera|algo más (?:de|car\w)|malheureusement|désolée?|dépasse|au-dessus|un peu plus)\b",
    re.IGNORECASE,
)
"""Words by which a reply admits that it shows something else than what was wanted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that a reply shows. `offered`: whether a tool's result before it holds the item, None where no tool offered
    items before, or the user named it first. `against`: the wishes that its data go against, None where they answer none, or the
    reply admits it."""

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
        """Results with items, the first reply after each, and whether nothing uses any of its items. A use is a reply that shows
        or names one, or a later call that asks for one."""
        offers = [
            (result, frozenset(_names(result))) for result in self.sources.results if result.holds_items
        ]
        names = Names(name for _, named in offers for name in named)
        used = [*self._used(names)] if offers else []
        return tuple(
            (result, reply, not any(at > result.message and not named.isdisjoint(one) for at, one in used))
            for result, named in offers
            if (reply := self._reply_after(result)) is not None
        )

    def _used(self, names: Names) -> Iterator[tuple[int, frozenset[str]]]:
        """The names that replies say or show, and that calls ask for, with their messages."""
        yield from ((at, names.among(call.arguments)) for at, call in self.sources.calls)
        for at in self.log.replies:
            yield at, names.among(self.log.messages[at].content)
            yield from ((at, self.sources.words(card)) for card in self.log.messages[at].cards)

    @cached_property
    def errors(self) -> tuple[tuple[Result, int, bool], ...]:
        """Failed results, the reply that follows each, and whether it passes the error over. Then no call of the same tool
        succeeds before the reply. And neither the reply nor the rest of its turn says that something is missing."""
        results = self.sources.results
        found = []
        for place, result in enumerate(results):
            if result.failed and (reply := self._reply_after(result)) is not None:
                later = [other for other in results[place + 1 :] if other.message < reply]
                again = any(other.tool == result.tool and not other.failed for other in later)
                turn = next(one for one in self.log.turns if reply in one.assistant)
                said = " ".join(self.log.messages[at].content for at in turn.assistant if at >= reply)
                found.append((result, reply, not again and not _OWNS_UP.search(straight(said))))
        return tuple(found)

    def _reply_after(self, result: Result) -> int | None:
        return next((at for at in self.log.replies if at > result.message), None)

    def _stated(self, at: int) -> Iterator[Statement]:
        message = self.log.messages[at]
        yield from of_text(at, message, self.sources)
        yield from of_cards(at, message.cards if message.parts else (), self.sources)

    def _shown(self, at: int) -> Iterator[Shown]:
        message = self.log.messages[at]
        offers = bool(message.recommendations) and self.sources.offers_before(at)
        wishes = tuple(wanted_together(self.wishes_before(at))) if message.recommendations else ()
        for card in message.cards if wishes or offers else ():
            known = [*self.sources.of(card, at)] if wishes else []
            offered = self.sources.offered(card, at) if offers and not self.sources.raised(card, at) else None
            against = _against(card, known, wishes) if wishes else None
            yield Shown(at, card, offered, None if against and self.admits(at) else against)

    def admits(self, at: int) -> bool:
        """Return whether a reply says that what it offers is not quite what was wanted."""
        return _ADMITS.search(straight(self.log.messages[at].content)) is not None

    def title(self, one: Shown) -> str:
        """The title of an item that is shown, its reference where nobody knows one."""
        return self.title_of(one.card, one.message)

    def title_of(self, card: Card, at: int) -> str:
        """The title of a card in a message, its reference where nobody knows one."""
        known = (facts.title for facts in self.sources.of(card, at))
        return (card.item and card.item.title) or next(filter(None, known), card.reference)

    def popularity_of(self, card: Card) -> float | None:
        """The percentile of popularity, 0-1, that a card or the catalogue gives of its item."""
        known = self.sources.catalogue.match(card.reference) if self.sources.catalogue else None
        return next(
            (one.popularity for one in (card.item, known) if one and one.popularity is not None), None
        )

    def violations(self, card: Card, at: int) -> tuple[Wish, ...]:
        """The wishes held before a message that an item goes against, by what sources know of it."""
        return (
            _against(card, [*self.sources.of(card, at)], tuple(wanted_together(self.wishes_before(at)))) or ()
        )

    @property
    def has_wishes(self) -> bool:
        """Return whether the user has a wish that data can answer."""
        return any(held for _, held in self._held)

    def wishes_before(self, at: int) -> tuple[Wish, ...]:
        """The user's wishes that hold at a message."""
        return self._held[bisect_left(self._held_at, at) - 1][1]

    @cached_property
    def _held_at(self) -> list[int]:
        return [said for said, _ in self._held]

    @cached_property
    def _held(self) -> tuple[tuple[int, tuple[Wish, ...]], ...]:
        return wishes_of(self.log, self.sources)


def _names(result: Result) -> Iterator[str]:
    for one in result.records:
        yield from (name for called in (one.id, one.title) if called and (name := name_of(called)))


def _against(card: Card, known: list[Facts], wishes: tuple[tuple[Wish, ...], ...]) -> tuple[Wish, ...] | None:
    """The wishes that an item goes against. The word of its card counts where no source knows better."""
    if card.item is not None:
        known = [*known, facts_of(card.item, Origin.CARD)]
    answers = [(group[0], [wish.answered(known) for wish in group]) for group in wishes] if known else []
    answered = [(wish, any(found)) for wish, found in answers if None not in found]
    return tuple(wish for wish, holds in answered if not holds) if answered else None
