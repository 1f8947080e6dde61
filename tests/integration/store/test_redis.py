import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.store.redis import RedisStore
from tests.redis_server import RedisServer


@pytest.fixture
async def replica(redis_url: str, redis_store: RedisStore) -> AsyncIterator[RedisStore]:
    """A second process, as far as Redis can tell."""
    store = RedisStore(redis_url, ttl=60)
    yield store
    await store.aclose()


async def test_values_come_back_in_order_on_every_replica(
    redis_store: RedisStore, replica: RedisStore
) -> None:
    await redis_store.put("a", b"1")
    await redis_store.put("b", b"\x00\xff")
    assert await replica.get_many(["b", "missing", "a"]) == [b"\x00\xff", None, b"1"]
    assert await replica.get_many([]) == []


async def test_values_expire(redis_url: str) -> None:
    store = RedisStore(redis_url, ttl=0.05)
    await store.put("a", b"1")
    await asyncio.sleep(0.1)
    assert await store.get_many(["a"]) == [None]
    await store.aclose()


async def test_one_replica_gets_the_lease_and_the_other_the_value(
    redis_store: RedisStore, replica: RedisStore
) -> None:
    mine = await redis_store.claim("k")
    assert mine.lease is not None
    theirs = await replica.claim("k")
    assert (theirs.value, theirs.lease) == (None, None)
    await redis_store.put("k", b"made")
    await redis_store.release(mine.lease)
    assert (await replica.claim("k")).value == b"made"


async def test_a_lease_outlives_its_term_while_it_is_held(
    redis_store: RedisStore, replica: RedisStore
) -> None:
    mine = await redis_store.claim("k")
    await asyncio.sleep(1.5)
    assert (await replica.claim("k")).lease is None
    assert mine.lease is not None
    await redis_store.release(mine.lease)
    assert (await replica.claim("k")).lease is not None


async def test_those_who_wait_hear_of_a_release_at_once(
    redis_store: RedisStore, replica: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = await redis_store.claim("k")
    assert mine.lease is not None
    await replica.wait("k", 1)
    monkeypatch.setattr("service.store.leases.POLL", 30.0)
    waiting = asyncio.create_task(replica.wait("k", 30))
    await asyncio.sleep(0.02)
    released = time.perf_counter()
    await redis_store.release(mine.lease)
    await waiting
    assert time.perf_counter() - released < 10


async def test_a_lease_that_lapsed_is_not_taken_from_its_new_holder(
    redis_store: RedisStore, replica: RedisStore, redis_server: RedisServer
) -> None:
    mine = await redis_store.claim("k")
    assert mine.lease is not None
    redis_server.ask("DEL", "crs-eval:k:lease")
    assert (await replica.claim("k")).lease is not None
    await redis_store.release(mine.lease)
    assert (await redis_store.claim("k")).lease is None


async def test_a_counter_is_shared_and_ends_with_its_window(
    redis_store: RedisStore, replica: RedisStore
) -> None:
    assert [await redis_store.count("c", 0.2), await replica.count("c", 0.2)] == [1, 2]
    await asyncio.sleep(0.25)
    assert await redis_store.count("c", 0.2) == 1


async def test_a_scripts_cache_that_was_emptied_is_refilled(
    redis_store: RedisStore, redis_server: RedisServer
) -> None:
    assert await redis_store.count("c", 5) == 1
    assert redis_server.ask("SCRIPT", "FLUSH") == "+OK"
    assert await redis_store.count("c", 5) == 2


async def test_killed_redis_is_noticed_once_and_found_again(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = RedisStore(own_redis.url)
    await store.put("a", b"1")
    own_redis.kill()
    for _ in range(20):
        assert await store.get_many(["a"]) == [None]
        await store.put("a", b"2")
    assert (await store.claim("a")).lease is not None
    assert not await store.ping()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert store.stats()["down"] == 1
    own_redis.start()
    await asyncio.sleep(1.1)
    await store.put("a", b"3")
    assert await store.get_many(["a"]) == [b"3"]
    assert (store.stats()["down"], store.stats()["outages"]) == (0, 1)
    await store.aclose()


async def test_frozen_redis_costs_three_timeouts_then_nothing(own_redis: RedisServer) -> None:
    store = RedisStore(own_redis.url)
    await store.put("a", b"1")
    own_redis.freeze()
    began = time.perf_counter()
    for _ in range(50):
        assert await store.get_many(["a"]) == [None]
    assert time.perf_counter() - began < 5
    own_redis.thaw()
    await asyncio.sleep(1.1)
    assert await store.get_many(["a"]) == [b"1"]
    await store.aclose()


async def test_read_only_redis_still_answers_what_it_knows(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = RedisStore(own_redis.url)
    await store.put("a", b"1")
    assert own_redis.ask("REPLICAOF", "127.0.0.1", "1") == "+OK"
    for _ in range(5):
        await store.put("b", b"2")
    assert await store.get_many(["a", "b"]) == [b"1", None]
    assert (await store.claim("b")).lease is not None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    await store.aclose()


async def test_full_redis_still_answers_what_it_knows(tmp_path: Path) -> None:
    with RedisServer(tmp_path, ("maxmemory", "2mb"), ("maxmemory-policy", "noeviction")) as full:
        store = RedisStore(full.url)
        await store.put("a", b"1")
        for number in range(40):
            await store.put(f"filler-{number}", bytes(100_000))
        assert store.stats()["failures"] > 0
        assert await store.get_many(["a"]) == [b"1"]
        claim = await store.claim("new")
        assert claim.lease is not None
        await store.release(claim.lease)
        await store.aclose()


async def test_closing_gives_leases_up_and_leaves_no_task(redis_url: str, redis_store: RedisStore) -> None:
    before = asyncio.all_tasks()
    store = RedisStore(redis_url)
    assert (await store.claim("k")).lease is not None
    await redis_store.claim("other")
    await store.wait("other", 0.05)
    await store.aclose()
    assert (await redis_store.claim("k")).lease is not None
    assert {task for task in asyncio.all_tasks() - before if task.get_name() != "lease renewal"} == set()
