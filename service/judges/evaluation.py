"""Questions to a judge, and the protocol of a judge."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Protocol

from ..catalogue.catalogue import Catalogue
from ..domain.completion import Call
from ..domain.conversation import ConversationLog, Message, Role
from ..domain.modes import Judging, Variant
from ..domain.parts import ImagePart, Item, ToolResult
from ..domain.rubric import Factor, Form, Scale
from ..domain.verdict import Flag, JudgeName, Verdict
from ..grounding.grounding import Grounding
from ..text.patterns import Lexicon
from ..text.words import split_year, title_key

#: Characters of a message that rules read, those of a whole log, and those of a message in however long a log.
MESSAGE_LIMIT = 20_000
LOG_LIMIT = 500_000
LEAST = 400


class ListSource(StrEnum):
    """The source of recommended items: the replies' lists, their text, or lists where any."""

    AUTO = "auto"
    LISTS = "lists"
    TEXT = "text"


class Grouping(StrEnum):
    """The factors that one call to an LLM answers: one, those of a dimension, or all."""

    SEPARATE = "separate"
    DIMENSION = "dimension"
    ALL = "all"


@dataclass(frozen=True)
class JudgeInput:
    """A log with the catalogue and lists to read it with.

    `catalogue` holds the log's own items beside those of the named catalogue, None where the
    request brings neither."""

    log: ConversationLog
    catalogue: Catalogue | None = None
    list_cutoff: int = 10
    list_source: ListSource = ListSource.AUTO

    @cached_property
    def grounding(self) -> Grounding:
        """Return what the replies' sources and the user's wishes say of them."""
        return Grounding(self.log, self.catalogue)

    @property
    def has_sources(self) -> bool:
        """Return whether there is anything to hold statements against: items, a catalogue, what tools answered."""
        messages = (*self.log.history, *self.log.messages)
        return self.catalogue is not None or any(
            isinstance(part, ToolResult) for message in messages for part in message.parts
        )

    @property
    def reach(self) -> int:
        """Characters of each message that rules read, whichever judge is asked: longer ones are cut, and verdicts say so."""
        return max(LEAST, min(MESSAGE_LIMIT, LOG_LIMIT // max(1, len(self.log.messages))))

    def item(self, reference: str) -> Item | None:
        """The item of the catalogue that a reference names; None without a catalogue."""
        return self.catalogue.match(reference) if self.catalogue else None

    def wanted(self, reference: str) -> str | None:
        """The `ground_truth` entry that matches a recommended item: by title (a year may be missing), or
        because both are one catalogue item. None if none matches."""
        name, year = split_year(title_key(reference))
        for known, target in self._wanted_names.get(name, ()):
            if year is None or known is None or known == year:
                return target
        item = self.item(reference)
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
        """Wanted items that the catalogue knows, by identity: it outlives the input."""
        found = ((self.item(target), target) for target in self.log.ground_truth or ())
        return {id(item): target for item, target in found if item is not None}


@dataclass(frozen=True)
class Example:
    """A conversation that people rated: their mean of one factor, on its scale."""

    factor: str
    score: float
    log: ConversationLog

    def shows(self, messages: Sequence[Message]) -> bool:
        """Return whether it has these messages, ignoring all other fields."""
        own = [(message.role, message.content) for message in self.log.messages]
        return own == [(message.role, message.content) for message in messages]


OF_ITEMS = frozenset({Form.TITLES, Form.FAMILIARITY, Form.CHARACTERISTICS})
"""Forms of lists that are about the recommended items alone."""


@dataclass(frozen=True)
class EvaluationRequest:
    """Factors to judge on one log, in one reading of them.

    `verdicts` are earlier ones that a factor may read (`concept-overall`), and `scales` the scales of their factors. A model
    lists items for the factors in `itemised`, and lists faults once for those in `faults`. `expected` weighs levels by the
    probabilities that the model gave them. `anchors` adds our worked examples to the rubrics, and `examples` those of the caller."""

    judge_input: JudgeInput
    factors: tuple[Factor, ...]
    samples: int = 1
    grouping: Grouping | None = None
    verdicts: tuple[Verdict, ...] = ()
    scales: Mapping[str, Scale] = field(default_factory=dict)
    variant: Variant = Variant.CRS_EVAL
    examples: tuple[Example, ...] = ()
    itemised: frozenset[str] = frozenset()
    faults: frozenset[str] = frozenset()
    expected: bool = False
    anchors: bool = False

    def judging(self, factor: Factor) -> Judging:
        """Return how a model answers on a factor."""
        if factor.slug in self.faults:
            return Judging.ITEMISED if self._is_counted(factor) else Judging.FAULTS
        return Judging.ITEMISED if factor.slug in self.itemised else Judging.RATING

    def _is_counted(self, factor: Factor) -> bool:
        """Return whether a factor's ladder counts recommended items, which a list of faults lacks. Similarity
        to wanted items counts only if those are known."""
        form = factor.itemised.form if factor.itemised else None
        return form in OF_ITEMS or (form is Form.SIMILARITY and bool(self.judge_input.log.ground_truth))

    def grouping_of(self, factor: Factor) -> Grouping:
        """Return how factors share calls: as asked, else all faults in one call and every other factor in its own."""
        return self.grouping or (Grouping.ALL if factor.slug in self.faults else Grouping.SEPARATE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a judge cannot answer in the way that is asked: the field of the request, the reason, and the remedy."""

    field: str
    detail: str
    fix: str


class Judge(Protocol):
    """Answers an evaluation request with one verdict for each of its factors, each as it is ready, in any
    order. A factor that cannot be judged is a `NotAssessable` or `Failed`, never an exception."""

    @property
    def name(self) -> JudgeName: ...

    def refusal(self, evaluation: EvaluationRequest) -> Refusal | None:
        """Return the part of the request that this judge cannot do; None if it can do all."""
        ...

    def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]: ...


#: Takes a verdict, the system that it is about, and whether the conversation is over.
CountVerdict = Callable[[Verdict, str | None, bool], None]


class ObservedJudge:
    """Passes every verdict on, and counts it."""

    def __init__(self, inner: Judge, count: CountVerdict) -> None:
        self._inner = inner
        self._count = count

    @property
    def name(self) -> JudgeName:
        return self._inner.name

    def refusal(self, evaluation: EvaluationRequest) -> Refusal | None:
        """The refusal of the judge that is counted."""
        return self._inner.refusal(evaluation)

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        log = evaluation.judge_input.log
        async for verdict in self._inner.ask(evaluation, call):
            self._count(verdict, log.system, log.complete)
            yield verdict


MOST_FLAGS = 20
_TEXTS = Lexicon(__package__, "unread")
"""Texts of the flags by code, in a file so that a better sentence does not change revisions."""


def unread_flags(log: ConversationLog) -> tuple[Flag, ...]:
    """Flags for pictures, of which only `alt` is read, and for messages that hold nothing to judge: instructions
    (`system`, `developer`), and messages of tools without a result."""
    return tuple(islice(_flags(log), MOST_FLAGS))


def _flags(log: ConversationLog) -> Iterator[Flag]:
    for index, message in enumerate(log.messages):
        if message.role is Role.TOOL and not message.parts:
            yield Flag("message_left_out", _TEXTS.tables["message_left_out"], index)
        if any(isinstance(part, ImagePart) for part in message.parts):
            yield Flag("image_not_seen", _TEXTS.tables["image_not_seen"], index)
