"""A store inside the process: least recently used values leave first, bounded in bytes."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from .protocol import Claim, Lease

ENTRY_OVERHEAD = 300
"""Bytes that Python keeps for an entry beside key and value, measured with `tracemalloc`."""

MAX_COUNTERS = 100_000


Key = TypeVar("Key")
Value = TypeVar("Value")


class RecentlyUsed(Generic[Key, Value]):
    """Values that were used of late: at most `max_bytes` of them, each for `ttl` seconds (None: until it is pushed out). `size` says how
    many bytes an entry takes; `clock` is in seconds and never goes back."""

    def __init__(
        self,
        max_bytes: int,
        ttl: float | None,
        size: Callable[[Key, Value], int],
        clock: Callable[[], float],
    ) -> None:
        self._max_bytes, self._size, self._clock = max_bytes, size, clock
        self._ttl = float("inf") if ttl is None else ttl
        self._entries: OrderedDict[Key, tuple[Value, float]] = OrderedDict()
        self.bytes = 0
        self.evictions = 0

    def get(self, key: Key) -> Value | None:
        """The value; None where there is none, or none any more."""
        value, expires = self._entries.get(key, (None, 0.0))
        if value is None or self._clock() >= expires:
            self.drop(key)
            return None
        self._entries.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> bool:
        """Keep a value; return False if it exceeds the whole capacity."""
        self.drop(key)
        size = self._size(key, value)
        if size > self._max_bytes:
            return False
        self._entries[key] = value, self._clock() + self._ttl
        self.bytes += size
        while self.bytes > self._max_bytes:
            self.drop(next(iter(self._entries)))
            self.evictions += 1
        return True

    def drop(self, key: Key) -> None:
        """Drop the value, if there is one."""
        if key in self._entries:
            self.bytes -= self._size(key, self._entries.pop(key)[0])

    def items(self) -> Iterator[tuple[Key, Value]]:
        """Yield keys and values, the one that was used last in the end."""
        return ((key, value) for key, (value, _) in self._entries.items())

    def __len__(self) -> int:
        return len(self._entries)


class MemoryStore:
    """Keeps at most `max_bytes` of keys and values, each for `ttl` seconds (None: until it is
    pushed out). `clock` is in seconds and never goes back.

    There is one process, so every lease is granted: calls are shared one layer up."""

    def __init__(
        self, max_bytes: int, ttl: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._kept: RecentlyUsed[str, bytes] = RecentlyUsed(max_bytes, ttl, _size, clock)
        self._counters: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._stats: Counter[str] = Counter(hits=0, misses=0, puts=0)

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        found = [self._kept.get(key) for key in keys]
        misses = found.count(None)
        self._stats["misses"] += misses
        self._stats["hits"] += len(found) - misses
        return found

    async def put(self, key: str, value: bytes) -> None:
        self._keep(key, value)

    def _keep(self, key: str, value: bytes) -> None:
        self._stats["puts"] += self._kept.put(key, value)

    async def claim(self, key: str) -> Claim:
        value = self._kept.get(key)
        return Claim(lease=Lease(key, None)) if value is None else Claim(value)

    async def release(self, lease: Lease) -> None:
        """Nothing to give up."""

    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        now = self._clock()
        number, ends = self._counters.get(key, (0, 0.0))
        if now >= ends:
            number, ends = 0, now + window
        self._counters[key] = (number + amount, ends)
        self._counters.move_to_end(key)
        if len(self._counters) > MAX_COUNTERS:
            self._counters.popitem(last=False)
        return number + amount

    async def ping(self) -> bool:
        return True

    async def aclose(self) -> None:
        for key in [key for key, _ in self._kept.items()]:
            self._kept.drop(key)

    def stats(self) -> Mapping[str, int]:
        kept = self._kept
        return dict(self._stats, evictions=kept.evictions, bytes=kept.bytes, entries=len(kept))


def _size(key: str, value: bytes) -> int:
    return len(key) + len(value) + ENTRY_OVERHEAD
