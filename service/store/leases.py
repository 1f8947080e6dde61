"""Leases in Redis: who makes a call that several replicas want, and how the others hear of its end."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from .protocol import Lease

LASTING: Final = 2.8
"""The time that a lease outlives a holder that was killed, in timeouts of Redis: .7 s for one of .25 s, and with
`POLL` under a second in all."""

RENEW: Final = 0.8
"""Timeouts between renewals."""

POLL: Final = 0.15
"""Seconds between looks at a lease, should no notice of its release arrive."""

CLAIM: Final = """
local value = redis.call('GET', KEYS[1])
if value then return {value, 0} end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {false, 1} end
return {false, 0}
"""

RENEWAL: Final = """
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[i + 1] then redis.call('PEXPIRE', key, ARGV[1]) end
end
return #KEYS
"""

RELEASE: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], KEYS[1])
return 1
"""

AWAY: Final = (RedisError, OSError, RuntimeError)
"""Errors that a Redis that went away shows as: RuntimeError from uvloop, of a socket that closed before a command was
written to it."""

Guard = Callable[[Callable[[], Awaitable[Any]], Any], Awaitable[Any]]


class Leases:
    """Holds, renews and releases leases, and wakes those who wait for one. `timeout` is what Redis gets
    for an answer, in seconds; `guard` runs a command of Redis and answers with its second argument
    when Redis does not."""

    def __init__(self, redis: "Redis", prefix: str, timeout: float, guard: Guard) -> None:
        self.lasting = round(timeout * LASTING * 1000)
        """Milliseconds that a lease lasts unless it is renewed."""
        self._redis = redis
        self._prefix = prefix
        self._pause = timeout * RENEW
        self._guard = guard
        self._channel = f"{prefix}released"
        self._renewal = redis.register_script(RENEWAL)
        self._release = redis.register_script(RELEASE)
        self._tokens: dict[str, str] = {}
        self._events: dict[str, asyncio.Event] = {}
        self._renewing: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None

    @property
    def held(self) -> int:
        return len(self._tokens)

    def name(self, key: str) -> str:
        """The name under which the lease on a key is kept."""
        return f"{self._prefix}{key}:lease"

    def new_token(self) -> str:
        """A token that nobody else has."""
        return secrets.token_hex(8)

    def hold(self, key: str, token: str) -> Lease:
        """Renew a lease that was just granted, until it is released."""
        self._tokens[self.name(key)] = token
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew(), name="lease renewal")
        return Lease(key, token)

    async def release(self, lease: Lease) -> None:
        """Give a lease up, if it is still ours, and tell the other replicas."""
        if (token := lease.token) is None:
            return
        name = self.name(lease.key)
        self._tokens.pop(name, None)
        await self._guard(lambda: self._release([name], [token, self._channel]), None)

    async def wait(self, key: str, longest: float) -> None:
        """Return at the notice that a lease was released, or after a short while without one."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen(), name="lease notices")
        event = self._events.setdefault(self.name(key), asyncio.Event())
        with suppress(TimeoutError):
            async with asyncio.timeout(min(longest, POLL)):
                await event.wait()
        if self._events.get(self.name(key)) is event:
            del self._events[self.name(key)]

    async def aclose(self) -> None:
        """Give all leases up, and stop."""
        for name, token in list(self._tokens.items()):
            await self.release(Lease(name.removeprefix(self._prefix).removesuffix(":lease"), token))
        tasks = [task for task in (self._renewing, self._listening) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _renew(self) -> None:
        while self._tokens:
            await asyncio.sleep(self._pause)
            if names := list(self._tokens):
                arguments = [self.lasting, *(self._tokens[name] for name in names)]
                await self._guard(lambda n=names, a=arguments: self._renewal(n, a), None)  # type: ignore[misc]

    async def _listen(self) -> None:
        # Without notices (Redis away) the waiters poll, so a listener that dies is no loss: the next
        # wait starts another.
        with suppress(*AWAY):
            async with self._redis.pubsub(ignore_subscribe_messages=True) as notices:
                await notices.subscribe(self._channel)
                while True:
                    notice = await notices.get_message(timeout=60)
                    if notice is not None:
                        event = self._events.get(notice["data"].decode())
                        if event is not None:
                            event.set()
