"""A recommender under test that is a Python function."""

import asyncio
import inspect
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain.conversation import Message
from .recommender import Failure, RecommenderFailed, Reply
from .spoken import reply_from

Answer = str | dict[str, Any]
Function = Callable[[list[dict[str, str]]], Answer | Awaitable[Answer]]
"""From the messages so far, each with `role` and `content`, to a text or to `{content, recommendations, parts}`."""


@dataclass(frozen=True, slots=True)
class FunctionRecommender:
    """Calls a function in a thread, or awaits a coroutine function."""

    function: Function

    async def reply(self, messages: Sequence[Message]) -> Reply:
        """The function's reply. Raises RecommenderFailed where it raises an error, or returns what is no reply."""
        spoken = [{"role": message.role.value, "content": message.content} for message in messages]
        try:
            said = await asyncio.to_thread(self.function, spoken)
            if inspect.isawaitable(said):
                said = await said
        except Exception as error:  # noqa: BLE001 - the function's own fault is a failed reply
            # Its text may quote what users said.
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"
            raise RecommenderFailed(Failure.ERROR, f"it raised {place}") from None
        try:
            return reply_from({"content": said} if isinstance(said, str) else said)
        except ValueError:
            detail = "its answer is neither a text nor an object with `content`"
            raise RecommenderFailed(Failure.UNREADABLE, detail) from None
