"""The protocol of outputs. Every method but `take` does nothing where an output leaves it out."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from ...store.conversations.protocol import OutboxEvent, Unreachable


class OutputDown(Unreachable):
    """The output takes nothing now. All of the events are brought again."""


class OutputRefused(Exception):  # noqa: N818 - no error to tell a caller
    """The output does not take these events, now or ever."""


class Output(Protocol):
    """Takes events under its own `name`. An event that comes again changes nothing. Raises OutputDown, and
    Unreachable where it keeps them with the conversations."""

    name: str

    async def prepare(self) -> None:
        """Make what is missing. Raises ConfigurationError for what cannot be."""
        return

    @abstractmethod
    async def take(self, events: Sequence[OutboxEvent]) -> None:
        """Take events in their order. Raises OutputRefused."""

    async def find(self, user_hash: str) -> Sequence[dict[str, Any]]:  # noqa: ARG002 - of those that keep results
        """Return the judgements of a user's conversations."""
        return ()

    async def expire(self, before: float) -> None:  # noqa: ARG002 - of those that keep what they took
        """Delete what was judged or reported before then, in seconds since 1970."""
        return

    async def aclose(self) -> None:
        return
