"""Never more calls upstream at once than the operator allows."""

import asyncio
from collections.abc import Mapping, Sequence

from ..domain.completion import Call, LLMRequest
from .failures import Answer, TimedOut
from .provider import Provider, each
from .turns import Turns


class Places:
    """The calls that this process may have upstream at once, over all upstreams, in fair turns of the callers."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.taken = 0
        self.most_taken = 0
        self.waiting = 0
        self._turns = Turns(number)

    async def take(self, deadline: float | None) -> bool:
        """Wait for a place; whether one came free before the deadline (event loop clock)."""
        self.waiting += 1
        try:
            async with asyncio.timeout_at(deadline):
                await self._turns.acquire()
        except TimeoutError:
            return False
        finally:
            self.waiting -= 1
        self.taken += 1
        self.most_taken = max(self.most_taken, self.taken)
        return True

    def give_back(self) -> None:
        """Free the place that was taken."""
        self.taken -= 1
        self._turns.release()

    def stats(self) -> Mapping[str, int]:
        return {"in_flight": self.taken, "most_in_flight": self.most_taken, "queued": self.waiting}


class Limited:
    """Holds a place for each call, and only while it is upstream: pauses between attempts hold none."""

    def __init__(self, inner: Provider, places: Places) -> None:
        self._inner = inner
        self._places = places

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: self._one(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _one(self, request: LLMRequest, call: Call) -> Answer:
        if not await self._places.take(call.deadline):
            return TimedOut("no place among the calls upstream came free in time")
        try:
            return (await self._inner.complete([request], call))[0]
        finally:
            self._places.give_back()
