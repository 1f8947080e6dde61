from dataclasses import replace

import pytest

from service.domain.completion import NO_USAGE, CacheMode, Call, Completion, LLMRequest, Usage
from service.llm.cache import Cached, CompletionCache, cache_key
from service.llm.failures import (
    Answer,
    CacheMiss,
    Refused,
    TruncatedCompletion,
    Unavailable,
    UnreadableCompletion,
)
from service.llm.leased import Leased
from service.store.memory import MemoryStore
from tests.unit.llm.conftest import Scripted, ask, good


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


async def test_a_hit_has_the_shape_of_a_miss_and_says_what_it_saved(upstream: Scripted) -> None:
    cached = stack(upstream)
    [miss] = await cached.complete([ask()], Call())
    [hit] = await cached.complete([ask()], Call())
    assert isinstance(miss, Completion)
    assert hit == replace(miss, cached=True, usage=Usage(saved_tokens=120))
    assert len(upstream.asked) == 1


async def test_a_batch_is_looked_up_in_one_round_trip_and_only_misses_are_asked(upstream: Scripted) -> None:
    store = CountingStore()
    cached = stack(upstream, store)
    await cached.complete([ask(draw=1), ask(draw=3)], Call())
    store.lookups = 0
    answers = await cached.complete([ask(draw=number) for number in range(5)], Call())
    assert store.lookups == 1
    assert [isinstance(answer, Completion) and answer.cached for answer in answers] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert [request.draw for request in upstream.asked] == [1, 3, 0, 2, 4]


@pytest.mark.parametrize(
    ("mode", "calls", "stored"),
    [
        (CacheMode.USE, 0, True),
        (CacheMode.REFRESH, 1, True),
        (CacheMode.OFF, 1, True),
        (CacheMode.ONLY, 0, True),
    ],
)
async def test_modes_with_an_entry(upstream: Scripted, mode: CacheMode, calls: int, stored: bool) -> None:
    store = MemoryStore(1_000_000)
    cached = stack(upstream, store)
    await cached.complete([ask()], Call())
    upstream.asked.clear()
    [answer] = await cached.complete([ask()], Call(cache=mode))
    assert isinstance(answer, Completion)
    assert answer.cached == (calls == 0)
    assert len(upstream.asked) == calls
    assert store.stats()["entries"] == stored


@pytest.mark.parametrize(
    ("mode", "calls", "stored"),
    [(CacheMode.USE, 1, 1), (CacheMode.REFRESH, 1, 1), (CacheMode.OFF, 1, 0), (CacheMode.ONLY, 0, 0)],
)
async def test_modes_without_an_entry(upstream: Scripted, mode: CacheMode, calls: int, stored: int) -> None:
    store = MemoryStore(1_000_000)
    [answer] = await stack(upstream, store).complete([ask()], Call(cache=mode))
    assert len(upstream.asked) == calls
    assert isinstance(answer, CacheMiss) == (calls == 0)
    assert store.stats()["entries"] == stored


@pytest.mark.parametrize(
    "answer",
    [Refused("no"), TruncatedCompletion("cut"), UnreadableCompletion("html"), Unavailable("down")],
)
async def test_no_failure_is_stored(answer: Answer) -> None:
    upstream, store = Scripted(lambda request: answer), MemoryStore(1_000_000)
    await stack(upstream, store).complete([ask()], Call())
    assert store.stats()["entries"] == 0


async def test_an_answer_that_cannot_be_read_is_neither_stored_nor_taken(upstream: Scripted) -> None:
    store = MemoryStore(1_000_000)
    cached = stack(upstream, store)
    strict = Call(accept=lambda request, completion: "score" in completion.text)
    await cached.complete([ask()], strict)
    assert store.stats()["entries"] == 0
    await cached.complete([ask()], Call())
    assert store.stats()["entries"] == 1
    upstream.script = lambda request: replace(good(request), text="score 3")
    [answer] = await cached.complete([ask()], strict)
    assert isinstance(answer, Completion)
    assert (answer.text, answer.cached) == ("score 3", False)
    [again] = await cached.complete([ask()], strict)
    assert isinstance(again, Completion)
    assert again.cached


async def test_a_cache_that_keeps_all_keeps_what_cannot_be_read(upstream: Scripted) -> None:
    cache = CompletionCache(MemoryStore(1_000_000), keeps_all=True)
    strict = Call(accept=lambda request, completion: False)
    kept = Cached(upstream, cache)
    await cache.write(ask(), good(ask()), strict)
    [answer] = await kept.complete([ask()], strict)
    assert isinstance(answer, Completion)
    assert answer.cached


async def test_what_was_just_looked_up_is_not_looked_up_again(upstream: Scripted) -> None:
    store = CountingStore()
    await stack(upstream, store).complete([ask()], Call(looked_up=True))
    assert store.lookups == 0


async def test_an_entry_that_is_damaged_is_asked_for_anew(upstream: Scripted) -> None:
    store = MemoryStore(1_000_000)
    await store.put(cache_key(ask()), b'{"text": 3}')
    [answer] = await stack(upstream, store).complete([ask()], Call())
    assert isinstance(answer, Completion)
    assert len(upstream.asked) == 1


async def test_failed_attempts_are_not_part_of_what_is_stored() -> None:
    upstream = Scripted(lambda request: replace(good(request), lost=Usage(7)))
    cached = stack(upstream)
    [first] = await cached.complete([ask()], Call())
    [second] = await cached.complete([ask()], Call())
    assert isinstance(first, Completion)
    assert isinstance(second, Completion)
    assert (first.lost, second.lost) == (Usage(7), NO_USAGE)


def test_zero_is_one_key_however_it_is_written() -> None:
    assert (
        cache_key(ask(temperature=0)) == cache_key(ask(temperature=0.0)) == cache_key(ask(temperature=-0.0))
    )
    assert cache_key(ask(temperature=0)) != cache_key(ask(temperature=None))


def test_a_key_is_had_even_for_text_that_is_no_text() -> None:
    request: LLMRequest = ask("\ud800")
    assert cache_key(request) != cache_key(ask("?"))
