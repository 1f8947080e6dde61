"""The sources of a log: what tools answered before a reply, then the log's items, then the catalogue."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog, Item, Message, Role
from ..domain.parts import Card, ToolCall, ToolResult
from ..text.words import split_year, title_key, tokenise
from .facts import SWITCHES, Facts, Origin, facts_of
from .results import Result, read_result

MOST_WORDS = 12
"""Words by which a name is known; of longer ones these are the first."""


def name_of(called: str) -> str:
    """A title without its year, or an id, in folded words; empty where it has none."""
    return " ".join(tokenise(split_year(called)[0]).words[:MOST_WORDS])


class Names:
    """Names as `name_of` writes them. Linear in a text's length, however many there are."""

    def __init__(self, names: Iterable[str]) -> None:
        self._paths: dict[str, bool] = {}
        for name in filter(None, names):
            words = name.split(" ")
            for length in range(1, len(words)):
                self._paths.setdefault(" ".join(words[:length]), False)
            self._paths[name] = True

    def among(self, text: str) -> frozenset[str]:
        """The names that stand in a text, whole words each."""
        words = tokenise(text).words if self._paths else ()
        return frozenset(name for place in range(len(words)) for name in self._at(words, place))

    def _at(self, words: Sequence[str], place: int) -> Iterable[str]:
        path = ""
        for word in words[place : place + MOST_WORDS]:
            path = f"{path} {word}" if path else word
            if path not in self._paths:
                return
            if self._paths[path]:
                yield path


class Sources:
    """Knowledge of items beside what the replies say. `catalogue` may hold the log's own items and what only its cards
    say, as judges are given it: cards are no source."""

    def __init__(self, log: ConversationLog, catalogue: Catalogue | None) -> None:
        self.log = log
        self.catalogue = catalogue
        self._cards = {id(item) for item in log.card_items}
        self._facts: dict[int, Facts] = {}
        self._matched: dict[tuple[str | None, ...], Item | None] = {}
        self._own = {name for item in log.items for name in (item.id, item.title) if name}

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The results of tools, in order."""
        names = {call.id: call.name for message in self._everything for call in message.calls if call.id}
        found = []
        for at, message in enumerate(self._everything, -len(self.log.history)):
            for part in message.parts:
                if isinstance(part, ToolResult):
                    tool = part.name or names.get(part.call or "")
                    found.append(read_result(at, part, tool))
        return tuple(found)

    @cached_property
    def calls(self) -> tuple[tuple[int, ToolCall], ...]:
        """The calls of tools, each with its message."""
        start = -len(self.log.history)
        return tuple(
            (at, part) for at, message in enumerate(self._everything, start) for part in message.calls
        )

    def offers_before(self, message: int) -> bool:
        """Return whether a tool offered items before a message."""
        return self._first_offer is not None and self._first_offer < message

    @cached_property
    def _first_offer(self) -> int | None:
        return next((result.message for result in self.results if result.holds_items), None)

    def offered(self, card: Card, message: int) -> bool:
        """Return whether a result before the message holds a card's item, in whatever form."""
        if any(_before(record, message) for record in self._by_tools(card)):
            return True
        names = self.words(card)
        return any(at < message and not names.isdisjoint(named) for at, named in self._named_by_tools)

    def raised(self, card: Card, message: int) -> bool:
        """Return whether the user named a card's item before a message."""
        return any(self._named_by_user.get(name, message) < message for name in self.words(card))

    def words(self, card: Card) -> frozenset[str]:
        """All that an item is called, without a year, in folded words."""
        return frozenset(filter(None, map(name_of, self.called(card))))

    def of(self, card: Card, message: int) -> Iterator[Facts]:
        """The data that sources have of a card's item at a message, the most trusted first, the newest result first."""
        yield from reversed([one for one in self._by_tools(card) if _before(one, message)])
        known = self._known(card)
        if known is not None:
            if id(known) not in self._facts:
                own = known.title in self._own or known.id in self._own
                self._facts[id(known)] = facts_of(known, Origin.LOG if own else Origin.CATALOGUE)
            yield self._facts[id(known)]

    @cached_property
    def titles(self) -> Catalogue | None:
        """The items to look for in a text: those of tools' results, over the catalogue."""
        records = (record for result in self.results for record in result.records if record.title)
        once = {(one.id, title_key(one.title or "")): one for one in records}
        return Catalogue.over((Item(one.title or "", one.id) for one in once.values()), self.catalogue)

    def dimensions(self, value: str) -> frozenset[str]:
        """The attributes that some item has this value of, given in folded words."""
        return self._values.get(value, frozenset()) | (
            self.catalogue.dimensions_of(value) if self.catalogue else frozenset()
        )

    def has_one_value(self, dimension: str) -> bool:
        """Return whether no item has two values of an attribute: then one value rules out the others."""
        several = any(len(one.attributes.get(dimension, ())) > 1 for one in self._records)
        return not several and not (self.catalogue and self.catalogue.has_several(dimension))

    @cached_property
    def switches(self) -> frozenset[str]:
        """Attributes that an item has or has not ("lift: no")."""
        told = (self.catalogue.dimensions_of(value) for value in SWITCHES) if self.catalogue else ()
        return frozenset(
            name
            for one in self._records
            for name, values in one.attributes.items()
            if values <= {"yes", "no"}
        ).union(*told)

    def switch(self, words: str) -> str | None:
        """The attribute that words begin with, if it is one that items have or have not."""
        tokens = tokenise(words).words
        names = (" ".join(tokens[:length]) for length in range(len(tokens), 0, -1))
        return next((name for name in names if name in self.switches), None)

    @cached_property
    def _everything(self) -> tuple[Message, ...]:
        return (*self.log.history, *self.log.messages)

    @cached_property
    def _records(self) -> tuple[Facts, ...]:
        return tuple(record for result in self.results for record in result.records)

    @cached_property
    def _values(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for record in self._records:
            for name, values in record.attributes.items():
                for value in values:
                    found.setdefault(value, set()).add(name)
        return {value: frozenset(names) for value, names in found.items()}

    @cached_property
    def _by_name(self) -> dict[str, list[Facts]]:
        """Records by their ids, and by their titles without a year."""
        found: dict[str, list[Facts]] = {}
        for record in self._records:
            for key in {record.id, record.title and split_year(title_key(record.title))[0]}:
                if key:
                    found.setdefault(key, []).append(record)
        return found

    @cached_property
    def _names(self) -> Names:
        """The names of all items that messages show."""
        return Names(
            name for message in self._everything for card in message.cards for name in self.words(card)
        )

    @cached_property
    def _named_by_tools(self) -> tuple[tuple[int, frozenset[str]], ...]:
        """For each result that is no error, its message and the names in it, whatever its form."""
        return tuple((one.message, self._names.among(one.said)) for one in self.results if not one.failed)

    @cached_property
    def _named_by_user(self) -> dict[str, int]:
        """The user's first message with each name."""
        found: dict[str, int] = {}
        for at, message in enumerate(self._everything, -len(self.log.history)):
            if message.role is Role.USER:
                for name in self._names.among(message.content):
                    found.setdefault(name, at)
        return found

    def _by_tools(self, card: Card) -> list[Facts]:
        """The records of a card's item: by its id or its title, where a year that one side lacks matches any."""
        found: dict[int, Facts] = {}
        for called in self.called(card):
            name, year = split_year(title_key(called))
            for record in (*self._by_name.get(called, ()), *self._by_name.get(name, ())):
                known = split_year(record.title)[1] if record.title else None
                if record.id == called or year is None or known is None or known == year:
                    found.setdefault(id(record), record)
        return sorted(found.values(), key=lambda one: one.message or 0)

    def called(self, card: Card) -> frozenset[str]:
        """All that an item is called: by its card, the log, the catalogue."""
        items = filter(None, (card.item, self._known(card)))
        return frozenset(
            filter(None, (card.reference, *(n for item in items for n in (item.id, item.title))))
        )

    def _known(self, card: Card) -> Item | None:
        named = (card.reference, *((card.item.id, card.item.title) if card.item else ()))
        if named not in self._matched:
            found = (self.catalogue.match(one) for one in named if one) if self.catalogue else ()
            self._matched[named] = next((one for one in found if one and id(one) not in self._cards), None)
        return self._matched[named]


def _before(record: Facts, message: int) -> bool:
    return record.message is not None and record.message < message
