"""Results as entries of a Redis stream."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ...store.conversations.protocol import DELETED, Told, Unreachable
from ...store.conversations.results import ResultStream
from .output import Output, OutputDown


class Stream(Output):
    """Appends each event to `results`."""

    name = "stream"

    def __init__(self, results: ResultStream) -> None:
        self._results = results

    async def take(self, told: Sequence[Told]) -> None:
        with _down():
            for one in told:
                if one.kind == DELETED:
                    await self._results.remove(one.conversation)
            await self._results.add(told)

    async def tidy(self) -> None:
        with _down():
            await self._results.tidy()

    async def find(self, user_hash: str) -> Sequence[dict[str, Any]]:
        with _down():
            return await self._results.find(user_hash)

    async def expire(self, before: float) -> None:
        with _down():
            await self._results.expire(before)

    async def aclose(self) -> None:
        await self._results.aclose()


@contextlib.contextmanager
def _down() -> Iterator[None]:
    try:
        yield
    except Unreachable as error:
        raise OutputDown(str(error)) from None
