"""Leases in Redis, which decide who makes a call that several replicas want."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from .protocol import Lease

LASTING: Final = 2.8
"""The time that a lease outlives a holder that was killed, in timeouts of Redis: .7 s for one of .25 s, and with
`POLL` under a second in all."""

RENEW: Final = 0.8
"""Timeouts between renewals."""

POLL: Final = 0.1
"""Seconds between two claims of a key that another replica works on."""

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
return 1
"""

AWAY: Final = (RedisError, OSError, RuntimeError)
"""Errors that a Redis that went away shows as: RuntimeError from uvloop, of a socket that closed before a command was
written to it."""

Guard = Callable[[Callable[[], Awaitable[Any]], Any], Awaitable[Any]]


class Leases:
    """Holds, renews and releases leases. `timeout` is what Redis gets
    for an answer, in seconds; `guard` runs a command of Redis and answers with its second argument
    when Redis does not."""

    def __init__(self, redis: "Redis", prefix: str, timeout: float, guard: Guard) -> None:
        self.lasting = round(timeout * LASTING * 1000)
        """Milliseconds that a lease lasts unless it is renewed."""
        self._prefix = prefix
        self._pause = timeout * RENEW
        self._guard = guard
        self._renewal = redis.register_script(RENEWAL)
        self._release = redis.register_script(RELEASE)
        self._tokens: dict[str, str] = {}
        self._renewing: asyncio.Task[None] | None = None

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
        """Give a lease up, if it is still ours."""
        if (token := lease.token) is None:
            return
        name = self.name(lease.key)
        self._tokens.pop(name, None)
        await self._guard(lambda: self._release([name], [token]), None)

    async def aclose(self) -> None:
        """Give all leases up, and stop."""
        for name, token in list(self._tokens.items()):
            await self.release(Lease(name.removeprefix(self._prefix).removesuffix(":lease"), token))
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)

    async def _renew(self) -> None:
        while self._tokens:
            await asyncio.sleep(self._pause)
            if names := list(self._tokens):
                arguments = [self.lasting, *(self._tokens[name] for name in names)]
                await self._guard(lambda n=names, a=arguments: self._renewal(n, a), None)  # type: ignore[misc]
