"""The books of `ledger`, kept in Redis for all replicas, by the clock of Redis."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar

from redis.asyncio import Redis

from .ledger import REPLICA_WINDOWS, Ask, Grant, Ledger

READ: Final = "return {redis.call('GET', KEYS[1]), redis.call('TIME')}"

REPLACE: Final = """
-- ARGV: the books as they were (empty: none), as they are, and how long to keep them
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
"""

Guard = Callable[[Callable[[], Awaitable[Any]], Any], Awaitable[Any]]
_T = TypeVar("_T")


class RedisBudgets:
    """Changes the books of an upstream. `guard` runs commands of Redis and answers with its second argument when Redis
    does not."""

    def __init__(self, redis: "Redis", prefix: str, guard: Guard) -> None:
        self._guard = guard
        self._prefix = f"{prefix}ledger:"
        self._read = redis.register_script(READ)
        self._replace = redis.register_script(REPLACE)
        # Calls of this process wait for one another here, so that only other replicas come in between.
        self._turn = asyncio.Lock()

    async def take(self, name: str, ask: Ask) -> Grant | None:
        """As `Ledger.take`; None where Redis does not answer."""
        return await self._change(name, ask.budget.window, lambda ledger: ledger.take(ask))

    async def settle(self, name: str, window: float, slot: int, tokens: int) -> None:
        """As `Ledger.settle`."""
        await self._change(name, window, lambda ledger: ledger.settle(slot, tokens))

    async def ease(self, name: str, window: float, pause: float) -> None:
        """As `Ledger.ease`."""
        await self._change(name, window, lambda ledger: ledger.ease(pause))

    async def _change(self, name: str, window: float, change: Callable[[Ledger], _T]) -> _T | None:
        """Read the books, change them and write them back; begin again where another replica wrote in between."""
        keys, lasting = [self._prefix + name], round(REPLICA_WINDOWS * window * 1000)

        async def attempt() -> _T:
            async with self._turn:
                while True:
                    kept, (seconds, micros) = await self._read(keys)
                    now = int(seconds) + int(micros) / 1e6
                    ledger = Ledger(window, partial(float, now), kept)
                    result = change(ledger)
                    if await self._replace(keys, [kept or b"", ledger.dump(), lasting]):
                        return result

        found: _T | None = await self._guard(attempt, None)
        return found
