"""What a judge is asked, and what a judge is."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from ..catalogue.catalogue import Catalogue
from ..domain.completion import Call
from ..domain.conversation import ConversationLog
from ..domain.rubric import Factor
from ..domain.verdict import JudgeName, Verdict
from ..text.normalise import split_year, title_key

#: Characters of a message that rules read, those of a whole log, and those of a message in however long a log.
MESSAGE_LIMIT = 20_000
LOG_LIMIT = 500_000
LEAST = 400


class ListSource(StrEnum):
    """Where recommended items are read: the replies' lists, their text, or lists where any."""

    AUTO = "auto"
    LISTS = "lists"
    TEXT = "text"


class Grouping(StrEnum):
    """How many factors one call to an LLM answers: one, those of a dimension, or all."""

    SEPARATE = "separate"
    DIMENSION = "dimension"
    ALL = "all"


class Layout(StrEnum):
    """What comes first in an LLM's prompt after the instruction: the rubric or the log."""

    AUTO = "auto"
    FACTOR_FIRST = "factor-first"
    LOG_FIRST = "log-first"


@dataclass(frozen=True)
class Case:
    """A log as a request wants it read: with which catalogue, and which lists.

    `catalogue` holds the log's own items beside those of the named catalogue, None where the
    request brings neither."""

    log: ConversationLog
    catalogue: Catalogue | None = None
    list_cutoff: int = 10
    list_source: ListSource = ListSource.AUTO

    @property
    def reach(self) -> int:
        """Characters of each message that rules read, whichever judge is asked: longer ones are cut, and verdicts say so."""
        return max(LEAST, min(MESSAGE_LIMIT, LOG_LIMIT // max(1, len(self.log.messages))))

    def wanted(self, reference: str) -> str | None:
        """The entry of `ground_truth` that a recommended item is: by its title, where a year may be missing, or because
        both are the same item of the catalogue. None where it is none of them."""
        name, year = split_year(title_key(reference))
        for known, target in self._wanted_names.get(name, ()):
            if year is None or known is None or known == year:
                return target
        item = self.catalogue.match(reference) if self.catalogue else None
        return None if item is None else self._wanted_items.get(id(item))

    @cached_property
    def _wanted_names(self) -> dict[str, list[tuple[int | None, str]]]:
        names: dict[str, list[tuple[int | None, str]]] = {}
        for target in self.log.ground_truth or ():
            name, year = split_year(title_key(target))
            names.setdefault(name, []).append((year, target))
        return names

    @cached_property
    def _wanted_items(self) -> dict[int, str]:
        """Wanted items that the catalogue knows, by identity: it outlives the case."""
        if self.catalogue is None:
            return {}
        found = ((self.catalogue.match(target), target) for target in self.log.ground_truth or ())
        return {id(item): target for item, target in found if item is not None}


@dataclass(frozen=True)
class Inquiry:
    """Factors to judge on one case. `verdicts` are earlier ones that a factor may read
    (`concept-overall`)."""

    case: Case
    factors: tuple[Factor, ...]
    samples: int = 1
    grouping: Grouping = Grouping.SEPARATE
    layout: Layout = Layout.AUTO
    verdicts: tuple[Verdict, ...] = ()


class Judge(Protocol):
    """Answers an inquiry with one verdict for each of its factors, each as it is ready, in any
    order. A factor that cannot be judged is a `NotAssessable` or `Failed`, never an exception."""

    @property
    def name(self) -> JudgeName: ...

    def ask(self, inquiry: Inquiry, call: Call) -> AsyncIterator[Verdict]: ...
