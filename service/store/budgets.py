"""The books of `ledger`, kept in Redis for all replicas: each script is one step that nobody interrupts, by
the clock of Redis."""

import math
from collections.abc import Awaitable, Callable
from typing import Any, Final

from redis.asyncio import Redis

from .ledger import CLOSE, LEAST_PACE, LIVE, LONGEST_PAUSE, RECOVERY, SLOTS, Ask, Grant

REPLICA_WINDOWS: Final = 10
"""A replica that asked for nothing for so many windows shares no more."""

# ARGV[1] is the window in ms, ARGV[2] the time in ms, empty for that of Redis itself.
_COMMON: Final = f"""
local window = tonumber(ARGV[1])
local width = window / {SLOTS}
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
local slot = math.floor(now / width)
local function pace_of(pace, paced)
  if not pace then return 1 end
  return math.min(1, pace + (now - paced) / ({RECOVERY} * window))
end
"""

TAKE: Final = (
    _COMMON
    + f"""
local limits = {{ tonumber(ARGV[3]), tonumber(ARGV[4]) }}
local costs = {{ 1, tonumber(ARGV[5]) }}
local owed = {{ tonumber(ARGV[6]), tonumber(ARGV[7]) }}
redis.call('ZADD', KEYS[2], now, ARGV[8])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - {REPLICA_WINDOWS} * window)
redis.call('PEXPIRE', KEYS[2], {REPLICA_WINDOWS} * window)
local replicas = redis.call('ZCARD', KEYS[2])
local names = {{ 'c', 't' }}
for i = 1, 2 do
  if owed[i] ~= 0 then redis.call('HINCRBY', KEYS[1], names[i] .. slot, owed[i]) end
end
local spent, slots = {{ 0, 0 }}, {{ {{}}, {{}} }}
local state = {{}}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local kind, at = string.match(fields[i], '^([ct])(%d+)$')
  local value = tonumber(fields[i + 1])
  if not kind then
    state[fields[i]] = value
  elseif tonumber(at) <= slot - {LIVE} then
    redis.call('HDEL', KEYS[1], fields[i])
  else
    local index = kind == 'c' and 1 or 2
    spent[index] = spent[index] + value
    table.insert(slots[index], {{ tonumber(at), value }})
  end
end
local pace = pace_of(state.pace, state.paced)
local wait = math.max(0, (state.paused or 0) - now)
for index = 1, 2 do
  local limit, cost, used = limits[index], costs[index], spent[index]
  if limit and cost > limit then return {{ -1, slot, replicas }} end
  if limit then
    local room = math.max(1, math.floor(limit * pace + {CLOSE}))
    if used + cost > room then
      local least = {LIVE} * width
      if used + cost <= limit then
        least = math.min(least, ((used + cost) / limit - pace) * {RECOVERY} * window)
      end
      table.sort(slots[index], function(a, b) return a[1] < b[1] end)
      for _, entry in ipairs(slots[index]) do
        used = used - entry[2]
        if used + cost <= room then
          least = math.min(least, (entry[1] + {LIVE}) * width - now)
          break
        end
      end
      wait = math.max(wait, least, width / 10)
    end
  end
end
if wait > 0 then return {{ math.ceil(wait), slot, replicas }} end
redis.call('HINCRBY', KEYS[1], 'c' .. slot, 1)
redis.call('HINCRBY', KEYS[1], 't' .. slot, costs[2])
redis.call('PEXPIRE', KEYS[1], {REPLICA_WINDOWS} * window)
return {{ 0, slot, replicas }}
"""
)

SETTLE: Final = """
local name = 't' .. ARGV[1]
local value = redis.call('HGET', KEYS[1], name)
if value then redis.call('HSET', KEYS[1], name, math.max(0, value + ARGV[2])) end
return 0
"""

EASE: Final = (
    _COMMON
    + f"""
local state = redis.call('HMGET', KEYS[1], 'pace', 'paced', 'paused')
local pace, paced, paused = tonumber(state[1]), tonumber(state[2]), tonumber(state[3])
if not paced or now - paced >= width then
  pace = math.max({LEAST_PACE}, pace_of(pace, paced) / 2)
  redis.call('HSET', KEYS[1], 'pace', tostring(pace), 'paced', tostring(now))
end
local rest = now + math.min(tonumber(ARGV[3]), {LONGEST_PAUSE} * window)
redis.call('HSET', KEYS[1], 'paused', tostring(math.max(paused or 0, rest)))
redis.call('PEXPIRE', KEYS[1], {REPLICA_WINDOWS} * window)
return 0
"""
)

Guard = Callable[[Callable[[], Awaitable[Any]], Any], Awaitable[Any]]


class RedisBudgets:
    """Runs the scripts. `guard` runs a command of Redis and answers with its second argument when Redis
    does not. `clock` (ms) stands in for that of Redis in tests."""

    def __init__(
        self, redis: "Redis", prefix: str, guard: Guard, clock: Callable[[], float] | None = None
    ) -> None:
        self._guard = guard
        self._prefix = f"{prefix}budget:"
        self._clock = clock
        self._take = redis.register_script(TAKE)
        self._settle = redis.register_script(SETTLE)
        self._ease = redis.register_script(EASE)

    async def take(self, name: str, ask: Ask) -> Grant | None:
        """As `Ledger.take`; None where Redis does not say."""
        keys = [self._prefix + name, f"{self._prefix}{name}:replicas"]
        limits = ["" if limit is None else limit for limit in (ask.budget.calls, ask.budget.tokens)]
        arguments = [*self._when(ask.budget.window), *limits]
        arguments += [ask.tokens, ask.owed_calls, ask.owed_tokens, ask.replica]
        found: list[int] | None = await self._guard(lambda: self._take(keys, arguments), None)
        if found is None:
            return None
        wait, slot, replicas = found
        return Grant(math.inf if wait < 0 else wait / 1000, slot, replicas)

    async def settle(self, name: str, slot: int, tokens: int) -> None:
        """As `Ledger.settle`."""
        await self._guard(lambda: self._settle([self._prefix + name], [slot, tokens]), None)

    async def ease(self, name: str, window: float, pause: float) -> None:
        """As `Ledger.ease`."""
        arguments = [*self._when(window), round(pause * 1000)]
        await self._guard(lambda: self._ease([self._prefix + name], arguments), None)

    def _when(self, window: float) -> list[float | str]:
        return [round(window * 1000), "" if self._clock is None else self._clock()]
