"""What a judge is asked, and what a judge is."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ..domain.completion import Call
from ..domain.conversation import ConversationLog
from ..domain.rubric import Factor
from ..domain.verdict import JudgeName, Verdict
from ..text.catalogue import Catalogue


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
