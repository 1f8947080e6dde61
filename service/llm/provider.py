"""The protocol that adapters and wrappers share."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..domain.completion import Call, LLMRequest
from .failures import Answer


class Provider(Protocol):
    """Answers requests, and never raises for one of them. Being cancelled is the only way not to answer."""

    async def ask(self, request: LLMRequest, call: Call) -> Answer: ...

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        """Answer all requests at the same time, in order. If the caller goes away, none is left running."""
        if len(requests) == 1:
            return [await self.ask(requests[0], call)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.ask(request, call)) for request in requests]
        return [task.result() for task in tasks]

    async def aclose(self) -> None: ...


class Wrapper(Provider):
    """A provider around another one."""

    def __init__(self, inner: Provider) -> None:
        self._inner = inner

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        return await self._inner.ask(request, call)

    async def aclose(self) -> None:
        await self._inner.aclose()


class Together(Wrapper):
    """A wrapper that treats the requests of a caller together, in `complete`."""

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        [answer] = await self.complete([request], call)
        return answer


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


def remaining(call: Call) -> float:
    """Seconds until a call's deadline; infinite without one, never negative."""
    if call.deadline is None:
        return float("inf")
    return max(0.0, call.deadline - asyncio.get_running_loop().time())
