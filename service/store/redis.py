"""A store in Redis, shared by all replicas. When Redis is away the service goes on without it."""

import asyncio
import contextlib
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.lock import Lock
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import LockError, RedisError, ResponseError

from .breaker import Breaker
from .gathering import Gathering
from .protocol import Claim, Lease

TIMEOUT: Final = 0.25
"""Seconds for a connection, and for an answer, by default. Redis is a shortcut: one that is slower
is none."""

STALL: Final = 0.2
"""Seconds of delay from which a late timeout means that this process stalled, not Redis."""

CONNECTIONS: Final = 32
PREFIX: Final = "crs-eval:"
"""The beginning of all names in Redis."""

COUNT: Final = """
local n = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return n
"""

LASTING: Final = 2.8
"""The time that a lease outlives a holder that was killed, in timeouts of Redis: .7 s for one of .25 s, and with
`POLL` under a second in all."""

RENEW: Final = 0.8
"""Timeouts between renewals."""

AWAY: Final = (RedisError, OSError, RuntimeError)
"""Errors that a Redis that went away shows as: RuntimeError from uvloop, of a socket that closed before a command was
written to it."""

Guard = Callable[[Callable[[], Awaitable[Any]], Any], Awaitable[Any]]

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


def connect(
    url: str, timeout: float = TIMEOUT, password: str | None = None, ca: Path | None = None
) -> "Redis":
    """A client that gives up after so many seconds, never retries and speaks RESP2 without the greetings
    that Redis 7.0 does not know. `rediss://` is TLS; the server's certificate and name are verified, against `ca` instead of
    the system's authorities where it is given. Raises ValueError for a URL that is none."""
    parts = urlsplit(url)
    if parts.scheme != "unix" and not re.fullmatch(r"/?\d*", parts.path):
        raise ValueError("no number of a database")  # which the client would take for 0
    tls: dict[str, Any] = {} if ca is None else {"ssl_ca_certs": str(ca)}
    return Redis.from_url(
        url,
        password=password,
        **tls,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
    )


class RedisStore:
    """Values live for `ttl` seconds (None: until Redis evicts them). What Redis has not answered within `timeout` seconds is done
    without it; leases last in proportion."""

    def __init__(
        self,
        url: str,
        ttl: float | None = None,
        *,
        timeout: float = TIMEOUT,
        password: str | None = None,
        ca: Path | None = None,
    ) -> None:
        self._redis = connect(url, timeout, password, ca)
        self._timeout = timeout
        self._ttl = None if ttl is None else max(1, round(ttl * 1000))
        self._breaker = Breaker()
        self._places = asyncio.Semaphore(CONNECTIONS)
        self._stats: Counter[str] = Counter(hits=0, misses=0, puts=0, failures=0, outages=0, skipped=0)
        self._refused = False
        self._known = False
        self._count = self._redis.register_script(COUNT)
        self._leases = Leases(self._redis, PREFIX, timeout, self._guarded)
        self.release = self._leases.release
        self._gathering = Gathering(self._read)

    async def get_many(self, keys: Sequence[str]) -> list[bytes | None]:
        return await self._gathering.get_many(keys) if keys else []

    async def _read(self, keys: Sequence[str]) -> list[bytes | None]:
        names = [PREFIX + key for key in keys]
        none: list[bytes | None] = [None] * len(names)
        values = await self._guarded(lambda: self._redis.mget(names), none)
        hits = sum(value is not None for value in values)
        self._stats["hits"] += hits
        self._stats["misses"] += len(names) - hits
        return values

    async def put(self, key: str, value: bytes) -> None:
        name = PREFIX + key
        stored = await self._guarded(lambda: self._redis.set(name, value, px=self._ttl), False)
        self._stats["puts"] += bool(stored)

    async def claim(self, key: str) -> Claim:
        lock = self._leases.lock(key)

        async def attempt() -> tuple[bool, bytes | None]:
            granted = await lock.acquire()
            # Looked for under the lease: its last holder put the value before giving it up.
            return granted, cast("bytes | None", await self._redis.get(PREFIX + key))

        found: tuple[bool, bytes | None] | None = await self._guarded(attempt, None)
        if found is None:
            return Claim(lease=Lease(key, None))
        granted, value = found
        lease = self._leases.start_renewal(key, lock) if granted else None
        if value is None:
            return Claim(lease=lease)
        if lease:
            await self._leases.release(lease)
        return Claim(value)

    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        name, lasting = f"{PREFIX}count:{key}", max(1, round(window * 1000))
        return await self._guarded(lambda: self._count([name], [lasting, amount]), None)

    async def ping(self) -> bool:
        return bool(await self._guarded(self._redis.ping, False))

    async def aclose(self) -> None:
        await self._gathering.aclose()
        await self._leases.aclose()
        await self._redis.aclose()

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats, down=int(not self._breaker.closed), leases=self._leases.held)

    async def _guarded(self, ask: Callable[[], Awaitable[Any]], otherwise: _T) -> _T:
        """Return the answer of Redis, or `otherwise` if it is down or refuses."""
        async with self._places:
            if not self._breaker.allows():
                self._stats["skipped"] += 1
                return otherwise
            began = asyncio.get_running_loop().time()
            try:
                answer = await ask()
            except ResponseError as refusal:
                # Redis is there and says no: read-only, or out of memory. Reading may still work.
                self._reached()
                self._stats["failures"] += 1
                if not self._refused:
                    self._refused = True
                    _log.warning("Redis refuses to store; going on without: %s", refusal)
                return otherwise
            except AWAY as failure:
                self._failed(failure, asyncio.get_running_loop().time() - began)
                return otherwise
            except asyncio.CancelledError:
                self._breaker.abandoned()
                raise
            self._reached()
            return cast("_T", answer)

    def _reached(self) -> None:
        self._known = True
        if self._breaker.succeeded():
            self._refused = False
            _log.info("Redis answers again; the cache is back")

    def _failed(self, failure: Exception, took: float) -> None:
        self._stats["failures"] += 1
        if took > self._timeout + STALL:
            self._breaker.abandoned()
        elif self._breaker.failed():
            self._stats["outages"] += 1
            if self._known:
                _log.warning("Redis does not answer; going on without it: %s", failure)
            else:
                _log.warning(
                    "Redis was never reached; going on without it. Check its address, and that a network policy lets this "
                    "process connect: %s",
                    failure,
                )


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

    def start_renewal(self, key: str, lock: Lock) -> Lease:
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
