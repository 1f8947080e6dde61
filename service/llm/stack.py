"""The upstreams of a process behind one provider: adapters made at first use, wrappers around them."""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..domain.caller import CALLER
from ..domain.completion import CacheEntries, Call, LLMRequest
from ..store.ledger import Budget
from ..store.protocol import Store
from ..telemetry.recorder import Recorder
from .budget import Budgeted
from .cache import Cached, CompletionCache
from .capability import CHAT, Capability
from .failures import Answer
from .fitting import Fitted
from .known_models import Capabilities
from .leased import Leased
from .limit import Places
from .observed import Observed
from .pricing import Priced, Prices
from .provider import Provider, each
from .providers import providers
from .retry import Retrying
from .seal import Seal
from .single_flight import SingleFlight


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server of models: where it is, what it speaks, and the key it wants (None: none)."""

    base_url: str
    protocol: str = CHAT
    api_key: str | None = None


class Adapters:
    """Sends each request to its upstream, through one client per upstream. An SDK costs up to a
    second and 40 MB, so an adapter is made when it is first asked, beside the event loop."""

    def __init__(self, upstreams: Mapping[str, Upstream], connections: int) -> None:
        self._upstreams = dict(upstreams)
        self._connections = connections
        self._made: dict[str, Provider] = {}
        self._making = asyncio.Lock()

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        async def ask(request: LLMRequest) -> Answer:
            adapter = self._made.get(request.upstream) or await self._make(request.upstream)
            return (await adapter.complete([request], call))[0]

        return await each(requests, ask)

    async def aclose(self) -> None:
        for adapter in self._made.values():
            await adapter.aclose()
        self._made.clear()

    async def _make(self, name: str) -> Provider:
        async with self._making:
            if name not in self._made:
                upstream = self._upstreams[name]
                self._made[name] = await asyncio.to_thread(_adapter, upstream, self._connections)
            return self._made[name]


def _adapter(upstream: Upstream, connections: int) -> Provider:
    speaker = next(one for one in providers().values() if one.protocol == upstream.protocol)
    # An SDK's lines hold URLs and, at debug level, whole requests: what must be known of a call, we log.
    logging.getLogger(speaker.sdk).setLevel(logging.WARNING)
    return speaker.adapter(upstream.base_url, upstream.api_key, connections)


class Stack:
    """The provider that judges, debaters and simulators share: fitting, cache, single flight, lease,
    retries, budget and limit around the adapters, in this order, and outside them all what an answer costs. `upstreams` maps
    the names that judges use; `recorder` is told of every call that goes out; `budgets` bound what an upstream is asked for
    in a minute, over all replicas that share the store; `seal` signs what the cache keeps; a call that was begun is ended
    and kept, though its caller left or nobody can read it, where `finishes` is set."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        store: Store,
        max_concurrency: int = 100,
        prices: Prices | None = None,
        recorder: Recorder | None = None,
        *,
        budgets: Mapping[str, Budget] | None = None,
        seal: Seal | None = None,
        finishes: bool = False,
    ) -> None:
        self.upstreams = dict(upstreams)
        self.store = store
        self._places = Places(max_concurrency)
        self._cache = CompletionCache(store, seal, keeps_all=finishes)
        prices = prices or Prices({})
        adapters: Provider = Adapters(upstreams, max_concurrency)
        if recorder is not None:
            adapters = Observed(adapters, recorder, prices)
        self._budgeted = Budgeted(adapters, self._places, budgets or {}, store)
        self._retrying = Retrying(self._budgeted)
        self._flights = SingleFlight(Leased(self._retrying, self._cache), finishes=finishes)
        self._fitted = Fitted(
            Cached(self._flights, self._cache),
            Capabilities(),
            {name: upstream.protocol for name, upstream in upstreams.items()},
        )
        self._priced = Priced(self._fitted, prices)
        self._asked: Counter[str] = Counter()

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        if call.namespace:
            requests = [replace(request, namespace=call.namespace) for request in requests]
        who = CALLER.get()
        self._asked[who] += len(requests)
        try:
            return await self._priced.complete(requests, call)
        finally:
            self._asked[who] -= len(requests)
            if not self._asked[who]:
                del self._asked[who]

    def calls_of(self, who: str) -> int:
        """Return how many calls a caller waits for, wherever they stand in line."""
        return self._asked[who]

    async def holds(self, entries: CacheEntries) -> bool:
        """Return whether the cache still has all of these entries as they were."""
        return await self._cache.holds(entries)

    async def aclose(self) -> None:
        """Cancel what is in flight and close all sockets, the store's too."""
        await self._fitted.aclose()
        await self.store.aclose()

    def capability(self, request: LLMRequest) -> Capability:
        """Return what the request's model takes, as far as is known by now."""
        return self._fitted.capability(request)

    def stats(self) -> Mapping[str, int]:
        """Counters since the start, and what is going on now, for telemetry."""
        cache = {f"cache_{name}": number for name, number in self._cache.stats().items()}
        store = {f"store_{name}": number for name, number in self.store.stats().items()}
        around = (self._flights, self._retrying, self._budgeted, self._places)
        return {**cache, **store, **{name: value for part in around for name, value in part.stats().items()}}
