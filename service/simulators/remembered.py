"""Replies of recommenders, kept for sessions that are run again after a stop."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from ..domain.conversation import Message
from ..store.protocol import Store
from .recommender import Recommender, Reply

_REPLY = TypeAdapter(Reply)


class ReplyMemory:
    """Keeps what recommenders replied in a store. A reply that is under way when its caller leaves is waited for and
    kept: asking again gives the same, and a recommender that costs money is asked once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tasks: set[asyncio.Task[Reply]] = set()

    def of(self, recommender: Recommender, name: str, session: str) -> Recommender:
        return _Remembered(self, recommender, f"{name}\n{session}")

    async def reply(self, inner: Recommender, place: str, messages: Sequence[Message]) -> Reply:
        """The kept reply to these messages, else the recommender's. Raises RecommenderFailed as it does; failures
        are not kept."""
        key = _key(place, messages)
        (kept,) = await self._store.get_many([key])
        if kept is not None:
            with suppress(ValidationError):  # of an earlier version
                return _REPLY.validate_json(kept)
        task = asyncio.create_task(self._ask(inner, key, messages), name="recommender's reply")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ask(self, inner: Recommender, key: str, messages: Sequence[Message]) -> Reply:
        reply = await inner.reply(messages)
        await self._store.put(key, _REPLY.dump_json(reply))
        return reply


@dataclass(frozen=True, slots=True)
class _Remembered:
    memory: ReplyMemory
    inner: Recommender
    place: str

    async def reply(self, messages: Sequence[Message]) -> Reply:
        return await self.memory.reply(self.inner, self.place, messages)


def _key(place: str, messages: Sequence[Message]) -> str:
    said = [[message.role.value, message.content] for message in messages]
    text = json.dumps([place, said], ensure_ascii=False).encode("utf-8", "surrogatepass")
    return f"reply:{hashlib.sha256(text).hexdigest()}"
