"""One call for all replicas: who holds the lease asks, the others wait for the answer to be stored."""

from collections.abc import Sequence

from ..domain.completion import CacheMode, Call, Completion, LLMRequest
from .cache import CompletionCache
from .failures import Answer, TimedOut
from .provider import Provider, each, remaining


class Leased:
    """Asks under a lease and stores the answer before it lets go, so that whoever waited finds it.
    A holder that fails lets go just the same, and the next one asks."""

    def __init__(self, inner: Provider, cache: CompletionCache) -> None:
        self._inner = inner
        self._cache = cache

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        if call.cache is CacheMode.OFF:
            return await self._inner.complete(requests, call)
        alone = self._ask if call.cache is CacheMode.REFRESH else self._ask_once
        return await each(requests, lambda request: alone(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _ask_once(self, request: LLMRequest, call: Call) -> Answer:
        while True:
            claimed = await self._cache.claim(request, call)
            if claimed.completion is not None:
                return claimed.completion
            if claimed.lease is not None:
                break
            if remaining(call) <= 0:
                return TimedOut("another replica was still asking the same when time ran out")
            await self._cache.wait(request, remaining(call))
        try:
            return await self._ask(request, call)
        finally:
            await self._cache.release(claimed.lease)

    async def _ask(self, request: LLMRequest, call: Call) -> Answer:
        [answer] = await self._inner.complete([request], call)
        if isinstance(answer, Completion):
            await self._cache.write(request, answer, call)
        return answer
