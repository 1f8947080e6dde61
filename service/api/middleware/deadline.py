"""Deadlines of many at once, cheaply."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")


class Expired(Exception):  # noqa: N818 - it says what happened
    """Something took longer than it may."""


class Deadline:
    """Cuts off what takes longer than `seconds`, by one timer for all that is under way: asyncio's own
    timeouts set one each, which costs more than most of what they guard. A task is cancelled and its
    cancelling taken back as they do it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[_Guard, float] = {}  # all last equally long: the first to end comes first
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def within(self, work: Awaitable[T]) -> T:
        """The result of `work`, awaited here. Raises Expired, with `work` cancelled, where it takes too long."""
        loop = asyncio.get_running_loop()
        guard = _Guard(asyncio.current_task(loop))
        self._ends[guard] = loop.time() + self._seconds
        if self._timer is None or self._loop is not loop:
            self._loop = loop
            self._timer = loop.call_later(self._seconds, self._look)
        try:
            result = await work
        except asyncio.CancelledError:
            if self._settle(guard):
                raise Expired from None
            raise
        except BaseException:
            self._settle(guard)
            raise
        self._settle(guard)
        return result

    def _settle(self, guard: "_Guard") -> bool:
        """Return whether it was too late, and nobody else has cancelled the task since."""
        self._ends.pop(guard, None)
        return guard.late and guard.task.uncancel() <= guard.cancelled_before

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
            guard.late = True
            guard.task.cancel()


class _Guard:
    __slots__ = ("cancelled_before", "late", "task")

    def __init__(self, task: asyncio.Task[Any] | None) -> None:
        assert task is not None, "only a task can be cut off"
        self.task = task
        self.cancelled_before = task.cancelling()
        self.late = False
