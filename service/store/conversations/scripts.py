"""The steps of a conversation as scripts: Redis runs each as a whole, and writes it to its file as a whole.

KEYS[1] is the prefix of all names. Times are the server's, in milliseconds: workers' clocks do not matter."""

from typing import Final

COMMON: Final = """
local P = KEYS[1]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function whole(n) return string.format('%.0f', n) end
-- Tombstones do not name what was deleted.
local function tombstone(id) return P .. 'gone:' .. redis.sha1hex(id) end
local function unshelve(shelf, name)
  redis.call('ZREM', P .. 'shelf:' .. shelf, name)
  redis.call('HDEL', P .. 'heads:' .. shelf, name)
  redis.call('HDEL', P .. 'contents:' .. shelf, name)
end
-- Ends a claim. ARGV: conversation, token, version, reopen. Returns what to answer where there is nothing more to do.
-- One in progress is due again once it is quiet.
local function end_claim(in_progress)
  local id, c = ARGV[1], P .. 'c:' .. ARGV[1]
  -- The answer to an earlier try was lost on its way.
  if redis.call('HGET', c, 'recorded') == ARGV[2] then return 1 end
  if redis.call('HGET', c, 'token') ~= ARGV[2] then return 0 end
  redis.call('HDEL', c, 'token', 'attempts')
  redis.call('HSET', c, 'recorded', ARGV[2], 'judged', ARGV[3], 'since', whole(now))
  if in_progress then redis.call('HINCRBY', c, 'unfinished', 1) end
  if redis.call('HGET', c, 'version') ~= ARGV[3] then return end
  if in_progress then
    redis.call('ZADD', P .. 'due', whole(redis.call('HGET', c, 'last') + redis.call('HGET', c, 'idle')), id)
  else
    redis.call('ZREM', P .. 'due', id)
    redis.call('PEXPIRE', c, ARGV[4])
    redis.call('PEXPIRE', P .. 'm:' .. id, ARGV[4])
  end
end
"""
"""The beginning of each script."""

TAKE: Final = """
-- ARGV: group, place, conversation, idle or usual, settle, longest, complete, facts, then names and values, then keys and messages
local place, id = ARGV[2], ARGV[3]
local settle, longest = tonumber(ARGV[5]), tonumber(ARGV[6])
-- Taken before, where the answer was lost or another worker was quicker. Also the first write: once a script has written,
-- Redis lets it finish, however full its memory is.
if redis.call('XACK', P .. 'in', ARGV[1], place) == 0 then return 0 end
redis.call('XDEL', P .. 'in', place)
local gone = redis.call('GET', tombstone(id))
if gone and tonumber(string.match(place, '^%d+')) <= tonumber(gone) then return 0 end
local c, m = P .. 'c:' .. id, P .. 'm:' .. id
-- `u1800000` is the usual time, where the system is not named; it may have been before.
local idle = tonumber(ARGV[4]) or tonumber(redis.call('HGET', c, 'idle') or string.sub(ARGV[4], 2))
local changed = 0
local at = 9 + 2 * tonumber(ARGV[8])
for i = 9, at - 1, 2 do
  if redis.call('HGET', c, 'f:' .. ARGV[i]) ~= ARGV[i + 1] then
    redis.call('HSET', c, 'f:' .. ARGV[i], ARGV[i + 1])
    changed = 1
  end
end
local added = 0
for i = at, #ARGV - 1, 2 do
  local old = redis.call('HGET', m, ARGV[i])
  if not old then
    redis.call('HSET', m, ARGV[i], redis.call('HLEN', m) .. ':' .. ARGV[i + 1])
    added = 1
  elseif string.sub(ARGV[i], 1, 3) == 'id:' then
    -- Edited, or streamed in parts: it keeps its place.
    local new = string.match(old, '^%d+:') .. ARGV[i + 1]
    if new ~= old then
      redis.call('HSET', m, ARGV[i], new)
      changed = 1
    end
  end
end
local judged = redis.call('HGET', c, 'judged') == redis.call('HGET', c, 'version')
local complete = redis.call('HGET', c, 'complete') == '1'
if ARGV[7] == '1' and not complete then
  complete = true
  changed = 1
elseif added == 1 and ARGV[7] ~= '1' and complete and judged then
  -- Somebody came back. What arrives before the judgement was only late.
  complete = false
end
if changed == 1 or added == 1 then
  local since = judged and now or tonumber(redis.call('HGET', c, 'since') or now)
  local due = complete and now + settle or math.max(now, math.min(now + idle, since + longest))
  redis.call('HSETNX', c, 'first', whole(now))
  redis.call('HSET', c, 'since', whole(since), 'last', whole(now), 'idle', whole(idle), 'complete', complete and '1' or '0')
  redis.call('HINCRBY', c, 'version', 1)
  redis.call('PERSIST', c)
  redis.call('PERSIST', m)
  redis.call('ZADD', P .. 'due', whole(due), id)
end
return 1
"""

DUE: Final = """
-- ARGV: most, lease
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. 'due', '-inf', whole(now), 'LIMIT', 0, ARGV[1])) do
  local c = P .. 'c:' .. id
  if redis.call('EXISTS', c) == 1 then
    local token = redis.call('INCR', P .. 'tokens')
    redis.call('HSET', c, 'token', token)
    redis.call('HINCRBY', c, 'attempts', 1)
    redis.call('ZADD', P .. 'due', whole(now + tonumber(ARGV[2])), id)
    local revision = redis.call('GET', P .. 'r:' .. id) or '0'
    found[#found + 1] = {id, whole(now), revision, redis.call('HGETALL', c), redis.call('HVALS', P .. 'm:' .. id)}
  else
    redis.call('ZREM', P .. 'due', id)
  end
end
return found
"""

RECORD: Final = """
-- ARGV: as `end_claim`, then remember, kind, content, in progress, unfinished
local done = end_claim(ARGV[8] == '1')
if done then return done end
redis.call('INCR', P .. 'r:' .. ARGV[1])
redis.call('PEXPIRE', P .. 'r:' .. ARGV[1], ARGV[5])
redis.call('XADD', P .. 'out', '*', 'kind', ARGV[6], 'conversation', ARGV[1], 'content', ARGV[7], 'unfinished', ARGV[9])
return 1
"""

GIVE_UP: Final = """
local done = end_claim()
if done then return done end
-- ARGV: as `end_claim`, then reason, content, most dead letters
redis.call('XADD', P .. 'dead', 'MAXLEN', '~', ARGV[7], '*', 'from', 'judging', 'reason', ARGV[5], 'conversation', ARGV[1],
  'content', ARGV[6])
return 1
"""

BURY: Final = """
-- ARGV: stream, group, place, most dead letters, then names and values. What was deleted meanwhile is not buried.
local there = redis.call('XRANGE', P .. ARGV[1], ARGV[3], ARGV[3])[1]
if redis.call('XACK', P .. ARGV[1], ARGV[2], ARGV[3]) == 0 or not there then return 0 end
if ARGV[1] == 'in' then redis.call('XDEL', P .. 'in', ARGV[3]) end
redis.call('XADD', P .. 'dead', 'MAXLEN', '~', ARGV[4], '*', unpack(ARGV, 5))
return 1
"""

RENEW: Final = """
-- ARGV: conversation, token, version, lease
local held = redis.call('HMGET', P .. 'c:' .. ARGV[1], 'token', 'version')
if held[1] ~= ARGV[2] or held[2] ~= ARGV[3] then return 0 end
redis.call('ZADD', P .. 'due', 'XX', whole(now + tonumber(ARGV[4])), ARGV[1])
return 1
"""

DROP: Final = "return end_claim() or 1"

FORGET: Final = """
-- ARGV: conversation, remember
local id = ARGV[1]
redis.call('SET', tombstone(id), whole(now), 'PX', ARGV[2])
redis.call('DEL', P .. 'c:' .. id, P .. 'm:' .. id, P .. 'r:' .. id)
redis.call('ZREM', P .. 'due', id)
for _, shelf in ipairs(redis.call('SMEMBERS', P .. 'shelves')) do
  unshelve(shelf, id)
end
return 1
"""

SHELVE: Final = """
-- ARGV: shelf, most, then names, times, heads and contents. An older row than the one that is there is left out.
local shelf = ARGV[1]
local order, heads, contents = P .. 'shelf:' .. shelf, P .. 'heads:' .. shelf, P .. 'contents:' .. shelf
redis.call('SADD', P .. 'shelves', shelf)
for i = 3, #ARGV - 3, 4 do
  local name, at = ARGV[i], tonumber(ARGV[i + 1])
  local gone = redis.call('GET', tombstone(name))
  local known = redis.call('ZSCORE', order, name)
  if not (gone and at <= tonumber(gone)) and not (known and at < tonumber(known)) then
    redis.call('ZADD', order, ARGV[i + 1], name)
    redis.call('HSET', heads, name, ARGV[i + 2])
    redis.call('HSET', contents, name, ARGV[i + 3])
  end
end
for _, name in ipairs(redis.call('ZRANGE', order, 0, -1 - tonumber(ARGV[2]))) do
  unshelve(shelf, name)
end
return 1
"""

EXPIRE: Final = """
-- ARGV: a time. What was shelved or buried before it goes.
for _, shelf in ipairs(redis.call('SMEMBERS', P .. 'shelves')) do
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', P .. 'shelf:' .. shelf, '-inf', '(' .. ARGV[1])) do
    unshelve(shelf, name)
  end
end
return redis.call('XTRIM', P .. 'dead', 'MINID', ARGV[1])
"""

SAVE: Final = """
-- ARGV: name, value, whether there was one before, which
local kept = redis.call('GET', P .. ARGV[1])
if (ARGV[3] == '1' and kept == ARGV[4]) or (ARGV[3] == '0' and not kept) then
  redis.call('SET', P .. ARGV[1], ARGV[2])
  return 1
end
return 0
"""
