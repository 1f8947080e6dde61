"""Identical calls in flight at the same time are made once."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..domain.completion import NO_USAGE, CacheMode, Call, Completion, LLMRequest
from .failures import Answer, TimedOut
from .provider import Provider, each

PATIENCE = 1.0
"""A flight that gave up this many seconds before our own deadline gave up too early for us."""

GRACE = 0.1
"""Seconds beyond its deadline that a flight gets to say itself why it failed."""

_Key = tuple[LLMRequest, CacheMode]


@dataclass(slots=True)
class _Flight:
    task: "asyncio.Task[list[Answer]]"
    deadline: float
    waiting: int = 0


class SingleFlight:
    """Shares one call among all who want the same. Whoever goes away leaves the others their
    flight; the last one to leave cancels it, unless `finishes`: then it is paid for, and goes on
    to be kept. Who joins spends no tokens: it gets a hit."""

    def __init__(self, inner: Provider, *, finishes: bool = False) -> None:
        self._inner = inner
        self._finishes = finishes
        self._flights: dict[_Key, _Flight] = {}
        self._tasks: set[asyncio.Task[list[Answer]]] = set()
        self._stats: Counter[str] = Counter(shared=0)

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        if call.cache is CacheMode.OFF:
            return await self._inner.complete(requests, call)
        return await each(requests, lambda request: self._share(request, call))

    async def aclose(self) -> None:
        """Cancel what is still in flight, or wait for it."""
        for task in () if self._finishes else list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._inner.aclose()

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats, flights=len(self._flights))

    async def _share(self, request: LLMRequest, call: Call) -> Answer:
        key = (request, call.cache)
        ours = float("inf") if call.deadline is None else call.deadline
        while (flight := self._flights.get(key)) is not None:
            self._stats["shared"] += 1
            answer = await self._join(key, flight, ours)
            if isinstance(answer, Completion):
                return answer.as_hit()
            if not answer.retryable or ours - flight.deadline < PATIENCE:
                return replace(answer, usage=NO_USAGE)
        return await self._join(key, self._start(key, call, ours), ours)

    def _start(self, key: _Key, call: Call, deadline: float) -> _Flight:
        task = asyncio.create_task(self._inner.complete([key[0]], call), name="llm call")
        self._tasks.add(task)
        flight = self._flights[key] = _Flight(task, deadline)
        task.add_done_callback(lambda done: self._landed(key, flight, done))
        return flight

    async def _join(self, key: _Key, flight: _Flight, deadline: float) -> Answer:
        flight.waiting += 1
        try:
            left = None if deadline == float("inf") else deadline - asyncio.get_running_loop().time()
            await asyncio.wait({flight.task}, timeout=left)
            # Counted from now: where the loop stood still at the deadline, the flight has yet to notice it.
            await asyncio.wait({flight.task}, timeout=GRACE)
            return flight.task.result()[0] if flight.task.done() else TimedOut("no answer came in time")
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done() and not self._finishes:
                self._forget(key, flight)
                flight.task.cancel()

    def _landed(self, key: _Key, flight: _Flight, task: "asyncio.Task[list[Answer]]") -> None:
        self._tasks.discard(task)
        self._forget(key, flight)

    def _forget(self, key: _Key, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
