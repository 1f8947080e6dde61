"""The recommender under test, as the simulators know it, and its replies kept for sessions that are run again after a stop."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from ..domain.conversation import Message
from ..domain.parts import Part
from ..store.protocol import Store


@dataclass(frozen=True, slots=True)
class Reply:
    """A recommender's answer. `recommendations` is its ordered list of ids or titles, None where it speaks
    of none; where `parts` show items, it holds their references."""

    content: str
    recommendations: tuple[str, ...] | None = None
    parts: tuple[Part, ...] = ()


class Recommender(Protocol):
    """A system that continues a conversation. It is handed all messages each time, as it keeps,
    for all we know, nothing."""

    async def reply(self, messages: Sequence[Message]) -> Reply:
        """The next reply. Raises RecommenderFailed where there is none to be had."""


class Failure(StrEnum):
    """A way in which a recommender can fail a session."""

    ERROR = "crs_error"
    TIMEOUT = "crs_timeout"
    SILENT = "crs_silent"
    FLOOD = "crs_flood"
    UNREADABLE = "crs_unreadable"


class RecommenderFailed(Exception):  # noqa: N818 - read as a sentence, like the errors of the service
    """The recommender gave no usable reply: `code` says how, the message why."""

    def __init__(self, code: Failure, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """Limits of one reply. Beyond it the recommender counts as failed."""

    seconds: float = 30.0
    body_bytes: int = 1024 * 1024
    characters: int = 20_000
    items: int = 1_000


async def reply_of(recommender: Recommender, messages: Sequence[Message], limits: ReplyLimits) -> Reply:
    """The next reply of a recommender. Raises RecommenderFailed where it has none, takes too long, says nothing, or says too
    much."""
    try:
        async with asyncio.timeout(limits.seconds):
            reply = await recommender.reply(messages)
    except TimeoutError as late:
        raise RecommenderFailed(Failure.TIMEOUT, f"it did not answer within {limits.seconds:g} s") from late
    if not reply.content.strip() and not reply.recommendations:
        raise RecommenderFailed(Failure.SILENT, "it answered neither a word nor an item")
    if len(reply.content) > limits.characters:
        raise RecommenderFailed(Failure.FLOOD, f"its reply is over {limits.characters} characters")
    if len(reply.recommendations or ()) > limits.items:
        raise RecommenderFailed(Failure.FLOOD, f"its list is over {limits.items} items")
    return reply


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
