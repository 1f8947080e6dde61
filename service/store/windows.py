"""Counters of windows of the clock: over all replicas that share a store, in this process alone while the store is down."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from .memory import MemoryStore
from .protocol import Store


@dataclass(frozen=True, slots=True)
class WindowCount:
    """A counter after an addition: its total in the window of this number, and the seconds until the next window."""

    total: int
    left: float
    number: int


class WindowCounter:
    """Counts by name. Windows begin at multiples of their length, so that all replicas count in the same one."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._spare = MemoryStore(0, clock=clock)
        self._clock = clock

    async def add(self, name: str, window: float, amount: int = 1) -> WindowCount:
        number = math.floor(self._clock() / window)
        total = await self._add(name, window, amount, number)
        return WindowCount(total, (number + 1) * window - self._clock(), number)

    async def correct(self, name: str, window: float, amount: int, number: int) -> None:
        """Add to a counter of the window with this number, unless the window is over."""
        if math.floor(self._clock() / window) == number:
            await self._add(name, window, amount, number)

    async def _add(self, name: str, window: float, amount: int, number: int) -> int:
        key = f"{name}:{number}"
        total = await self._store.count(key, window, amount)
        if total is None:
            total = await self._spare.count(key, window, amount)
        return total or 0
