"""The protocol of an output."""

from collections.abc import Sequence
from typing import Protocol

from ...store.conversations.protocol import Told


class OutputDown(Exception):  # noqa: N818 - a state, which passes
    """The output takes nothing now. All of the events are brought again."""


class OutputRefused(Exception):  # noqa: N818 - no error to tell a caller
    """The output does not take these events, now or ever."""


class Output(Protocol):
    """Takes events under a `name` of its own. One that it has already is taken again and changes nothing."""

    @property
    def name(self) -> str: ...

    async def prepare(self) -> None:
        """Make what is missing. Raises ConfigurationError for what cannot be, OutputDown for what cannot be now."""
        ...

    async def take(self, told: Sequence[Told]) -> None:
        """Take events in their order. Raises OutputDown, OutputRefused."""
        ...

    async def tidy(self) -> None:
        """Do now and then what must be done: delete what is too old. Raises OutputDown."""
        ...

    async def aclose(self) -> None: ...
