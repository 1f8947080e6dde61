"""Look-ups of several requests at the same time as one: a command of Redis costs the client a tenth of
a millisecond, whatever it asks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

Read = Callable[[Sequence[str]], Awaitable[list[bytes | None]]]
Waiting = tuple[Sequence[str], asyncio.Future[list[bytes | None]]]


class Gathering:
    """Joins what is wanted while an earlier look-up is under way into the next one. `read` answers any
    number of keys in order; its error reaches all who wait for it."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._waiting: list[Waiting] = []
        self._reading: asyncio.Task[None] | None = None

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values of `keys`, in order."""
        found: asyncio.Future[list[bytes | None]] = asyncio.get_running_loop().create_future()
        self._waiting.append((keys, found))
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_all(), name="cache look-up")
        return await found

    async def aclose(self) -> None:
        """Stop; callers that still wait are cancelled."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        for _, found in self._waiting:
            found.cancel()

    async def _read_all(self) -> None:
        try:
            while together := self._waiting[:]:
                keys = [key for own, _ in together for key in own]
                (values,) = await asyncio.gather(self._read(keys), return_exceptions=True)
                del self._waiting[: len(together)]
                _answer(together, values)
        finally:
            self._reading = None


def _answer(together: Sequence[Waiting], values: list[bytes | None] | BaseException) -> None:
    """Give each caller its values, or the error; a caller that left gets nothing."""
    if isinstance(values, BaseException):
        for found in [found for _, found in together if not found.done()]:
            found.set_exception(values)
        return
    rest = iter(values)
    for keys, found in together:
        own = list(islice(rest, len(keys)))
        if not found.done():
            found.set_result(own)
