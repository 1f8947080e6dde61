"""The protocol that adapters and wrappers share."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..domain.completion import Call, LLMRequest
from .failures import Answer


class Provider(Protocol):
    """Answers requests, in order, and never raises for one of them. Being cancelled is the only
    way not to answer."""

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]: ...

    async def aclose(self) -> None: ...


CLOCKS_APART = 600.0
"""Seconds by which a provider's clock and ours may differ."""


class BatchError(Exception):
    """A provider took no batch, or could not be asked about one. Nothing is lost: the run can go on later."""


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch and the cache keys of its prompts, which are their ids in it. `id` is the provider's: None while nobody knows if
    the batch arrived. `token` names it until then, `since` is the Unix time before which it cannot have been made."""

    token: str
    upstream: str
    keys: tuple[str, ...]
    since: float
    id: str | None = None
    ended: bool = False

    @property
    def earliest(self) -> float:
        """The earliest time that the provider may give for it."""
        return self.since - CLOCKS_APART


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


class Wrapper:
    """A provider around another one, which it asks about one request at a time."""

    def __init__(self, inner: Provider) -> None:
        self._inner = inner

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: self._answer(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _answer(self, request: LLMRequest, call: Call) -> Answer:
        [answer] = await self._inner.complete([request], call)
        return answer


def remaining(call: Call) -> float:
    """Seconds until a call's deadline; infinite without one, never negative."""
    if call.deadline is None:
        return float("inf")
    return max(0.0, call.deadline - asyncio.get_running_loop().time())
