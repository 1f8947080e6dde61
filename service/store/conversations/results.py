"""Results as a stream of the Redis that holds the conversations, for programs that read on."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..redis import connect
from . import scripts
from .persistence import rewrite
from .protocol import DELETED, PREFIX, OutboxEvent
from .redis import PLACE_BITS, TIMEOUT, answered, pages, tells_of


class ResultStream:
    """An output: appends events to the stream `stream`, which holds about the `most` newest. An entry has the fields `number`,
    `kind`, `conversation` and `event` (JSON). Raises Unreachable where Redis does not answer."""

    name = "stream"

    def __init__(
        self,
        url: str,
        stream: str,
        *,
        most: int = 100_000,
        password: str | None = None,
        ca: Path | None = None,
    ) -> None:
        self._redis: Any = connect(url, TIMEOUT, password, ca)
        self._name, self._most = stream, most
        self._rewritten = True
        self._publish = self._redis.register_script(scripts.COMMON + scripts.PUBLISH)

    async def prepare(self) -> None:
        """Redis makes a stream with its first entry."""

    async def take(self, told: Sequence[OutboxEvent]) -> None:
        """Append events. One of a conversation that was deleted since is left out, and a deletion takes out what stands there."""

        for one in told:
            if one.kind == DELETED:
                await self._remove(one.conversation)
        with answered():
            async with self._redis.pipeline(transaction=False) as pipe:
                for one in told:
                    arguments: list[Any] = [self._most, one.number >> PLACE_BITS, one.number]
                    arguments += [one.kind, one.conversation, one.content]
                    await self._publish(keys=[PREFIX, self._name], args=arguments, client=pipe)
                await pipe.execute()

    async def _remove(self, conversation: str) -> None:
        """Delete the entries of a conversation, and of alarms that show it."""
        with answered():
            async for rows in pages(self._redis, self._name):
                wanted = [place for place, fields in rows if tells_of(fields, conversation)]
                if wanted:
                    await self._redis.xdel(self._name, *wanted)
            self._rewritten = await rewrite(self._redis)

    async def find(self, user_hash: str) -> Sequence[dict[str, Any]]:
        """Return the events of a user's conversations."""

        found: list[bytes] = []
        with answered():
            async for rows in pages(self._redis, self._name):
                events = [fields.get(b"event", b"") for _, fields in rows]
                found += [event for event in events if user_hash.encode() in event]
        return [json.loads(event) for event in found]

    async def tidy(self) -> None:
        """Ask again for what Redis did not do at a deletion."""
        if not self._rewritten:
            with answered():
                self._rewritten = await rewrite(self._redis)

    async def expire(self, before: float) -> None:
        """Delete what was appended before then, in seconds since 1970."""
        with answered():
            await self._redis.xtrim(self._name, minid=str(round(before * 1000)), approximate=False)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()
