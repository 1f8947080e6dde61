"""Deadlines of many at once, cheaply."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Expired(Exception):  # noqa: N818 - it says what happened
    """Something took longer than it may."""


class Deadline:
    """Cuts off what takes longer than `seconds`, by one timer for all that is under way: asyncio's own
    timeouts set one each, which costs more than most of what they guard."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Timeout, float] = {}  # all last equally long: the first to end comes first
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def within(self, work: Awaitable[T]) -> T:
        """The result of `work`, awaited here. Raises Expired, with `work` cancelled, where it takes too long."""
        try:
            async with asyncio.timeout(None) as guard:
                self._start(guard)
                try:
                    return await work
                finally:
                    self._ends.pop(guard, None)
        except TimeoutError:
            if guard.expired():
                raise Expired from None
            raise

    def _start(self, guard: asyncio.Timeout) -> None:
        loop = asyncio.get_running_loop()
        self._ends[guard] = loop.time() + self._seconds
        if self._timer is None or self._loop is not loop:
            self._loop = loop
            self._timer = loop.call_later(self._seconds, self._look)

    def _look(self) -> None:
        """End what is due; look again when the next one is."""
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._ends:
            guard, end = next(iter(self._ends.items()))
            if end > loop.time():
                self._timer = loop.call_at(end, self._look)
                return
            del self._ends[guard]
            guard.reschedule(loop.time())
