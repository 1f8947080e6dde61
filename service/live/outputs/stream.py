"""Results as entries of a Redis stream."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Final

from ...store.conversations.protocol import DELETED, Told, Unreachable
from ...store.conversations.results import ResultStream
from .output import OutputDown

EVERY: Final = 3600.0
"""Seconds between two looks for what is too old."""


class Stream:
    """Appends each event to `results`. What is older than `retention` seconds is deleted."""

    name = "stream"

    def __init__(self, results: ResultStream, retention: float | None = None) -> None:
        self._results = results
        self._retention = retention
        self._tidied = -EVERY

    async def prepare(self) -> None:
        pass

    async def take(self, told: Sequence[Told]) -> None:
        with _down():
            for one in told:
                if one.kind == DELETED:
                    await self._results.remove(one.conversation)
            await self._results.add(told)

    async def tidy(self) -> None:
        with _down():
            await self._results.tidy()
        if self._retention is not None and time.monotonic() - self._tidied >= EVERY:
            self._tidied = time.monotonic()
            with _down():
                await self._results.expire(time.time() - self._retention)

    async def aclose(self) -> None:
        await self._results.aclose()


@contextlib.contextmanager
def _down() -> Iterator[None]:
    try:
        yield
    except Unreachable as error:
        raise OutputDown(str(error)) from None
