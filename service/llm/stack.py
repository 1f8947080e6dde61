"""The upstreams of a process behind one provider: adapters made at first use, each call measured and tried again where that
helps, and all wrappers in their order."""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.completion import NO_USAGE, CacheEntry, Call, Completion, LLMRequest, Usage
from ..store.protocol import Store
from .batches import Batched, Report
from .cache import Cached, CompletionCache, Leased, Signer, SingleFlight
from .capability import CHAT, Capability
from .failures import Answer, ProviderError, TimedOut, UnreadableCompletion
from .known_models import Capabilities, Fitted, Priced, Prices, Stated
from .limits import Budget, Budgeted, CallSlots, LimitedUpstreams
from .provider import Provider, Wrapper, remaining
from .providers import providers
from .sdk_adapter import SDKAdapter

ATTEMPTS = 8
UNREADABLE_ATTEMPTS = 3
"""Attempts after unreadable answers: fewer, since those may have been billed."""

SURE_ATTEMPTS = 6
"""So many attempts fit into any deadline: pauses shrink for them."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LAST_CALL = 0.05
"""With less than this many seconds left, another attempt is not worth its tokens."""

BRIEF = 1.0
"""A timeout with fewer seconds says nothing about the provider: the failure before it is reported."""

if TYPE_CHECKING:
    from ..telemetry.recorder import Recorder


class Retrying(Wrapper):
    """Retry transient failures by one policy for all: jitter, the provider's requested delay, a deadline. The
    cost of failed attempts is added to the answer, or to the failure."""

    def __init__(self, inner: Provider, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        super().__init__(inner)
        self._sleep = sleep
        self._stats: Counter[str] = Counter(retries=0)

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats)

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        lost = NO_USAGE
        attempt = 1
        before: ProviderError | None = None
        while True:
            brief = remaining(call) < BRIEF
            answer = await super().ask(request, call)
            if isinstance(answer, Completion):
                return replace(answer, lost=answer.lost + lost)
            lost += answer.usage
            if before and brief and isinstance(answer, TimedOut):
                return _with_attempts(before, attempt, lost)
            before = answer
            pause = self._pause(answer, attempt, remaining(call))
            if pause is None:
                return _with_attempts(answer, attempt, lost)
            self._stats["retries"] += 1
            await self._sleep(pause)
            attempt += 1

    def _pause(self, failure: ProviderError, attempt: int, left: float) -> float | None:
        """Seconds until the next attempt; None where there is to be none."""
        most = UNREADABLE_ATTEMPTS if isinstance(failure, UnreadableCompletion) else ATTEMPTS
        if not failure.retryable or attempt >= most:
            return None
        jitter = random.random()  # noqa: S311 - no secret
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)) * (0.5 + 0.5 * jitter)
        if attempt < SURE_ATTEMPTS:
            pause = min(pause, left / (SURE_ATTEMPTS - attempt + 1))
        if failure.retry_after is not None:
            # Jitter keeps callers rejected together from retrying together.
            pause = failure.retry_after + jitter * min(0.5, 0.25 * failure.retry_after + 0.01)
        return None if pause + LAST_CALL > left else pause


def _with_attempts(failure: ProviderError, attempts: int, lost: Usage) -> ProviderError:
    detail = failure.detail if attempts == 1 else f"{failure.detail} ({attempts} attempts)"
    return replace(failure, detail=detail, usage=lost)


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server of models: where it is, what it speaks, and the key it wants (None: none)."""

    base_url: str
    protocol: str = CHAT
    api_key: str | None = None


class Adapters(Provider):
    """Sends each request to its upstream, through one client per upstream. An SDK costs up to a
    second and 40 MB, so an adapter is made when it is first asked, beside the event loop."""

    def __init__(self, upstreams: Mapping[str, Upstream], connections: int) -> None:
        self._upstreams = dict(upstreams)
        self._connections = connections
        self._made: dict[str, SDKAdapter] = {}
        self._making = asyncio.Lock()

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        return await (await self.of(request.upstream)).ask(request, call)

    async def aclose(self) -> None:
        for adapter in self._made.values():
            await adapter.aclose()
        self._made.clear()

    async def of(self, name: str) -> SDKAdapter:
        if name in self._made:
            return self._made[name]
        async with self._making:
            if name not in self._made:
                upstream = self._upstreams[name]
                self._made[name] = await asyncio.to_thread(_adapter, upstream, self._connections)
            return self._made[name]


def _adapter(upstream: Upstream, connections: int) -> SDKAdapter:
    speaker = next(one for one in providers().values() if one.protocol == upstream.protocol)
    made = speaker.adapter(upstream.base_url, upstream.api_key, connections)
    # An SDK's lines hold URLs and, at debug level, whole requests: what must be known of a call, we log. Only now, since an
    # SDK that is imported sets the level of its own variable (ANTHROPIC_LOG).
    logging.getLogger(speaker.sdk).setLevel(logging.WARNING)
    return made


class Stack:
    """The provider that judges, debaters and simulators share: fitting, cache, single flight, lease,
    retries, budget and limit around the adapters, in this order, and outside them all what an answer costs. `upstreams` maps
    the names that judges use; `recorder` counts every call that goes out; `budgets` bound what an upstream is asked for
    in a minute, over all replicas that share the store. `concurrency` bounds what it gets at once from this process. `signer` signs what the cache keeps; a call that was begun is ended
    and kept, though its caller left or nobody can read it, where `finishes` is set; `stated` is what the operator states of
    models. With `batch`, prompts are noted in this file, and only `answer_noted` asks providers."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        store: Store,
        max_concurrency: int = 100,
        prices: Prices | None = None,
        recorder: "Recorder | None" = None,
        *,
        budgets: Mapping[str, Budget] | None = None,
        concurrency: Mapping[str, int] | None = None,
        signer: Signer | None = None,
        finishes: bool = False,
        stated: Mapping[str, Stated] | None = None,
        batch: Path | None = None,
    ) -> None:
        self.upstreams = dict(upstreams)
        self.store = store
        self._call_slots = CallSlots(max_concurrency)
        self._cache = CompletionCache(store, signer, keeps_all=finishes or batch is not None)
        prices = prices or Prices({})
        made = Adapters(upstreams, max_concurrency)
        self._batched = Batched(batch, self._cache, made, prices) if batch else None
        adapters: Provider = made
        if recorder is not None:
            from .observed import Observed

            adapters = Observed(made, recorder, prices)
        self._budgeted = Budgeted(adapters, self._call_slots, budgets or {}, store)
        self._retrying = Retrying(LimitedUpstreams(self._budgeted, concurrency or {}))
        self._flights = SingleFlight(Leased(self._retrying, self._cache), finishes=finishes)
        self._fitted = Fitted(
            Cached(self._batched or self._flights, self._cache),
            Capabilities(stated or {}),
            {name: upstream.protocol for name, upstream in upstreams.items()},
        )
        self._priced = Priced(self._fitted, prices)

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        if call.namespace:
            requests = [replace(request, namespace=call.namespace) for request in requests]
        return await self._priced.complete(requests, call)

    async def answer_noted(self, report: Report) -> bool:
        """Ask for what was noted as `Batched.answer_noted` does. Raises ValueError without `batch`."""
        if self._batched is None:
            raise ValueError("no file for batches is set")
        return await self._batched.answer_noted(report)

    async def holds(self, entries: Sequence[CacheEntry]) -> bool:
        return await self._cache.holds(entries)

    async def aclose(self) -> None:
        """Cancel what is in flight and close all sockets, the store's too."""
        await self._fitted.aclose()
        await self.store.aclose()

    def capability(self, request: LLMRequest) -> Capability:
        return self._fitted.capability(request)

    def stats(self) -> Mapping[str, int]:
        """Counters since the start, and what is going on now, for telemetry."""
        cache = {f"cache_{name}": number for name, number in self._cache.stats().items()}
        store = {f"store_{name}": number for name, number in self.store.stats().items()}
        around = (self._flights, self._retrying, self._budgeted, self._call_slots)
        return {**cache, **store, **{name: value for part in around for name, value in part.stats().items()}}
