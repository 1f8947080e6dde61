"""The ways in which an answer is read: as a verdict, as one weighed by probabilities, or as a list that code counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

from ...domain.completion import Completion
from ...domain.rubric import Factor
from ..inquiry import Case
from .answer import Failure, Reading, Unreadable, is_readable, read_answer
from .answer_schema import items_schema, response_schema
from .expected import weighed
from .itemised.climbing import climb
from .itemised.entries import are_readable, read_entries
from .itemised.outline import Outline

Outcome = Reading | Unreadable | Failure
ENTRY_TOKENS = 80
"""Tokens that an entry of a list may take, its quotation included."""


class Reader(Protocol):
    """Reads the answers to one question. `room` is the tokens that they may take beside reasons."""

    @property
    def schema(self) -> str: ...

    @property
    def room(self) -> int: ...

    @property
    def accepts(self) -> Callable[[str], bool]:
        """Return whether an answer can be read at all; small, since a worker sends it to its parent."""
        ...

    def read(self, completion: Completion) -> Mapping[str, Outcome]: ...


@dataclass(frozen=True)
class RatingReader:
    """A level with its reasons."""

    group: tuple[Factor, ...]
    room: int = 0

    @cached_property
    def schema(self) -> str:
        """The form of the answer."""
        return response_schema(self.group)

    @property
    def accepts(self) -> Callable[[str], bool]:
        """Return whether an answer holds a verdict for every factor."""
        return partial(is_readable, factors=self.group)

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """Each factor's verdict."""
        return dict(read_answer(completion.text, self.group))


@dataclass(frozen=True)
class ExpectedReader(RatingReader):
    """A level with its reasons, weighed by the probabilities of all levels."""

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """Each factor's verdict, its score the mean of the levels by their probabilities."""
        readings = super().read(completion)
        return {
            factor.slug: weighed(reading, completion, factor, alone=len(self.group) == 1)
            if isinstance(reading := readings[factor.slug], Reading) and reading.score is not None
            else reading
            for factor in self.group
        }


@dataclass(frozen=True)
class ListReader:
    """A list, from which code finds the level."""

    group: tuple[Factor, ...]
    outline: Outline
    case: Case

    @property
    def room(self) -> int:
        """Tokens of all entries."""
        return sum(ENTRY_TOKENS * self.outline.expected(factor) for factor in self.group)

    @cached_property
    def schema(self) -> str:
        """The form of the answer."""
        return items_schema(self.group, self.outline.domain)

    @property
    def accepts(self) -> Callable[[str], bool]:
        """Return whether an answer holds a list for every factor."""
        return partial(are_readable, factors=self.group, outline=self.outline)

    def read(self, completion: Completion) -> Mapping[str, Outcome]:
        """The level of each factor's list."""
        lists = read_entries(completion.text, self.group, self.outline)
        return {
            factor.slug: found
            if isinstance(found := lists[factor.slug], Unreadable)
            else climb(found, factor, self.case, self.outline)
            for factor in self.group
        }
