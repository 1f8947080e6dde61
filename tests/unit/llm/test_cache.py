import asyncio
from dataclasses import replace

import pytest

from service.domain.completion import CacheMode, Call, Completion, Usage
from service.llm.cache import Cached, CompletionCache, Leased, SingleFlight, cache_key
from service.llm.failures import (
    Answer,
    CacheMiss,
    Refused,
    TimedOut,
    TruncatedCompletion,
    Unavailable,
    UnreadableCompletion,
)
from service.store.memory import MemoryStore
from tests.factories import Scripted, ask, good, instance, within
from tests.patience import PATIENCE


class CountingStore(MemoryStore):
    """Counts round trips."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.lookups = 0

    async def get_many(self, keys):  # type: ignore[no-untyped-def]
        self.lookups += 1
        return await super().get_many(keys)


def stack(upstream: Scripted, store: MemoryStore | None = None) -> Cached:
    cache = CompletionCache(store or MemoryStore(1_000_000))
    return Cached(Leased(upstream, cache), cache)


async def test_a_batch_is_looked_up_in_one_round_trip_and_only_misses_are_asked(upstream: Scripted) -> None:
    store = CountingStore()
    cached = stack(upstream, store)
    await cached.complete([ask(draw=1), ask(draw=3)], Call())
    store.lookups = 0
    answers = await cached.complete([ask(draw=number) for number in range(5)], Call())
    assert store.lookups == 1
    assert [n for n, answer in enumerate(answers) if isinstance(answer, Completion) and answer.cached] == [
        1,
        3,
    ]
    assert [request.draw for request in upstream.asked] == [1, 3, 0, 2, 4]


USE, REFRESH, OFF, ONLY = CacheMode


@pytest.mark.parametrize(
    ("held", "mode", "calls", "stored"),
    [
        (True, USE, 0, 1),
        (True, REFRESH, 1, 1),
        (True, OFF, 1, 1),
        (True, ONLY, 0, 1),
        (False, USE, 1, 1),
        (False, REFRESH, 1, 1),
        (False, OFF, 1, 0),
        (False, ONLY, 0, 0),
    ],
)
async def test_modes(upstream: Scripted, held: bool, mode: CacheMode, calls: int, stored: int) -> None:
    store = MemoryStore(1_000_000)
    cached = stack(upstream, store)
    if held:
        await cached.complete([ask()], Call())
        upstream.asked.clear()
    [answer] = await cached.complete([ask()], Call(cache=mode))
    assert isinstance(answer, CacheMiss) == (mode is ONLY and not held)
    if isinstance(answer, Completion):
        assert answer.cached == (calls == 0)
    assert len(upstream.asked) == calls
    assert store.stats()["entries"] == stored


@pytest.mark.parametrize(
    "answer", [Refused("no"), TruncatedCompletion("cut"), UnreadableCompletion("html"), Unavailable("down")]
)
async def test_no_failure_is_stored(answer: Answer) -> None:
    upstream, store = Scripted(lambda request: answer), MemoryStore(1_000_000)
    await stack(upstream, store).complete([ask()], Call())
    assert store.stats()["entries"] == 0


async def test_a_cache_that_keeps_all_keeps_what_cannot_be_read(upstream: Scripted) -> None:
    cache = CompletionCache(MemoryStore(1_000_000), keeps_all=True)
    strict = Call(accept=lambda request, completion: False)
    kept = Cached(upstream, cache)
    await cache.write(ask(), good(ask()), strict)
    [answer] = await kept.complete([ask()], strict)
    assert instance(Completion, answer).cached
    [looked_up] = await kept.complete([ask()], replace(strict, cache=CacheMode.ONLY))
    assert isinstance(looked_up, CacheMiss), "who only looks would not repair it"


async def test_an_entry_that_is_damaged_is_asked_for_anew(upstream: Scripted) -> None:
    store = MemoryStore(1_000_000)
    await store.put(cache_key(ask()), b'{"text": 3}')
    [answer] = await stack(upstream, store).complete([ask()], Call())
    assert isinstance(answer, Completion)
    assert len(upstream.asked) == 1


async def test_a_failure_is_shared_but_its_cost_told_once() -> None:
    upstream = Scripted(lambda request: Unavailable("down", retryable=False, usage=Usage(10)), pause=0.01)
    flights = SingleFlight(upstream)
    answers = await asyncio.gather(*(flights.complete([ask()], Call()) for _ in range(5)))
    assert len(upstream.asked) == 1
    assert sum(answer[0].usage.input_tokens for answer in answers) == 10


async def test_a_caller_that_leaves_takes_nothing_from_the_others() -> None:
    upstream = Scripted(pause=0.05)
    flights = SingleFlight(upstream)
    first = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0)
    second = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0.01)
    first.cancel()
    [answer] = await second
    assert isinstance(answer, Completion)
    assert (len(upstream.asked), upstream.cancelled) == (1, 0)


async def test_the_last_one_to_leave_cancels_the_call() -> None:
    upstream = Scripted(pause=10)
    flights = SingleFlight(upstream)
    tasks = [asyncio.create_task(flights.complete([ask()], Call())) for _ in range(3)]
    await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)
    assert (upstream.cancelled, flights.stats()["flights"]) == (1, 0)
    upstream.pause = 0
    [answer] = await flights.complete([ask()], Call())
    assert isinstance(answer, Completion)


async def test_a_joiner_with_more_time_asks_again_when_the_first_ran_out_of_it() -> None:
    outcomes = [TimedOut("late"), None]
    upstream = Scripted(
        lambda request: outcomes.pop(0) or Completion("at last", "m", Usage(1, 1)), pause=0.05
    )
    flights = SingleFlight(upstream)
    first = asyncio.create_task(flights.complete([ask()], within(0.06)))
    await asyncio.sleep(0.01)
    [patient] = await flights.complete([ask()], within(PATIENCE))
    assert isinstance((await first)[0], TimedOut)
    assert isinstance(patient, Completion)
    assert len(upstream.asked) == 2


async def test_a_call_that_is_to_be_kept_is_finished_though_everyone_left() -> None:
    upstream = Scripted(pause=0.3)
    flights = SingleFlight(upstream, finishes=True)
    caller = asyncio.create_task(flights.complete([ask()], Call()))
    await asyncio.sleep(0.01)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    [joined] = await flights.complete([ask()], Call())
    assert instance(Completion, joined).cached
    assert (len(upstream.asked), upstream.cancelled) == (1, 0)
    alone = asyncio.create_task(flights.complete([ask(draw=1)], Call()))
    await asyncio.sleep(0.01)
    alone.cancel()
    await flights.aclose()
    assert (len(upstream.asked), upstream.cancelled) == (2, 0)
