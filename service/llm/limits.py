"""Limits of what goes upstream: fair turns, calls at the same time, and calls and tokens a minute over all replicas,
fewer after an upstream complained."""

import asyncio
import logging
import math
import secrets
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..domain.caller import CALLER
from ..domain.completion import Call, LLMRequest
from ..store.ledger import Ask, Budget, Grant, Ledger
from ..store.protocol import Store
from .failures import Answer, BudgetSpent, OverBudget, ProviderError, RateLimited, TimedOut, Unavailable
from .provider import Provider, each


class Turns:
    """At most `number` at a time, and at most `each` of one caller. What comes free goes to the caller that holds least,
    among equals to the one that had none for the longest: a request with hundreds of calls holds nobody else up."""

    def __init__(self, number: int, each: int | None = None) -> None:
        self._free = number
        self._each = number if each is None else each
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def locked(self) -> bool:
        """Return whether the caller that the context names has to wait."""
        return self._free == 0 or self._held[CALLER.get()] >= self._each

    async def acquire(self) -> None:
        """Wait for a turn of the caller that the context names."""
        who = CALLER.get()
        if not self.locked():
            self._grant(who)
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(who, turn)
            else:  # granted, and cancelled before it was noticed
                self.release()
            raise

    def release(self) -> None:
        """End a turn of the caller that the context names."""
        who = CALLER.get()
        self._held[who] -= 1
        if not self._held[who]:
            del self._held[who]
        self._free += 1
        while self._free and (next_one := self._next()) is not None:
            self._serve(next_one)

    def _next(self) -> str | None:
        below = (who for who in self._waiting if self._held[who] < self._each)
        return min(below, key=self._held.__getitem__, default=None)

    def _serve(self, who: str) -> None:
        turn = self._waiting[who].popleft()
        if self._waiting[who]:
            self._waiting.move_to_end(who)
        else:
            del self._waiting[who]
        if not turn.done():
            self._grant(who)
            turn.set_result(None)

    def _grant(self, who: str) -> None:
        self._free -= 1
        self._held[who] += 1

    def _forget(self, who: str, turn: "asyncio.Future[None]") -> None:
        line = self._waiting.get(who)
        if line and turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[who]


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


class LimitedUpstreams:
    """Limits the calls that single upstreams get at once: a server with few places answers some calls in time, where it would
    answer all of them too late."""

    def __init__(self, inner: Provider, concurrency: Mapping[str, int]) -> None:
        self._inner = inner
        self._limited = {name: Limited(inner, Places(number)) for name, number in concurrency.items()}

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: self._one(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _one(self, request: LLMRequest, call: Call) -> Answer:
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
    """A call that was granted: where it stands in the books of all and in our own."""

    slot: int
    own: int
    alone: bool
    tokens: int


class Gate:
    """The way to one upstream, in fair turns of the callers. Where the store does not answer, this
    replica keeps to its share, and books what it spent as soon as the store is back."""

    def __init__(self, name: str, budget: Budget, store: Store, clock: Callable[[], float]) -> None:
        self.name = name
        self._budget = budget
        self._store = store
        self._line = Turns(1)
        self._replica = secrets.token_hex(8)
        self._replicas = 1
        self._own = Ledger(budget.window, clock)
        self._owed = Ledger(budget.window, clock)
        self._alone = False
        self._room_at = -math.inf
        self._stats: Counter[str] = Counter(waited=0, shed=0, eased=0, alone=0)

    async def enter(self, tokens: int, places: Places, deadline: float | None) -> Booked | ProviderError:
        """Wait for room in the budget and a place upstream. The place is the caller's to give back."""
        if self._line.locked() and deadline is not None and self._room_at > deadline:
            return self._shed(self._room_in())
        try:
            async with asyncio.timeout_at(deadline):
                await self._line.acquire()
        except TimeoutError:
            return self._shed(self._room_in())
        try:
            return await self._first(tokens, places, deadline)
        finally:
            self._line.release()

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
            if not await places.take(deadline):
                return TimedOut("no place among the calls upstream came free in time")
            booked: Booked | float = math.inf
            try:
                booked = await self._book(tokens)
            finally:
                if not isinstance(booked, Booked):
                    places.give_back()
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

    async def _book(self, tokens: int) -> Booked | float:
        """The booked call, or the seconds after which to ask again."""
        owed_calls, owed_tokens = self._owed.spent()
        ask = Ask(self._budget, tokens, self._replica, owed_calls, owed_tokens)
        grant = await self._store.take(self.name, ask)
        self._note(grant)
        if grant is None:
            return self._book_alone(tokens)
        self._owed.clear()
        self._replicas = max(1, grant.replicas)
        if grant.wait:
            return grant.wait
        return Booked(grant.slot, self._own.book(tokens), False, tokens)

    def _book_alone(self, tokens: int) -> Booked | float:
        if self._budget.tokens is not None and tokens > self._budget.tokens:
            return math.inf
        grant = self._own.take(Ask(self._budget.part(self._replicas, tokens), tokens))
        if grant.wait:
            return grant.wait
        self._stats["alone"] += 1
        return Booked(self._owed.book(tokens), grant.slot, True, tokens)

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


class Budgeted:
    """Calls upstream within `budgets` (by upstream, for all replicas) and within the places of this process;
    upstreams without a budget need but a place."""

    def __init__(
        self,
        inner: Provider,
        places: Places,
        budgets: Mapping[str, Budget],
        store: Store,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._places = places
        self._free = Limited(inner, places)
        self._gates = {name: Gate(name, budget, store, clock) for name, budget in budgets.items()}

    async def complete(self, requests: Sequence[LLMRequest], call: Call) -> list[Answer]:
        return await each(requests, lambda request: self._one(request, call))

    async def aclose(self) -> None:
        await self._inner.aclose()

    def stats(self) -> Mapping[str, int]:
        """The figures of each gate, as `budget:<upstream>:<figure>`."""
        return {
            f"budget:{name}:{figure}": number
            for name, gate in self._gates.items()
            for figure, number in gate.stats().items()
        }

    async def _one(self, request: LLMRequest, call: Call) -> Answer:
        gate = self._gates.get(request.upstream)
        if gate is None:
            return (await self._free.complete([request], call))[0]
        booked = await gate.enter(estimate(request), self._places, call.deadline)
        if not isinstance(booked, Booked):
            return booked
        try:
            [answer] = await self._inner.complete([request], call)
        finally:
            self._places.give_back()
        await gate.settle(booked, answer)
        return answer


def estimate(request: LLMRequest) -> int:
    """Tokens that a call may use at most: what is sent, and the longest answer that is allowed."""
    sent = sum(len(message.content.encode()) for message in request.messages) + len(request.schema or "")
    output = UNBOUNDED_OUTPUT if request.max_tokens is None else request.max_tokens
    return sent // BYTES_PER_TOKEN + MESSAGE_TOKENS * (len(request.messages) + 1) + output
