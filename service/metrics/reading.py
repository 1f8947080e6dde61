"""A log as the metrics read it: targets, lists, titles and the outcome, each computed once.

Thousands of logs come together. Of each, numbers are kept and no titles; what it takes to find them is discarded with the log's
index."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from ..domain.conversation import ConversationLog
from .log_index import CorpusIndex, Hit, LogIndex

T = TypeVar("T")


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


class Reading:
    """One log with the items to read it with, and the mean score of each factor that its verdicts
    rate. Turns count from 0 here, from 1 in rows."""

    __slots__ = ("_corpus", "_place", "log", "scores")

    def __init__(
        self,
        log: ConversationLog,
        place: int,
        corpus: CorpusIndex,
        scores: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.log = log
        self.scores = scores
        self._place = place
        self._corpus = corpus

    def of(self, work: Callable[[LogIndex], T]) -> T:
        """Return what a function finds in the log. It is kept, so it should be small: a number, a flag."""
        return self._corpus.memoised(work, self._place, self.log)

    @property
    def published(self) -> bool:
        """Return whether the rules behind CONCEPT's tables are asked for, as they stand."""
        return self._corpus.published

    @property
    def turns(self) -> int:
        """Return how many turns the session has."""
        return len(self.log.turns)

    @property
    def wanted(self) -> int:
        """Return how many targets there are."""
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
        if not self.wanted:
            return 0.0
        hits = self.of(SessionHits(cutoff))
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


@dataclass(frozen=True, slots=True)
class SessionHits:
    """Finds the targets in a session list of so much of each list."""

    cutoff: int

    def __call__(self, log_index: LogIndex) -> tuple[Hit, ...]:
        """Return targets in the session list, as if it were that of one turn."""
        return log_index.session_hits(self.cutoff)
