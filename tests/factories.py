"""Verdicts, logs, requests and providers made up for tests."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from service.domain.completion import Call, ChatMessage, Completion, LLMRequest, Usage
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.verdict import Failed, JudgeName, NotAssessable, Scored
from service.llm.failures import Answer

T = TypeVar("T")

BUILTIN = JudgeName("builtin")
REVISION = "0" * 12
SPEAKERS = {"u": Role.USER, "a": Role.ASSISTANT, "t": Role.TOOL}


def known(value: T | None) -> T:
    """The value that must be there."""
    assert value is not None
    return value


def instance(kind: type[T], value: object) -> T:
    """The value, which must be of this kind."""
    assert isinstance(value, kind), value
    return value


def scored(factor: str, score: float, judge: JudgeName = BUILTIN, **fields: Any) -> Scored:
    """A verdict with a score; its other fields are plain ones unless they are given."""
    plain = {"evaluator_revision": REVISION, "level": round(score), "rationale": "Reasons."}
    return Scored(factor=factor, judge=judge, score=score, **{**plain, **fields})


def gap(factor: str, judge: JudgeName = BUILTIN, **fields: Any) -> NotAssessable:
    """A verdict that nothing could be said about a factor."""
    plain = {"evaluator_revision": REVISION, "code": "no_occasion", "detail": "does not arise"}
    return NotAssessable(factor=factor, judge=judge, **{**plain, **fields})


def failed(factor: str, judge: JudgeName = BUILTIN, **fields: Any) -> Failed:
    """A verdict of a judge that gave no answer."""
    plain = {"evaluator_revision": REVISION, "code": "timed_out", "detail": "no answer"}
    return Failed(factor=factor, judge=judge, **{**plain, **fields})


def talk(*lines: str, **fields: Any) -> ConversationLog:
    """A log of lines such as "u: hello"; `a:` is the recommender, `t:` a tool, in letters of either case."""
    messages = tuple(Message(SPEAKERS[line[0].lower()], line[2:].strip()) for line in lines)
    return ConversationLog(messages, **fields)


def in_turns(*texts: str) -> list[dict[str, Any]]:
    """Messages on the wire: the user begins, and both take turns."""
    return [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]


class Scripted:
    """A provider that answers as a function of the request says, or in order, after a pause; it counts calls at once."""

    def __init__(
        self, script: Callable[[LLMRequest], Answer] | Sequence[Answer] = (), pause: float = 0.0
    ) -> None:
        self.script = script
        self.pause = pause
        self.asked: list[LLMRequest] = []
        self.calls: list[Call] = []
        self.in_flight = 0
        self.peak = 0
        self.cancelled = 0
        self.closed = False

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        [answer] = await self.complete([request], call)
        return answer

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        self.asked += requests
        self.calls.append(call)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        first = len(self.asked) - len(requests)
        try:
            await asyncio.sleep(self.pause)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1
        return [self._answer(request, first + index) for index, request in enumerate(requests)]

    async def aclose(self) -> None:
        self.closed = True

    def _answer(self, request: LLMRequest, number: int) -> Answer:
        if callable(self.script):
            return self.script(request)
        return self.script[number] if number < len(self.script) else good(request)


def good(request: LLMRequest) -> Completion:
    return Completion(f"answer to {request.messages[-1].content}", "model-1", Usage(100, 20, 10))


def ask(text: str = "rate", **fields: Any) -> LLMRequest:
    """A request of one message; its other fields are plain ones unless they are given."""
    plain = {"upstream": "local", "base_url": "http://localhost/v1", "model": "judge-1"}
    return LLMRequest(**{**plain, "messages": (ChatMessage("user", text),), **fields})


def within(seconds: float) -> Call:
    return Call(asyncio.get_running_loop().time() + seconds)


async def let_tasks_run() -> None:
    """Run every ready task."""
    for _ in range(5):
        await asyncio.sleep(0)


class Clock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now
