"""Limits of what goes upstream: fair turns, calls at the same time, and calls and tokens a minute over all replicas."""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..domain.caller import CALLER
from ..domain.completion import Call, Completion, LLMRequest
from ..domain.fair_queue import FairSemaphore, HeldTurn
from ..store.protocol import Store
from ..store.windows import WindowCount, WindowCounter
from .failures import (
    Answer,
    BudgetSpent,
    OverBudget,
    ProviderError,
    TimedOut,
    TruncatedCompletion,
    Unavailable,
    UnreadableCompletion,
)
from .provider import Provider, Wrapper


class CallSlots:
    """The calls that this process may have upstream at once, over all upstreams, in fair turns of the callers."""

    def __init__(self, number: int) -> None:
        self.taken = 0
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
        return place

    def give_back(self, place: HeldTurn) -> None:
        self.taken -= 1
        self._queue.release(place)

    def stats(self) -> Mapping[str, int]:
        return {"in_flight": self.taken, "queued": self.waiting}


class Limited(Wrapper):
    """Holds a place for each call, and only while it is upstream: pauses between attempts hold none."""

    def __init__(self, inner: Provider, call_slots: CallSlots) -> None:
        super().__init__(inner)
        self._call_slots = call_slots

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        place = await self._call_slots.take(call.deadline)
        if place is None:
            return TimedOut("no place among the calls upstream came free in time")
        try:
            return await super().ask(request, call)
        finally:
            self._call_slots.give_back(place)


class LimitedUpstreams(Wrapper):
    """Limits the calls that single upstreams get at once: a server with few places answers some calls in time, where it would
    answer all of them too late."""

    def __init__(self, inner: Provider, concurrency: Mapping[str, int]) -> None:
        super().__init__(inner)
        self._limited = {name: Limited(inner, CallSlots(number)) for name, number in concurrency.items()}

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        return await self._limited.get(request.upstream, self._inner).ask(request, call)


BYTES_PER_TOKEN = 3
"""English has four to five bytes per token, other languages three or less. Estimates run high, and the
provider's counts correct them."""

MESSAGE_TOKENS = 8
UNBOUNDED_OUTPUT = 1000
"""Tokens that are set aside for an answer whose length nobody bounds."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of one upstream in each `window` seconds, by all replicas together; None: unlimited."""

    calls: int | None = None
    tokens: int | None = None
    window: float = 60.0


@dataclass(frozen=True, slots=True)
class Booked:
    """A call that was granted: its place upstream, and the estimated tokens that were counted in the window of this number."""

    place: HeldTurn
    tokens: int
    window: int


class RateBudget:
    """The budget of one upstream, in fair turns of the callers: calls over the present window's budget wait
    for the next."""

    def __init__(self, name: str, budget: Budget, counter: WindowCounter) -> None:
        self.name = name
        self._budget = budget
        self._counter = counter
        self._line = FairSemaphore(1)
        self._room_at = -math.inf
        self._stats: Counter[str] = Counter(waited=0, shed=0)

    async def enter(
        self, tokens: int, call_slots: CallSlots, deadline: float | None
    ) -> Booked | ProviderError:
        """Wait for room in the budget and a place upstream. The place is the caller's to give back."""
        if self._budget.tokens is not None and tokens > self._budget.tokens:
            most = f"{self._budget.tokens} tokens a minute"
            return OverBudget(f"a call of about {tokens} tokens is over the budget of {most}")
        if self._line.is_full and deadline is not None and self._room_at > deadline:
            return self._shed(self._room_in())
        try:
            async with asyncio.timeout_at(deadline):
                turn = await self._line.acquire(CALLER.get())
        except TimeoutError:
            return self._shed(self._room_in())
        try:
            return await self._first(tokens, call_slots, deadline)
        finally:
            self._line.release(turn)

    async def record_usage(self, booked: Booked, answer: Answer) -> None:
        """Correct the tokens by what the call really used."""
        used = answer.usage.input_tokens + answer.usage.output_tokens
        # If a call broke off, or its server counts no tokens, its usage is unknown: keep the estimate.
        unknown = not used and isinstance(
            answer, Completion | TimedOut | Unavailable | UnreadableCompletion | TruncatedCompletion
        )
        if self._budget.tokens is not None and not unknown and (change := used - booked.tokens):
            await self._counter.correct(
                f"tokens:{self.name}", self._budget.window, change, number=booked.window
            )

    def stats(self) -> Mapping[str, int]:
        return dict(self._stats)

    async def _first(
        self, tokens: int, call_slots: CallSlots, deadline: float | None
    ) -> Booked | ProviderError:
        waited = False
        while True:
            # Take the place first, so that a granted call starts at once.
            place = await call_slots.take(deadline)
            if place is None:
                return TimedOut("no place among the calls upstream came free in time")
            count: WindowCount | None = None
            granted = False
            try:
                granted, count = await self._book(tokens)
            finally:
                if not granted:
                    call_slots.give_back(place)
            if granted:
                self._stats["waited"] += waited
                return Booked(place, tokens, count.number)
            self._room_at = asyncio.get_running_loop().time() + count.left
            if deadline is not None and self._room_at > deadline:
                return self._shed(count.left)
            waited = True
            await asyncio.sleep(count.left)

    async def _book(self, tokens: int) -> tuple[bool, WindowCount]:
        """Count a call and its tokens. Returns whether both fit into the window; what does not fit is not counted."""
        window = self._budget.window
        counted: list[tuple[str, int]] = []
        for figure, limit, amount in (
            ("calls", self._budget.calls, 1),
            ("tokens", self._budget.tokens, tokens),
        ):
            if limit is None:
                continue
            count = await self._counter.add(f"{figure}:{self.name}", window, amount)
            counted.append((figure, amount))
            if count.total > limit:
                for name, added in counted:
                    await self._counter.correct(f"{name}:{self.name}", window, -added, number=count.number)
                return False, count
        return True, count

    def _room_in(self) -> float:
        """Seconds until the first of the queue has room, as now known."""
        return max(1.0, self._room_at - asyncio.get_running_loop().time())

    def _shed(self, wait: float) -> BudgetSpent:
        self._stats["shed"] += 1
        return BudgetSpent(
            f"the budget of calls and tokens for {self.name} is spent; it is free again in about {wait:.0f} s",
            retry_after=wait,
        )


class Budgeted(Wrapper):
    """Calls upstream within `budgets` (by upstream, for all replicas) and within the places of this process;
    upstreams without a budget need but a place."""

    def __init__(
        self, inner: Provider, call_slots: CallSlots, budgets: Mapping[str, Budget], store: Store
    ) -> None:
        super().__init__(inner)
        self._call_slots = call_slots
        self._free = Limited(inner, call_slots)
        counter = WindowCounter(store)
        self._budgets = {name: RateBudget(name, budget, counter) for name, budget in budgets.items()}

    def stats(self) -> Mapping[str, int]:
        return {
            f"budget:{name}:{figure}": number
            for name, budget in self._budgets.items()
            for figure, number in budget.stats().items()
        }

    async def ask(self, request: LLMRequest, call: Call) -> Answer:
        budget = self._budgets.get(request.upstream)
        if budget is None:
            return await self._free.ask(request, call)
        booked = await budget.enter(estimate(request), self._call_slots, call.deadline)
        if not isinstance(booked, Booked):
            return booked
        try:
            answer = await super().ask(request, call)
        finally:
            self._call_slots.give_back(booked.place)
        await budget.record_usage(booked, answer)
        return answer


def estimate(request: LLMRequest) -> int:
    """Tokens that a call may use at most: what is sent, and the longest answer that is allowed."""
    sent = sum(len(message.content.encode()) for message in request.messages) + len(request.schema or "")
    output = UNBOUNDED_OUTPUT if request.max_tokens is None else request.max_tokens
    return sent // BYTES_PER_TOKEN + MESSAGE_TOKENS * (len(request.messages) + 1) + output
