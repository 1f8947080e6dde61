"""Per-log lookup cache, discarded when the next log is read, and the indexes of items that logs are read with."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from ..catalogue.catalogue import Catalogue
from ..catalogue.title_guesses import Verbatim
from ..domain.conversation import ConversationLog, Item, Role
from ..grounding.grounding import Grounding
from ..text.words import split_year, title_key
from .item_index import ItemIndex, Matching, Named, Targets, identity

T = TypeVar("T")

MOST_INDEXES = 100
"""Sets of items that are kept at once: logs of one recommender often bring the same."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A target in a turn's list; turns and positions count from 0."""

    turn: int
    position: int
    target: int


class LogIndex:
    """One log with the index of its items, and what was found in both. Turns count from 0 here, from 1 in rows."""

    def __init__(self, log: ConversationLog, item_index: ItemIndex, matching: Matching) -> None:
        self.log = log
        self.item_index = item_index
        self.published = matching is Matching.PUBLISHED
        self.named = cache(lambda text: item_index.named(text, self._listed))
        """The titles that a text names."""

    @property
    def turns(self) -> int:
        return len(self.log.turns)

    @cached_property
    def targets(self) -> Targets | None:
        """Return what the user wanted; None where neither the log nor the catalogue tells, or nothing in
        the catalogue fits."""
        if self.log.ground_truth is not None:
            found = self.item_index.given(self.log.ground_truth)
        elif self.log.user is not None and self.log.user.attributes and self.item_index.stocked:
            found = self.item_index.fitting(self.log.user.attributes)
        else:
            return None
        return found if len(found) else None

    @cached_property
    def grounding(self) -> Grounding:
        """Return what the replies' sources and the user's wishes say of them."""
        return Grounding(self.log, self.item_index.catalogue)

    @cached_property
    def lists(self) -> tuple[tuple[str, ...] | None, ...]:
        """Each turn's list as keys, None where the log records none for it; the lists of a turn's
        messages are joined in order."""
        return tuple(self._list(turn.assistant) for turn in self.log.turns)

    def hits(self) -> tuple[Hit, ...]:
        """Return targets in the turns' lists, in order, repeats kept."""
        return self._hits(self.lists)

    def session_hits(self, cutoff: int) -> tuple[Hit, ...]:
        """Return targets in the session list, as if it were that of one turn."""
        return self._hits([self.session_list(cutoff)])

    def _hits(self, lists: Iterable[Iterable[str] | None]) -> tuple[Hit, ...]:
        targets = self.targets
        if targets is None:
            return ()
        return tuple(
            Hit(turn, position, place)
            for turn, keys in enumerate(lists)
            for position, key in enumerate(keys or ())
            if (place := targets.place(key)) is not None
        )

    def session_list(self, cutoff: int) -> dict[str, str]:
        """Return the session list as it is written, by keys: an item that it has by id and by title counts once."""
        first: dict[str, str] = {}
        for reference in self.log.session_list(cutoff):
            first.setdefault(self.item_index.key(reference), reference)
        return first

    def names_target(self, text: str) -> bool:
        if self.targets is None:
            return False
        if self.published:
            return self.targets.in_substrings_of(text)
        return self.targets.among(self.named(text))

    def reply(self, turn: int) -> str:
        return self.log.reply_text(self.log.turns[turn])

    @cached_property
    def recommended(self) -> tuple[tuple[Named, ...], ...]:
        """For each turn the titles in its text that the user had not brought up before."""
        return tuple(self._recommended(turn) for turn in range(self.turns))

    @cached_property
    def _listed(self) -> Verbatim:
        """The titles of all lists, as they are written there."""
        shown = dict.fromkeys(each for m in self.log.messages for each in m.recommendations or ())
        return Verbatim(self.item_index.title(reference) for reference in shown)

    def _list(self, messages: Sequence[int]) -> tuple[str, ...] | None:
        recorded = [self.log.messages[index].recommendations for index in messages]
        if all(items is None for items in recorded):
            return None
        return tuple(self.item_index.key(item) for items in recorded for item in items or ())

    def _recommended(self, turn: int) -> tuple[Named, ...]:
        titles = self.named(self.reply(turn))
        if not titles:
            return ()
        until = self.log.turns[turn].assistant[0]
        said = [m.content for m in (*self.log.history, *self.log.messages[:until]) if m.role is Role.USER]
        return tuple(title for title in titles if not self._brought_up(title, said))

    def _brought_up(self, title: Named, said: Sequence[str]) -> bool:
        """Return whether one of the user's messages names the title. Texts that do not hold its words are
        not searched: it is the slow part."""
        surface = split_year(title.surface)[0].casefold()
        return any(
            surface in text.casefold() and any(other.key == title.key for other in self.named(text))
            for text in said
        )


def accepting_message(log: ConversationLog) -> int | None:
    """Return where the user accepted: where the log says so, else in the user's last message after a reply.
    None where nobody accepted, or there is no such message."""
    outcome, replies = log.outcome, log.replies
    if outcome is None or not outcome.accepted or outcome.message is not None:
        return outcome.message if outcome is not None and outcome.accepted else None
    spoken = (i for i, message in enumerate(log.messages) if message.role is Role.USER)
    return max((i for i in spoken if replies and replies[0] < i), default=None)


class CorpusIndex:
    """The items that the logs of a request are read with: an index for each set that they bring. It holds one log at a time."""

    def __init__(self, catalogue: Catalogue | None, matching: Matching) -> None:
        self._catalogue = catalogue
        self._matching = matching
        self.published = matching is Matching.PUBLISHED
        self.common = ItemIndex((), (), None, catalogue, matching)
        self._base = self.common if catalogue is not None else None
        self._indexes: dict[tuple[object, ...], ItemIndex] = {}
        self._log_index: LogIndex | None = None

    def log_index(self, log: ConversationLog) -> LogIndex:
        """The index of a log; that of the log before is discarded."""
        if self._log_index is None or self._log_index.log is not log:
            self._log_index = LogIndex(log, self.item_index(log), self._matching)
        return self._log_index

    def item_index(self, log: ConversationLog) -> ItemIndex:
        titles = self._unlisted(log)
        if not log.items and not titles:
            return self.common
        contents = (tuple(map(identity, log.items)), titles)
        if contents not in self._indexes:
            if len(self._indexes) >= MOST_INDEXES:
                self._indexes.clear()
            extra = tuple(Item(title) for title in titles)
            made = ItemIndex(log.items, extra, self._base, self._catalogue, self._matching)
            self._indexes[contents] = made
        return self._indexes[contents]

    def index_of_all(self, logs: Iterable[ConversationLog]) -> ItemIndex:
        """The index of the items of all logs. An id that logs give to different titles names none."""
        items = tuple({identity(item): item for log in logs for item in log.items}.values())
        if not items:
            return self.common
        titles: dict[str, set[str]] = {}
        for item in items:
            titles.setdefault(item.id or "", set()).add(title_key(item.title))
        own = tuple(item if len(titles[item.id or ""]) == 1 else replace(item, id=None) for item in items)
        return ItemIndex(own, (), self._base, self._catalogue, self._matching)

    def _unlisted(self, log: ConversationLog) -> tuple[str, ...]:
        """Wanted items that neither the log nor the catalogue describes."""
        if not log.ground_truth:
            return ()
        own = {item.id for item in log.items} | {title_key(item.title) for item in log.items}
        return tuple(
            reference
            for reference in log.ground_truth
            if reference not in own
            and title_key(reference) not in own
            and (self._catalogue is None or self._catalogue.match(reference) is None)
        )


@dataclass(frozen=True)
class Cuts:
    """Cuts of lists and sessions: list lengths, numbers of turns, and how much of each list a session list
    takes. The whole list, or session, is always reported too."""

    k: tuple[int, ...] = (1, 10, 25, 50)
    turns: tuple[int, ...] = (3, 5, 10)
    list_cutoff: int = 10

    @property
    def lengths(self) -> tuple[int | None, ...]:
        return (*self.k, None)

    @property
    def rounds(self) -> tuple[int | None, ...]:
        return (*self.turns, None)


class LogContext:
    """One log with the items to read it with, and the mean score of each factor that its verdicts
    rate. Turns count from 0 here, from 1 in rows."""

    __slots__ = ("_corpus", "_found", "log", "scores")

    def __init__(
        self, log: ConversationLog, corpus: CorpusIndex, scores: Mapping[str, float] = MappingProxyType({})
    ) -> None:
        self.log = log
        self.scores = scores
        self._corpus = corpus
        self._found: dict[Callable[[LogIndex], Any], Any] = {}

    def of(self, work: Callable[[LogIndex], T]) -> T:
        """Return what a function finds in the log. It is kept, so it should be small: a number, a flag."""
        if work not in self._found:
            self._found[work] = work(self._corpus.log_index(self.log))
        found: T = self._found[work]
        return found

    @property
    def published(self) -> bool:
        """Return whether the rules behind CONCEPT's tables are asked for, as they stand."""
        return self._corpus.published

    @property
    def turns(self) -> int:
        return len(self.log.turns)

    @property
    def wanted(self) -> int:
        return self.of(wanted)

    @property
    def stocked(self) -> bool:
        """Return whether there is a catalogue to say which items exist."""
        return bool(self.log.items) or self._corpus.common.closed

    @property
    def lists(self) -> "tuple[array[int] | None, ...]":
        """Each turn's list as hashes of its items' keys, None where the log records none for it; the lists of a turn's
        messages are joined in order."""
        return self.of(lists)

    @property
    def has_lists(self) -> bool:
        """Return whether the log records any list, an empty one included."""
        return any(items is not None for items in self.lists)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Targets in the turns' lists, in order, repeats kept."""
        return self.of(LogIndex.hits)

    def turn_recalls(self, k: int | None) -> list[float]:
        """For each turn the share of the targets in its list cut at `k`. `published` counts repeats."""
        found: list[list[int]] = [[] for _ in range(self.turns)]
        for hit in self.hits:
            if k is None or hit.position < k:
                found[hit.turn].append(hit.target)
        return [(len(places) if self.published else len(set(places))) / self.wanted for places in found]

    def session_recall(self, k: int | None, cutoff: int) -> float:
        """Share of the targets in the session list cut at `k`."""
        hits = self.of(session_hits(cutoff))
        return len({hit.target for hit in hits if k is None or hit.position < k}) / self.wanted

    @property
    def accepted(self) -> bool | None:
        """Return whether the user accepted; None where the log does not say."""
        return None if self.log.outcome is None else self.log.outcome.accepted


def wanted(log_index: LogIndex) -> int:
    """Return how many targets there are."""
    return len(log_index.targets) if log_index.targets is not None else 0


def lists(log_index: LogIndex) -> "tuple[array[int] | None, ...]":
    """Each turn's list as hashes, None where there is none."""
    return tuple(None if keys is None else array("q", map(hash, keys)) for keys in log_index.lists)


@cache
def session_hits(cutoff: int) -> Callable[[LogIndex], tuple[Hit, ...]]:
    """Return a function that finds the targets in a session list of so much of each list."""
    return lambda log_index: log_index.session_hits(cutoff)
