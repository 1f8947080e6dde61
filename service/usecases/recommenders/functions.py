"""Python functions as sides of a session: the recommender under test, or the user."""

import asyncio
import inspect
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from ...domain.completion import Call
from ...domain.conversation import Message
from ...errors import InvalidRequest, UpstreamFailed
from ...simulators.machine import LAST_RESORT
from ...simulators.recommender import Failure, RecommenderFailed, Reply, ReplyLimits
from ...simulators.scene import Scene
from ...simulators.step import Ending, Step
from .replies import Label, Wire, reply_from, unreadable

Answer = str | dict[str, Any]
Function = Callable[[list[dict[str, str]]], Answer | Awaitable[Answer]]
"""From the messages so far, each with `role` and `content`, to a text or to `{content, recommendations, parts}`."""
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=ReplyLimits().characters)
]
UserFunction = Callable[[list[dict[str, str]]], Answer | Awaitable[Answer | None] | None]
"""From the messages so far to the user's next one: a text, the fields of `UserTurn`, or None to end the session."""


@dataclass(frozen=True, slots=True)
class FunctionRecommender:
    """Calls a function in a thread, or awaits a coroutine function. Raises InvalidRequest for what takes no single argument."""

    function: Function

    def __post_init__(self) -> None:
        _check(self.function, "/recommender")

    async def reply(self, messages: Sequence[Message]) -> Reply:
        """The function's reply. Raises RecommenderFailed where it raises an error, or returns what is no reply."""
        said = await _said(self.function, messages)
        listed = said.get("recommendations") if isinstance(said, dict) else None
        if isinstance(said, str):
            said = {"content": said}
        elif isinstance(listed, Iterable) and not isinstance(listed, str):  # a tuple, or a column of a table
            said = {**said, "recommendations": list(listed)}
        try:
            return reply_from(said)
        except ValueError as wrong:
            raise unreadable(wrong) from None


class UserTurn(Wire):
    """A user's move as a function returns it. It ends the session with `done`, by accepting, and without `content`."""

    model_config = ConfigDict(strict=True, extra="forbid")

    role: Literal["user"] = "user"
    content: Text | None = None
    done: bool = False
    accepted: bool | None = None
    """True ends the session. False says at its end that nothing was accepted; None leaves that open."""
    item: Label | None = None
    satisfaction: Annotated[int | None, Field(ge=1, le=5)] = None
    thoughts: str | None = None

    def step(self) -> Step:
        done = self.done or self.accepted is True or self.content is None
        ending = {True: Ending.ACCEPTED, False: Ending.GAVE_UP, None: Ending.LEFT}[self.accepted]
        return Step(
            message=self.content,
            done=done,
            outcome=ending if done else None,
            thoughts=self.thoughts,
            satisfaction=self.satisfaction,
            item=self.item,
            verbatim=True,
        )


@dataclass(frozen=True, slots=True)
class FunctionUser:
    """A user that is a function, called as a recommender's is. Raises InvalidRequest for what takes no single argument."""

    function: UserFunction

    accepts = True
    max_rounds = sys.maxsize

    def __post_init__(self) -> None:
        _check(self.function, "/simulator")

    async def react(self, scene: Scene, _call: Call) -> Step:
        """The function's next move. Raises UpstreamFailed where it raises an error, or returns what is no message."""
        try:
            said = await _said(self.function, scene.said)
            said = {"content": said} if said is None or isinstance(said, str) else said
            return UserTurn.model_validate(said).step()
        except RecommenderFailed as failed:
            raise UpstreamFailed(failed.detail) from None
        except ValueError as wrong:
            fix = "return a text, a dict with `content`, or None to end the session"
            raise UpstreamFailed(f"{unreadable(wrong).detail}; {fix}") from None

    open = close = react

    def fallback(self, _scene: Scene) -> str:
        return LAST_RESORT


def _check(function: Callable[..., Any], pointer: str) -> None:
    try:
        inspect.signature(function).bind([])
    except TypeError as wrong:
        detail = f"should be a function of one argument, the messages: {wrong}"
        raise InvalidRequest.at(pointer, detail, "pass `lambda messages: ...`") from None
    except ValueError:  # some builtins tell no signature
        pass


async def _said(function: Callable[[list[dict[str, str]]], Any], messages: Sequence[Message]) -> Any:
    """Return what a function returns or its coroutine gives. Raises RecommenderFailed where it raises an error."""
    spoken = [{"role": message.role.value, "content": message.content} for message in messages]
    try:
        said = await asyncio.to_thread(_outcome, function, spoken)
        if inspect.isawaitable(said):
            said = await said
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the function's own fault fails its side
        said = error
    if isinstance(said, BaseException):
        # Its text may quote what users said.
        last = traceback.extract_tb(said.__traceback__)[-1]
        place = f"{type(said).__name__} in {Path(last.filename).name}, line {last.lineno}"
        raise RecommenderFailed(Failure.ERROR, f"it raised {place}")
    return said


def _outcome(function: Callable[[list[dict[str, str]]], Any], messages: list[dict[str, str]]) -> Any:
    """Return what a function returns or raises: no future can hold a StopIteration, and a SystemExit ends the loop."""
    try:
        return function(messages)
    except BaseException as error:  # noqa: BLE001 - the side fails
        return error
