"""A recommender under test that is a Python function."""

import asyncio
import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domain.conversation import Message
from ..errors import InvalidRequest
from .recommender import Failure, RecommenderFailed, Reply
from .spoken import reply_from, unreadable

Answer = str | dict[str, Any]
Function = Callable[[list[dict[str, str]]], Answer | Awaitable[Answer]]
"""From the messages so far, each with `role` and `content`, to a text or to `{content, recommendations, parts}`."""


@dataclass(frozen=True, slots=True)
class FunctionRecommender:
    """Calls a function in a thread, or awaits a coroutine function. Raises InvalidRequest for what takes no single argument."""

    function: Function

    def __post_init__(self) -> None:
        try:
            inspect.signature(self.function).bind([])
        except TypeError as wrong:
            detail = f"should be a function of one argument, the messages: {wrong}"
            raise InvalidRequest.at("/recommender", detail, "pass `lambda messages: ...`") from None
        except ValueError:  # some builtins tell no signature
            pass

    async def reply(self, messages: Sequence[Message]) -> Reply:
        """The function's reply. Raises RecommenderFailed where it raises an error, or returns what is no reply."""
        spoken = [{"role": message.role.value, "content": message.content} for message in messages]
        try:
            said = await asyncio.to_thread(_outcome, self.function, spoken)
            if inspect.isawaitable(said):
                said = await said
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the function's own fault is a failed reply
            said = error
        if isinstance(said, BaseException):
            # Its text may quote what users said.
            last = traceback.extract_tb(said.__traceback__)[-1]
            place = f"{type(said).__name__} in {Path(last.filename).name}, line {last.lineno}"
            raise RecommenderFailed(Failure.ERROR, f"it raised {place}")
        listed = said.get("recommendations") if isinstance(said, dict) else None
        if isinstance(said, str):
            said = {"content": said}
        elif isinstance(listed, Iterable) and not isinstance(listed, str):  # a tuple, or a column of a table
            said = {**said, "recommendations": list(listed)}
        try:
            return reply_from(said)
        except ValueError as wrong:
            raise unreadable(wrong) from None


def _outcome(function: Function, messages: list[dict[str, str]]) -> Any:
    """Return what a function returns or raises: no future can hold a StopIteration, and a SystemExit ends the loop."""
    try:
        return function(messages)
    except BaseException as error:  # noqa: BLE001 - the reply fails
        return error
