"""Language models as a worker asks them: by its parent, which holds keys, cache, limits and connections."""

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from time import process_time

from ..domain.completion import CacheEntry, Call, LLMRequest
from ..llm.capability import Capability
from ..llm.failures import Answer
from ..llm.known_models import Capabilities, Stated
from ..llm.provider import remaining
from ..llm.stack import Upstream
from .link import Link

AT: ContextVar[int | None] = ContextVar("the request that a worker is at", default=None)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Requests to models, as they cross the link. `at` is the request that they are made for, `cpu` the CPU time of the worker so
    far, in seconds. The deadline of `call` counts seconds from now."""

    number: int
    cpu: float
    at: int | None
    requests: tuple[LLMRequest, ...]
    call: Call


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """The answers to `ModelCall`, the entries of the cache that were read, and what each model takes, as is known by now."""

    number: int
    answers: tuple[Answer, ...]
    entries: tuple[CacheEntry, ...]
    capabilities: tuple[Capability, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Nobody waits for these answers any longer."""

    number: int


class ParentModels:
    """The provider of a worker: every request goes over the link. Raises nothing; if the parent is gone, so is the worker."""

    def __init__(self, link: Link, upstreams: Mapping[str, Upstream], stated: Mapping[str, Stated]) -> None:
        self.upstreams = dict(upstreams)
        self._link = link
        self._capabilities = Capabilities(stated)
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[ModelAnswers]] = {}

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        number = next(self._numbers)
        coming = self._waiting[number] = asyncio.get_running_loop().create_future()
        left = None if call.deadline is None else remaining(call)
        sent = replace(call, deadline=left, entries=None if call.entries is None else [])
        self._link.send(ModelCall(number, process_time(), AT.get(), tuple(requests), sent))
        try:
            result = await coming
        except asyncio.CancelledError:
            self._link.send(Dropped(number))
            raise
        finally:
            del self._waiting[number]
        for request, capability in zip(requests, result.capabilities, strict=True):
            self._capabilities.learn(request.upstream, request.model, capability)
        if call.entries is not None:
            call.entries.extend(result.entries)
        return list(result.answers)

    def capability(self, request: LLMRequest) -> Capability:
        protocol = self.upstreams[request.upstream].protocol
        return self._capabilities.of(request.upstream, protocol, request.model)

    def take(self, result: ModelAnswers) -> None:
        """Pass answers that came over the link to the call that waits for them."""
        coming = self._waiting.get(result.number)
        if coming is not None and not coming.done():
            coming.set_result(result)

    async def aclose(self) -> None:
        """Close nothing: the parent owns all connections."""
