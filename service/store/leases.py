"""Leases in Redis, which decide who makes a call that several replicas want."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.exceptions import LockError, RedisError

from .protocol import Lease

LASTING: Final = 2.8
"""The time that a lease outlives a holder that was killed, in timeouts of Redis: .7 s for one of .25 s, and with
`POLL` under a second in all."""

RENEW: Final = 0.8
"""Timeouts between renewals."""

AWAY: Final = (RedisError, OSError, RuntimeError)
"""Errors that a Redis that went away shows as: RuntimeError from uvloop, of a socket that closed before a command was
written to it."""

Guard = Callable[[Callable[[], Awaitable[Any]], Any], Awaitable[Any]]


class Leases:
    """Renews and releases leases, which are locks of redis-py. `timeout` is what Redis gets for an answer, in seconds;
    `guard` runs commands of Redis and answers with its second argument when Redis does not."""

    def __init__(self, redis: "Redis", prefix: str, timeout: float, guard: Guard) -> None:
        self._redis, self._prefix, self._timeout, self._guard = redis, prefix, timeout, guard
        self._locks: dict[str, Lock] = {}
        self._renewing: asyncio.Task[None] | None = None

    @property
    def held(self) -> int:
        return len(self._locks)

    def lock(self, key: str) -> Lock:
        """The lock on a key, to be acquired at once or not at all."""
        name = f"{self._prefix}{key}:lease"
        return Lock(self._redis, name, self._timeout * LASTING, blocking=False, thread_local=False)

    def hold(self, key: str, lock: Lock) -> Lease:
        """Renew a lock that was just acquired, until its lease is released."""
        token = str(lock.local.token)
        self._locks[token] = lock
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew(), name="lease renewal")
        return Lease(key, token)

    async def release(self, lease: Lease) -> None:
        """Give a lease up, if it is still ours."""
        if lock := self._locks.pop(lease.token or "", None):
            await self._guard(lambda: _if_ours(lock.release()), None)

    async def aclose(self) -> None:
        """Give all leases up, and stop."""
        for token in list(self._locks):
            await self.release(Lease("", token))
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)

    async def _renew(self) -> None:
        while self._locks:
            await asyncio.sleep(self._timeout * RENEW)
            await asyncio.gather(*map(self._extend, list(self._locks.values())))

    async def _extend(self, lock: Lock) -> None:
        await self._guard(lambda: _if_ours(lock.reacquire()), None)


async def _if_ours(change: Awaitable[object]) -> None:
    """Change a lock; one that lapsed is another's, and stays as it is."""
    with contextlib.suppress(LockError):
        await change
