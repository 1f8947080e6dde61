"""A log as the metrics read it: targets, lists, titles and the outcome, each worked out once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from ..catalogue.verbatim import Verbatim
from ..domain.conversation import ConversationLog, Role
from ..grounding.grounding import Grounding
from ..text.normalise import split_year
from ..text.words import words
from .matching import Matching, Named, Targets
from .shelf import Library


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


@dataclass(frozen=True, slots=True)
class Hit:
    """A target in a turn's list; turns and positions count from 0."""

    turn: int
    position: int
    target: int


class Reading:
    """One log with the items to read it with, and the mean score of each factor that its verdicts
    rate. Turns count from 0 here, from 1 in rows."""

    def __init__(
        self,
        log: ConversationLog,
        library: Library,
        matching: Matching,
        scores: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.log = log
        self.scores = scores
        self._shelf = library.shelf(log)
        self._matching = matching
        self._recalls: dict[int | None, list[float]] = {}

    @property
    def published(self) -> bool:
        """Return whether the rules behind CONCEPT's tables are asked for, as they stand."""
        return self._matching is Matching.PUBLISHED

    @property
    def turns(self) -> int:
        """Return how many turns the session has."""
        return len(self.log.turns)

    @cached_property
    def targets(self) -> Targets | None:
        """Return what the user wanted; None where neither the log nor the catalogue tells, or nothing in
        the catalogue fits."""
        if self.log.ground_truth is not None:
            found = self._shelf.given(self.log.ground_truth)
        elif self.log.user is not None and self.log.user.attributes and self._shelf.stocked:
            found = self._shelf.fitting(self.log.user.attributes)
        else:
            return None
        return found if len(found) else None

    @cached_property
    def grounding(self) -> Grounding:
        """Return what the replies' sources and the user's wishes say of them."""
        return Grounding(self.log, self._shelf.catalogue)

    @property
    def wanted(self) -> int:
        """Return how many targets there are."""
        return len(self.targets) if self.targets is not None else 0

    @property
    def wants_nothing_known(self) -> bool:
        """Return whether the user wants attributes that no item of a catalogue has together."""
        asked = self.log.ground_truth is None and self.log.user is not None and self.log.user.attributes
        return bool(asked) and self.stocked and self.targets is None

    @property
    def stocked(self) -> bool:
        """Return whether there is a catalogue to say which items exist."""
        return self._shelf.stocked

    @cached_property
    def lists(self) -> tuple[tuple[str, ...] | None, ...]:
        """Each turn's list as keys, None where the log records none for it; the lists of a turn's
        messages are joined in order."""
        return tuple(self._list(turn.assistant) for turn in self.log.turns)

    @cached_property
    def has_lists(self) -> bool:
        """Return whether the log records any list, an empty one included."""
        return any(items is not None for items in self.lists)

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """Targets in the turns' lists, in order, repeats kept."""
        targets = self.targets
        if targets is None:
            return ()
        return tuple(
            Hit(turn, position, place)
            for turn, keys in enumerate(self.lists)
            for position, key in enumerate(keys or ())
            if (place := targets.place(key)) is not None
        )

    def turn_recalls(self, k: int | None) -> list[float]:
        """For each turn the share of the targets in its list cut at `k`. `published` counts repeats."""
        known = self._recalls.get(k)
        if known is None:
            known = self._recalls[k] = self._count_recalls(k)
        return known

    def _count_recalls(self, k: int | None) -> list[float]:
        found: list[list[int]] = [[] for _ in range(self.turns)]
        for hit in self.hits:
            if k is None or hit.position < k:
                found[hit.turn].append(hit.target)
        return [(len(places) if self.published else len(set(places))) / self.wanted for places in found]

    def session_recall(self, k: int | None, cutoff: int) -> float:
        """Share of the targets in the session list cut at `k`."""
        if self.targets is None:
            return 0.0
        shown = self.log.session_list(cutoff)[:k]
        places = {self.targets.place(self._shelf.key(reference)) for reference in shown}
        return len(places - {None}) / self.wanted

    @cached_property
    def first_list_success(self) -> int | None:
        """The first turn whose list opens with a target."""
        return next((hit.turn for hit in self.hits if hit.position == 0), None)

    @cached_property
    def first_text_success(self) -> int | None:
        """The first turn whose text names a target."""
        return next((t for t in range(self.turns) if self.names_target(self.reply(t))), None)

    def names_target(self, text: str) -> bool:
        """Return whether a text names a target."""
        if self.targets is None:
            return False
        if self.published:
            return self.targets.in_substrings_of(text)
        return self.targets.among(self.named(text))

    def named(self, text: str) -> tuple[Named, ...]:
        """The titles that a text names."""
        return self._shelf.named(text, self._listed)

    def reply(self, turn: int) -> str:
        """The text of a turn."""
        return self.log.reply_text(self.log.turns[turn])

    @cached_property
    def recommended(self) -> tuple[tuple[Named, ...], ...]:
        """For each turn the titles in its text that the user had not brought up before."""
        return tuple(self._recommended(turn) for turn in range(self.turns))

    @property
    def accepted(self) -> bool | None:
        """Return whether the user accepted; None where the log does not say."""
        return None if self.log.outcome is None else self.log.outcome.accepted

    @cached_property
    def accepting_message(self) -> int | None:
        """Return where the user accepted: where the log says so, else in the user's last message after a reply.
        None where nobody accepted, or there is no such message."""
        outcome, replies = self.log.outcome, self.log.replies
        if outcome is None or not outcome.accepted or outcome.message is not None:
            return outcome.message if outcome is not None and outcome.accepted else None
        spoken = (i for i, message in enumerate(self.log.messages) if message.role is Role.USER)
        return max((i for i in spoken if replies and replies[0] < i), default=None)

    @property
    def user_turns_to_acceptance(self) -> int | None:
        """The place of the accepting message among the user's, the opening one being 1."""
        at = self.accepting_message
        if at is None:
            return None
        return sum(message.role is Role.USER for message in self.log.messages[: at + 1])

    def distinct(self, n: int) -> float | None:
        """Different n-grams over all n-grams of the replies; None where there is none."""
        grams: list[tuple[str, ...]] = []
        for index in self.log.replies:
            tokens = words(self.log.messages[index].content)
            grams += zip(*(tokens[start:] for start in range(n)), strict=False)
        return len(set(grams)) / len(grams) if grams else None

    @cached_property
    def _listed(self) -> Verbatim:
        """The titles of all lists, as they are written there."""
        shown = dict.fromkeys(each for m in self.log.messages for each in m.recommendations or ())
        return Verbatim(self._shelf.title(reference) for reference in shown)

    def _list(self, messages: Sequence[int]) -> tuple[str, ...] | None:
        recorded = [self.log.messages[index].recommendations for index in messages]
        if all(items is None for items in recorded):
            return None
        return tuple(self._shelf.key(item) for items in recorded for item in items or ())

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
