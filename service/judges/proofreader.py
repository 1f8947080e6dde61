"""The protocol of a checker of spelling and grammar beside the embedded judge's rules; those that there
are: `proofreading.py`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..text.words import Span


class ProofreadingFailed(Exception):  # noqa: N818 - read as a sentence, like the errors of the service
    """The checker gave no usable answer; the message says why, and quotes no text."""


@dataclass(frozen=True, slots=True)
class Proofread:
    """The findings of a checker: its name and version, and the errors of each text, in order; `kind` is a
    key of `service.text.grammar.NAMES`."""

    checker: str
    errors: tuple[tuple[Span, ...], ...]


class Proofreader(Protocol):
    """Finds obvious errors in English texts."""

    async def read(self, texts: Sequence[str]) -> Proofread:
        """The errors of each text. Raises ProofreadingFailed."""
        ...

    async def aclose(self) -> None:
        """Let go of what it holds."""
        ...
