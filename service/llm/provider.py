"""The protocol that adapters and wrappers share."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from ..domain.completion import Call, LLMRequest
from .failures import Answer


class Provider(Protocol):
    """Answers requests, in order, and never raises for one of them. Being cancelled is the only
    way not to answer."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]: ...

    async def aclose(self) -> None: ...


async def each(
    requests: Sequence[LLMRequest], answer: Callable[[LLMRequest], Awaitable[Answer]]
) -> list[Answer]:
    """Answer all requests at the same time. If the caller goes away, none is left running."""
    if len(requests) == 1:
        return [await answer(requests[0])]

    async def run(request: LLMRequest) -> Answer:
        return await answer(request)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(request)) for request in requests]
    return [task.result() for task in tasks]


def remaining(call: Call) -> float:
    """Seconds until a call's deadline; infinite without one, never negative."""
    if call.deadline is None:
        return float("inf")
    return max(0.0, call.deadline - asyncio.get_running_loop().time())
