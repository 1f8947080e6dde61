"""A checker of spelling and grammar beside the embedded judge, and its findings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..text.words import Span


@dataclass(frozen=True, slots=True)
class Proofread:
    """The findings of the checker: its name and version, and the errors of each text, in order; `kind` is a
    key of `service.text.grammar.NAMES`."""

    checker: str
    errors: tuple[tuple[Span, ...], ...]


class Proofreader(Protocol):
    """Finds errors of spelling and grammar."""

    async def read(self, texts: Sequence[str]) -> Proofread:
        """The errors of each text."""
        ...
