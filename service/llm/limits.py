"""Limits of what goes upstream: fair turns, calls at the same time, and calls and tokens a minute over all replicas,
fewer after an upstream complained."""

import asyncio
import logging
import math
import secrets
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..domain.caller import CALLER
from ..domain.completion import Call, LLMRequest
from ..domain.fair_queue import FairSemaphore, HeldTurn
from ..store.ledger import Ask, Budget, Grant, Ledger
from ..store.protocol import Store
from .failures import Answer, BudgetSpent, OverBudget, ProviderError, RateLimited, TimedOut, Unavailable
from .provider import Provider, Wrapper


class Places:
    """The calls that this process may have upstream at once, over all upstreams, in fair turns of the callers."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.taken = 0
        self.most_taken = 0
        self.waiting = 0
        self._queue = FairSemaphore(number)

    async def take(self, deadline: float | None) -> HeldTurn | None:
        """Wait for a place; None where none came free before the deadline (event loop clock)."""
        self.waiting += 1
        try:
            async with asyncio.timeout_at(deadline):
                place = await self._queue.acquire(CALLER.get())
        except TimeoutError:
            return None
        finally:
            self.waiting -= 1
        self.taken += 1
        self.most_taken = max(self.most_taken, self.taken)
        return place

    def give_back(self, place: HeldTurn) -> None:
        """Free the place that was taken."""
        self.taken -= 1
        self._queue.release(place)

    def stats(self) -> Mapping[str, int]:
        return {"in_flight": self.taken, "most_in_flight": self.most_taken, "queued": self.waiting}


class Limited(Wrapper):
    """Holds a place for each call, and only while it is upstream: pauses between attempts hold none."""

    def __init__(self, inner: Provider, places: Places) -> None:
        super().__init__(inner)
        self._places = places

    async def _answer(self, request: LLMRequest, call: Call) -> Answer:
        place = await self._places.take(call.deadline)
        if place is None:
            return TimedOut("no place among the calls upstream came free in time")
        try:
            return await super()._answer(request, call)
        finally:
            self._places.give_back(place)


class LimitedUpstreams(Wrapper):
    """Limits the calls that single upstreams get at once: a server with few places answers some calls in time, where it would
    answer all of them too late."""

    def __init__(self, inner: Provider, concurrency: Mapping[str, int]) -> None:
        super().__init__(inner)
        self._limited = {name: Limited(inner, Places(number)) for name, number in concurrency.items()}

    async def _answer(self, request: LLMRequest, call: Call) -> Answer:
        return (await self._limited.get(request.upstream, self._inner).complete([request], call))[0]


BYTES_PER_TOKEN = 3
"""English has four to five, other languages three or less for a token: estimates are rather too high, and
are corrected by what the provider counted."""

MESSAGE_TOKENS = 8
UNBOUNDED_OUTPUT = 1000
"""Tokens that are set aside for an answer whose length nobody bounds."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Booked:
    """A call that was granted: its place upstream, and where it stands in the books of all and in our own."""

    place: HeldTurn
    slot: int
    own: int
    alone: bool
    tokens: int


class Gate:
    """The way to one upstream, in fair turns of the callers. Where the store does not answer, this
    replica keeps to its share, and books what it spent as soon as the store is back."""

    def __init__(self, name: str, budget: Budget, store: Store) -> None:
        self.name = name
        self._budget = budget
        self._store = store
        self._line = FairSemaphore(1)
        self._replica = secrets.token_hex(8)
        self._replicas = 1
        self._own = Ledger(budget.window, time.monotonic)
        self._owed = Ledger(budget.window, time.monotonic)
        self._alone = False
        self._room_at = -math.inf
        self._stats: Counter[str] = Counter(waited=0, shed=0, eased=0, alone=0)

    async def enter(self, tokens: int, places: Places, deadline: float | None) -> Booked | ProviderError:
        """Wait for room in the budget and a place upstream. The place is the caller's to give back."""
        if self._line.is_full and deadline is not None and self._room_at > deadline:
            return self._shed(self._room_in())
        try:
            async with asyncio.timeout_at(deadline):
                turn = await self._line.acquire(CALLER.get())
        except TimeoutError:
            return self._shed(self._room_in())
        try:
            return await self._first(tokens, places, deadline)
        finally:
            self._line.release(turn)

    async def settle(self, booked: Booked, answer: Answer) -> None:
        """Correct the books by what the call really used; ease off where the provider complained."""
        used = answer.usage.input_tokens + answer.usage.output_tokens
        # Of a call that broke off nobody knows what it used: the estimate stands.
        unknown = isinstance(answer, TimedOut | Unavailable) and not used
        if not unknown and (change := used - booked.tokens):
            self._own.settle(booked.own, change)
            if booked.alone:
                self._owed.settle(booked.slot, change)
            else:
                await self._store.settle(self.name, self._budget.window, booked.slot, change)
        if isinstance(answer, RateLimited) and answer.retryable:
            self._stats["eased"] += 1
            pause = answer.retry_after or 0.0
            self._own.ease(pause)
            await self._store.ease(self.name, self._budget.window, pause)

    def stats(self) -> Mapping[str, int]:
        """Counters since the start; what this replica spent in the last window; whether it is alone now."""
        calls, tokens = self._own.spent()
        return {**self._stats, "spent_calls": calls, "spent_tokens": tokens, "is_alone": int(self._alone)}

    async def _first(self, tokens: int, places: Places, deadline: float | None) -> Booked | ProviderError:
        waited = False
        while True:
            # The place comes first: who was granted a call makes it at once.
            place = await places.take(deadline)
            if place is None:
                return TimedOut("no place among the calls upstream came free in time")
            booked: Booked | float = math.inf
            try:
                booked = await self._book(tokens, place)
            finally:
                if not isinstance(booked, Booked):
                    places.give_back(place)
            if isinstance(booked, Booked):
                self._stats["waited"] += waited
                return booked
            if math.isinf(booked):
                most = f"{self._budget.tokens} tokens a minute"
                return OverBudget(f"a call of about {tokens} tokens is over the budget of {most}")
            self._room_at = asyncio.get_running_loop().time() + booked
            if deadline is not None and self._room_at > deadline:
                return self._shed(booked)
            waited = True
            await asyncio.sleep(booked)

    async def _book(self, tokens: int, place: HeldTurn) -> Booked | float:
        """The booked call, or the seconds after which to ask again."""
        owed_calls, owed_tokens = self._owed.spent()
        ask = Ask(self._budget, tokens, self._replica, owed_calls, owed_tokens)
        grant = await self._store.take(self.name, ask)
        self._note(grant)
        if grant is None:
            return self._book_alone(tokens, place)
        self._owed.clear()
        self._replicas = max(1, grant.replicas)
        if grant.wait:
            return grant.wait
        return Booked(place, grant.slot, self._own.book(tokens), False, tokens)

    def _book_alone(self, tokens: int, place: HeldTurn) -> Booked | float:
        if self._budget.tokens is not None and tokens > self._budget.tokens:
            return math.inf
        grant = self._own.take(Ask(self._budget.part(self._replicas, tokens), tokens))
        if grant.wait:
            return grant.wait
        self._stats["alone"] += 1
        return Booked(place, self._owed.book(tokens), grant.slot, True, tokens)

    def _room_in(self) -> float:
        """Seconds until the first of the queue has room, as now known."""
        return max(1.0, self._room_at - asyncio.get_running_loop().time())

    def _note(self, grant: Grant | None) -> None:
        if grant is None and not self._alone:
            _log.warning(
                "the shared budget of %s cannot be reached; keeping to a share of 1/%d",
                self.name,
                self._replicas,
            )
        elif grant is not None and self._alone:
            _log.info("the shared budget of %s is back", self.name)
        self._alone = grant is None

    def _shed(self, wait: float) -> BudgetSpent:
        self._stats["shed"] += 1
        return BudgetSpent(
            f"the budget of calls and tokens for {self.name} is spent; there is room in about {wait:.0f} s",
            retry_after=wait,
        )


class Budgeted(Wrapper):
    """Calls upstream within `budgets` (by upstream, for all replicas) and within the places of this process;
    upstreams without a budget need but a place."""

    def __init__(self, inner: Provider, places: Places, budgets: Mapping[str, Budget], store: Store) -> None:
        super().__init__(inner)
        self._places = places
        self._free = Limited(inner, places)
        self._gates = {name: Gate(name, budget, store) for name, budget in budgets.items()}

    def stats(self) -> Mapping[str, int]:
        """The figures of each gate, as `budget:<upstream>:<figure>`."""
        return {
            f"budget:{name}:{figure}": number
            for name, gate in self._gates.items()
            for figure, number in gate.stats().items()
        }

    async def _answer(self, request: LLMRequest, call: Call) -> Answer:
        gate = self._gates.get(request.upstream)
        if gate is None:
            return (await self._free.complete([request], call))[0]
        booked = await gate.enter(estimate(request), self._places, call.deadline)
        if not isinstance(booked, Booked):
            return booked
        try:
            answer = await super()._answer(request, call)
        finally:
            self._places.give_back(booked.place)
        await gate.settle(booked, answer)
        return answer


def estimate(request: LLMRequest) -> int:
    """Tokens that a call may use at most: what is sent, and the longest answer that is allowed."""
    sent = sum(len(message.content.encode()) for message in request.messages) + len(request.schema or "")
    output = UNBOUNDED_OUTPUT if request.max_tokens is None else request.max_tokens
    return sent // BYTES_PER_TOKEN + MESSAGE_TOKENS * (len(request.messages) + 1) + output
