"""A store inside the process: least recently used values leave first, bounded in bytes."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .protocol import Claim, Lease

ENTRY_OVERHEAD = 300
"""Bytes that Python keeps for an entry beside key and value, measured with `tracemalloc`."""

MAX_COUNTERS = 100_000


@dataclass(frozen=True, slots=True)
class _Entry:
    value: bytes
    expires: float


class MemoryStore:
    """Keeps at most `max_bytes` of keys and values, each for `ttl` seconds (None: until it is
    pushed out). `clock` is in seconds and never goes back.

    There is one process, so every lease is granted: calls are shared one layer up."""

    def __init__(
        self, max_bytes: int, ttl: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_bytes = max_bytes
        self._ttl = float("inf") if ttl is None else ttl
        self._clock = clock
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._counters: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._stats: Counter[str] = Counter(hits=0, misses=0, puts=0, evictions=0)
        self._bytes = 0

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        found = [self._fresh(key) for key in keys]
        misses = found.count(None)
        self._stats["misses"] += misses
        self._stats["hits"] += len(found) - misses
        return found

    async def put(self, key: str, value: bytes) -> None:
        self._keep(key, value)

    def _keep(self, key: str, value: bytes) -> None:
        self._drop(key)
        if _size(key, value) > self._max_bytes:
            return
        self._entries[key] = _Entry(value, self._clock() + self._ttl)
        self._bytes += _size(key, value)
        self._stats["puts"] += 1
        while self._bytes > self._max_bytes:
            self._drop(next(iter(self._entries)))
            self._stats["evictions"] += 1

    async def claim(self, key: str) -> Claim:
        value = self._fresh(key)
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
        self._entries.clear()
        self._bytes = 0

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats, bytes=self._bytes, entries=len(self._entries))

    def _fresh(self, key: str) -> bytes | None:
        entry = self._entries.get(key)
        if entry is None or self._clock() >= entry.expires:
            self._drop(key)
            return None
        self._entries.move_to_end(key)
        return entry.value

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= _size(key, entry.value)


def _size(key: str, value: bytes) -> int:
    return len(key) + len(value) + ENTRY_OVERHEAD
