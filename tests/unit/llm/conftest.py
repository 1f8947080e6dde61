"""A provider without a network, for what the wrappers do."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from service.domain.completion import CacheMode, Call, ChatMessage, Completion, LLMRequest, Usage
from service.llm.failures import Answer


class Scripted:
    """Answers as a function of the request says, after a pause; counts calls at once."""

    def __init__(
        self, script: Callable[[LLMRequest], Answer] | Sequence[Answer] = (), pause: float = 0.0
    ) -> None:
        self.script = script
        self.pause = pause
        self.asked: list[LLMRequest] = []
        self.deadlines: list[float | None] = []
        self.in_flight = 0
        self.peak = 0
        self.cancelled = 0
        self.closed = False

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        self.asked += requests
        self.deadlines.append(call.deadline)
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


def ask(text: str = "rate", **fields: object) -> LLMRequest:
    plain: dict[str, object] = {
        "upstream": "local",
        "base_url": "http://localhost/v1",
        "model": "judge-1",
        "messages": (ChatMessage("user", text),),
    }
    return LLMRequest(**(plain | fields))  # type: ignore[arg-type]


def within(seconds: float, cache: CacheMode = CacheMode.USE) -> Call:
    return Call(asyncio.get_running_loop().time() + seconds, cache)


@pytest.fixture
def upstream() -> Scripted:
    return Scripted()
