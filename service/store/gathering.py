"""Look-ups of several requests at the same time as one: a command of Redis costs the client a tenth of
a millisecond, whatever it asks."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

Read = Callable[[Sequence[str]], Awaitable[list[bytes | None]]]


class Gathering:
    """Joins what is wanted while an earlier look-up is under way into the next one. `read` answers any
    number of keys in order, and does not raise."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._waiting: deque[tuple[Sequence[str], asyncio.Future[list[bytes | None]]]] = deque()
        self._reading: asyncio.Task[None] | None = None
        self._busy = False

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values of `keys`, in order."""
        if self._busy:
            found: asyncio.Future[list[bytes | None]] = asyncio.get_running_loop().create_future()
            self._waiting.append((keys, found))
            return await found
        self._busy = True
        try:
            return await self._read(keys)
        finally:
            # Those who came meanwhile share the next one, even if this caller left.
            if self._waiting:
                self._reading = asyncio.create_task(self._read_all(), name="cache look-up")
            else:
                self._busy = False

    async def aclose(self) -> None:
        """Stop; callers that still wait are cancelled."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._cancel_waiting()

    async def _read_all(self) -> None:
        try:
            while self._waiting:
                together = list(self._waiting)
                values = iter(await self._read([key for keys, _ in together for key in keys]))
                for keys, found in together:
                    own = list(islice(values, len(keys)))
                    self._waiting.popleft()
                    if not found.done():  # the caller may have left
                        found.set_result(own)
        finally:
            self._reading = None
            self._busy = False
            self._cancel_waiting()

    def _cancel_waiting(self) -> None:
        while self._waiting:
            self._waiting.popleft()[1].cancel()
