"""Callers' rates by the library `limits`, its counters kept in our store: over all replicas, behind the
store's breaker and deadlines, and in this process alone while that is down. Imported where there is a
limit, since it takes a tenth of a second."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import limits
from limits.aio.storage import Storage
from limits.aio.strategies import FixedWindowRateLimiter

from ...domain.caller import RateLimit
from ...store.memory import MemoryStore
from ...store.protocol import Store


@dataclass(frozen=True, slots=True)
class Turn:
    """The outcome of counting a request: whether it is within the limit, how many more are, and the
    seconds until the next window."""

    granted: bool
    remaining: int
    left: float


class Rates:
    """Counts requests against `limit`. Windows are of the clock, so that all replicas count in the same
    one."""

    def __init__(self, limit: RateLimit, store: Store, clock: Callable[[], float]) -> None:
        self._item = limits.parse(str(limit))
        self._clock = clock
        self._counters = _Counters(store, clock)
        self._limiter = FixedWindowRateLimiter(self._counters)

    async def hit(self, who: str) -> Turn:
        """Count a request of `who`."""
        granted = await self._limiter.hit(self._item, who)
        state = await self._limiter.get_window_stats(self._item, who)
        return Turn(granted, state.remaining, state.reset_time - self._clock())


class _Counters(Storage):
    """`store`, and memory while it is down, as `limits` wants its counters. The count read last answers
    what it asks after a hit: one trip to the store and not three."""

    STORAGE_SCHEME = None

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        super().__init__()
        self._store = store
        self._spare = MemoryStore(0, clock=clock)
        self._clock = clock
        self._last: tuple[str, int, float] = ("", 0, 0.0)

    @property
    def base_exceptions(self) -> type[Exception]:
        """Return what a store raises: nothing; every method of it has an outcome for being down."""
        return Exception

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count `amount` in the window of now."""
        window = math.floor(self._clock() / expiry)
        name, number = f"rate:{key}:{window}", 0
        for _ in range(amount):
            found = await self._store.count(name, expiry)
            number = found or await self._spare.count(name, expiry) or 0
        self._last = (key, number, (window + 1) * expiry)
        return number

    async def get(self, key: str) -> int:
        """The count of `key`, if it was counted last."""
        return self._last[1] if self._last[0] == key else 0

    async def get_expiry(self, key: str) -> float:
        """Return the time at which the window of `key` ends, if it was counted last."""
        return self._last[2] if self._last[0] == key else self._clock()

    async def check(self) -> bool:
        """Return whether the store answers."""
        return await self._store.ping()

    async def reset(self) -> None:
        """Counters lapse with their window; none is taken back. Raises NotImplementedError."""
        raise NotImplementedError

    async def clear(self, key: str) -> None:
        """As `reset`."""
        raise NotImplementedError
