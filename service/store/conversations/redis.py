"""Open conversations in a Redis of their own, which several workers share and which persists."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError, ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from ..redis import connect
from . import persistence, scripts
from .entries import PLACE_BITS, claimed, content_of, event, facts_of, messages_of, number_of, tells_of
from .protocol import (
    DELETED,
    PREFIX,
    USERS,
    ClaimedConversation,
    Entry,
    Full,
    IncomingBatch,
    Level,
    OutboxEvent,
    Snapshot,
    Unreachable,
    deletion,
    letter,
    named,
    without,
)

GROUP: Final = "workers"
TIMEOUT: Final = 10.0
"""Seconds for an answer: a Redis that writes each step to its disk may be slow."""

MOST_DEAD: Final = 10_000
SCANNED: Final = 500
HOUR: Final = 3_600_000
REMEMBERED: Final = 90 * 24 * HOUR
"""Milliseconds for which the revisions of a conversation are counted."""

AWAY = (RedisConnectionError, RedisTimeoutError, ReadOnlyError, OSError)
PASSING: Final = ("MISCONF", "NOREPLICAS", "MASTERDOWN", "BUSY Redis", "UNBLOCKED")
"""Errors that end by themselves or with an operator's help: a full disk, missing replicas, a slow script, a failover."""


class RedisConversations:
    """`lease` is how long a worker may take over a step before another takes it over; `settle` how long after its end a
    conversation waits for late messages; `longest` how long one goes on before it is judged in progress; `reopen` how long
    its text is kept after a judgement. All in seconds."""

    def __init__(
        self,
        url: str,
        *,
        settle: float = 2.0,
        longest: float = 86_400.0,
        reopen: float = 86_400.0,
        lease: float = 60.0,
        password: str | None = None,
        ca: Path | None = None,
        checked: bool = True,
    ) -> None:
        self._redis: Any = connect(url, TIMEOUT, password, ca)
        self.lease = lease
        self._settle, self._longest, self._reopen, self._lease = map(_ms, (settle, longest, reopen, lease))
        self._me = f"worker-{secrets.token_hex(8)}"
        self._outputs: Sequence[str] = ()
        self._checked = checked
        self._script = cache(lambda step: self._redis.register_script(scripts.COMMON + step))
        self._claims: dict[str, float] = {}
        self._rewritten = True

    async def prepare(self, outputs: Sequence[str]) -> None:
        self._outputs = tuple(outputs)
        async with self._reachable():
            if self._checked:
                await persistence.check(self._redis)
            # A deleted entry that shares a node stays in memory and in files. A Redis that refuses has the setting from its
            # operator, or not.
            with contextlib.suppress(ResponseError):
                await self._redis.config_set("stream-node-max-entries", 1)
            await self._make_groups()

    async def _make_groups(self) -> None:
        for stream, group in (("in", GROUP), *(("out", output) for output in self._outputs)):
            try:
                await self._redis.xgroup_create(self._name(stream), group, id="0", mkstream=True)
            except ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):
                    raise
            for consumer in await self._redis.xinfo_consumers(self._name(stream), group):
                if consumer["pending"] == 0 and consumer["idle"] > HOUR:  # its worker died
                    await self._redis.xgroup_delconsumer(self._name(stream), group, consumer["name"])

    async def put(self, contents: Sequence[bytes]) -> None:
        async with self._reachable(), self._redis.pipeline(transaction=False) as pipe:
            for content in contents:
                pipe.xadd(self._name("in"), {"post": content})
            await pipe.execute()

    async def waiting(self, most: int, patience: float) -> Sequence[Entry]:
        found = await self._read("in", GROUP, most, patience)
        return [Entry(place.decode(), fields.get(b"post", b"")) for place, fields in found]

    async def take(self, taken: Sequence[tuple[Entry, IncomingBatch]]) -> None:
        async with self._reachable(), self._redis.pipeline(transaction=False) as pipe:
            for entry, sent in taken:
                idle = f"u{_ms(sent.usual)}" if sent.idle is None else _ms(sent.idle)
                pairs = [part for pair in (*sent.facts.items(), *sent.messages.items()) for part in pair]
                how = (idle, self._settle, self._longest, int(sent.complete), len(sent.facts))
                arguments = [GROUP, entry.place, sent.conversation, *how, *pairs]
                await self._script(scripts.TAKE)(keys=[PREFIX], args=arguments, client=pipe)
            await pipe.execute()

    async def set_aside(self, entry: Entry, reason: str) -> None:
        lost = {"from": "in", "reason": reason, "content": entry.content}
        await self._bury("in", GROUP, entry.place, lost)

    async def due(self, most: int) -> Sequence[ClaimedConversation]:
        return [claimed(*row) for row in await self._run(scripts.DUE, most, self._lease)]

    async def record(self, due: ClaimedConversation, kind: str, content: bytes) -> bool:
        more = (int(due.in_progress), due.unfinished)
        return bool(await self._end(scripts.RECORD, due, REMEMBERED, kind, content, *more))

    async def renew(self, due: ClaimedConversation) -> None:
        await self._run(scripts.RENEW, due.conversation, due.token, due.version, self._lease)

    async def give_up(self, due: ClaimedConversation, reason: str) -> None:
        post = letter(due.conversation, due.facts, due.messages)
        await self._end(scripts.GIVE_UP, due, reason, post, MOST_DEAD)

    async def drop(self, due: ClaimedConversation) -> None:
        await self._end(scripts.DROP, due)

    async def _end(self, script: str, due: ClaimedConversation, *more: object) -> Any:
        """End a claim by one of the scripts that do."""
        return await self._run(script, due.conversation, due.token, due.version, self._reopen, *more)

    async def tell(self, kind: str, conversation: str, content: bytes) -> None:
        fields: dict[Any, Any] = {"kind": kind, "conversation": conversation, "content": content}
        async with self._reachable():
            await self._redis.xadd(self._name("out"), fields)

    async def undelivered(self, output: str, most: int, patience: float) -> Sequence[OutboxEvent]:
        return [event(*row) for row in await self._read("out", output, most, patience)]

    async def delivered(self, output: str, events: Sequence[OutboxEvent]) -> None:
        async with self._reachable():
            await self._redis.xack(self._name("out"), output, *(one.place for one in events))

    async def bury(self, output: str, event: OutboxEvent, reason: str) -> None:
        lost = {"from": output, "reason": reason, "kind": event.kind, "conversation": event.conversation}
        await self._bury("out", output, event.place, {**lost, "content": event.content})

    async def forget(self, conversation: str) -> None:
        await self._run(scripts.FORGET, conversation, REMEMBERED)
        async with self._reachable():
            await self._unshow(conversation)
            for stream in ("in", "out", "dead"):
                await self._sweep(stream, conversation)
        await self.tell(DELETED, conversation, deletion(conversation))
        await self._rewrite()

    async def find(self, users: Collection[str]) -> Sequence[dict[str, Any]]:
        async with self._reachable():
            found = [named(one, users) for one in await self._redis.hvals(self._name("contents:judged"))]
            for stream in ("in", "out", "dead"):
                async for rows in _pages(self._redis, self._name(stream)):
                    found += [named(content_of(fields), users) for _, fields in rows]
            hashes = [f"f:{user}" for user in users if USERS.fullmatch(user)]
            async for key in self._redis.scan_iter(self._name("c:*"), count=SCANNED):
                if any(await self._redis.hmget(key, hashes)):
                    name, facts = key.decode().removeprefix(self._name("c:")), await self._redis.hgetall(key)
                    messages = await self._redis.hvals(self._name(f"m:{name}"))
                    found.append(named(letter(name, facts_of(facts), messages_of(messages)), users))
        return [one for one in found if one]

    async def expire(self, before: float) -> None:
        await self._run(scripts.EXPIRE, _ms(before))
        await self._rewrite()

    async def remaining(self, conversations: Sequence[str]) -> int:
        if not conversations:
            return 0
        async with self._reachable():
            scores = await self._redis.zmscore(self._name("due"), list(conversations))
        return sum(score is not None for score in scores)

    async def load(self, name: str) -> bytes | None:
        async with self._reachable():
            kept: bytes | None = await self._redis.get(self._name(f"kept:{name}"))
        return kept

    async def save(self, name: str, value: bytes, before: bytes | None) -> bool:
        return bool(
            await self._run(scripts.SAVE, f"kept:{name}", value, int(before is not None), before or b"")
        )

    async def shelve(self, shelf: str, rows: Sequence[Snapshot], most: int) -> None:
        parts = [part for one in rows for part in (one.name, one.number >> PLACE_BITS, one.head, one.content)]
        await self._run(scripts.SHELVE, shelf, most, *parts)

    async def shelf(self, shelf: str) -> Sequence[bytes]:
        async with self._reachable():
            names = await self._redis.zrange(self._name(f"shelf:{shelf}"), 0, -1, desc=True)
            heads = await self._redis.hmget(self._name(f"heads:{shelf}"), names) if names else []
        return [head for head in heads if head is not None]  # one may be forgotten in between

    async def shelved(self, shelf: str, name: str) -> bytes | None:
        async with self._reachable():
            found: bytes | None = await self._redis.hget(self._name(f"contents:{shelf}"), name)
        return found

    async def level(self) -> Level:
        if not self._rewritten:
            await self._rewrite()
        async with self._reachable(), self._redis.pipeline(transaction=False) as pipe:
            pipe.zcard(self._name("due"))
            pipe.time()
            pipe.xlen(self._name("in"))
            pipe.xlen(self._name("dead"))
            pipe.zrange(self._name("due"), 0, 0, withscores=True)
            known, (seconds, _), queued, dead, first = await pipe.execute()
            due = await self._redis.zcount(self._name("due"), "-inf", seconds * 1000)
            oldest = max(0.0, seconds - first[0][1] / 1000) if first else 0.0
            await self._trim()
            left = await self._redis.xlen(self._name("out"))
            await self._redis.set(self._name("room"), b"", px=1000)  # refused where its memory is full
        return Level(known, due, queued, left, dead, oldest)

    async def aclose(self) -> None:
        await self._redis.aclose()

    async def _trim(self) -> None:
        """Delete the events that all outputs have taken."""
        needed = []
        for group in await self._redis.xinfo_groups(self._name("out")):
            if group["name"].decode() in self._outputs:
                milliseconds, _, count = group["last-delivered-id"].partition(b"-")
                waiting = group["pending"] and await self._redis.xpending(self._name("out"), group["name"])
                needed.append((waiting and waiting["min"]) or b"%b-%d" % (milliseconds, int(count) + 1))
        if needed:
            await self._redis.xtrim(self._name("out"), minid=min(needed, key=number_of), approximate=False)

    async def _read(self, stream: str, group: str, most: int, patience: float) -> Sequence[tuple[bytes, Any]]:
        """Entries of a group, those first that a worker took and did not finish within its lease."""
        now = asyncio.get_running_loop().time()
        name, lease = self._name(stream), self._lease
        async with self._reachable():
            if now >= self._claims.get(group, 0.0):
                _, left, *_ = await self._redis.xautoclaim(name, group, self._me, lease, count=most)
                if found := [row for row in left if row[1]]:
                    return found
                self._claims[group] = now + lease / 4000
            block = max(1, _ms(min(patience, TIMEOUT / 2)))
            read = await self._redis.xreadgroup(group, self._me, {name: ">"}, count=most, block=block)
        return [row for _, rows in read or () for row in rows]

    async def _unshow(self, conversation: str) -> None:
        """Take a name out of the rows that show it."""
        for shelf in await self._redis.smembers(self._name("shelves")):
            heads = self._name(f"heads:{shelf.decode()}")
            for name, head in (await self._redis.hgetall(heads)).items():
                if shorter := without(head, conversation):
                    await self._redis.hset(heads, name, shorter)

    async def _sweep(self, stream: str, conversation: str) -> None:
        """Delete the entries of a conversation. An alarm that shows it comes again without it."""
        async for rows in _pages(self._redis, self._name(stream)):
            for _, fields in rows:
                if shorter := without(content_of(fields), conversation):
                    await self._redis.xadd(self._name(stream), {**fields, b"content": shorter})
            wanted = [place for place, fields in rows if tells_of(fields, conversation)]
            if wanted and stream == "in":
                await self._redis.xack(self._name(stream), GROUP, *wanted)
            if wanted:
                await self._redis.xdel(self._name(stream), *wanted)

    async def _bury(self, stream: str, group: str, place: str, fields: Mapping[str, Any]) -> None:
        parts = [part for pair in fields.items() for part in pair]
        await self._run(scripts.BURY, stream, group, place, MOST_DEAD, *parts)

    async def _run(self, script: str, *arguments: object) -> Any:
        async with self._reachable():
            return await self._script(script)(keys=[PREFIX], args=arguments)

    async def _rewrite(self) -> None:
        async with self._reachable():
            self._rewritten = await persistence.rewrite(self._redis)

    @contextlib.asynccontextmanager
    async def _reachable(self) -> AsyncIterator[None]:
        """Raise Unreachable if Redis does not answer, or cannot serve the call now."""
        try:
            with answered():
                yield
        except ResponseError as error:
            if "NOGROUP" not in str(error) and "no such key" not in str(error):
                raise
            with answered():
                await self._make_groups()  # Redis lost all it had
            raise Unreachable("Redis had lost its groups") from error

    def _name(self, name: str) -> str:
        return PREFIX + name


@contextlib.contextmanager
def answered() -> Iterator[None]:
    """Raise Unreachable where Redis does not answer within, Full where it has no room."""
    try:
        yield
    except OutOfMemoryError as error:
        raise Full("Redis is full (maxmemory)") from error
    except AWAY as error:
        raise Unreachable(type(error).__name__) from error
    except ResponseError as error:
        if passing := [word for word in PASSING if word in str(error)]:
            raise Unreachable(passing[0]) from error
        raise


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))


async def _pages(redis: Any, stream: str) -> AsyncIterator[Sequence[tuple[bytes, Mapping[bytes, bytes]]]]:
    """Yield the entries of a stream, some hundreds at a time."""
    after = "-"
    while rows := await redis.xrange(stream, after, count=SCANNED):
        yield rows
        after = f"({rows[-1][0].decode()}"
