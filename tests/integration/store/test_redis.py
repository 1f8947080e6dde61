import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from service.store.redis import RedisStore
from service.store.watch import watched
from tests.patience import PATIENCE, REDIS_TIMEOUT, until
from tests.redis_server import RedisServer


@pytest.fixture
async def replica(redis_url: str, redis_store: RedisStore) -> AsyncIterator[RedisStore]:
    """A store that Redis takes for a second process."""
    store = RedisStore(redis_url, ttl=60, timeout=REDIS_TIMEOUT)
    yield store
    await store.aclose()


async def found_again(store: RedisStore) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await store.ping():  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.1)


async def test_values_come_back_in_order_on_every_replica(
    redis_store: RedisStore, replica: RedisStore
) -> None:
    await redis_store.put("a", b"1")
    await redis_store.put("b", b"\x00\xff")
    assert await replica.get_many(["b", "missing", "a"]) == [b"\x00\xff", None, b"1"]
    assert await replica.get_many([]) == []


async def test_values_expire(redis_url: str) -> None:
    store = RedisStore(redis_url, ttl=0.05, timeout=REDIS_TIMEOUT)
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


async def test_a_lease_outlives_its_term_while_it_is_held(redis_url: str, replica: RedisStore) -> None:
    store = RedisStore(redis_url, timeout=1.0)
    mine = await store.claim("k")
    await asyncio.sleep(4)
    assert (await replica.claim("k")).lease is None
    assert mine.lease is not None
    await store.release(mine.lease)
    assert (await replica.claim("k")).lease is not None
    await store.aclose()


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
    redis_store: RedisStore, replica: RedisStore, redis_server: RedisServer
) -> None:
    assert [await redis_store.count("c", 60), await replica.count("c", 60)] == [1, 2]
    assert 0 < int(redis_server.ask("PTTL", "crs-eval:count:c").removeprefix(":")) <= 60_000
    assert await redis_store.count("short", 0.05) == 1
    await asyncio.sleep(0.1)
    assert await redis_store.count("short", 0.05) == 1


async def test_a_scripts_cache_that_was_emptied_is_refilled(
    redis_store: RedisStore, redis_server: RedisServer
) -> None:
    assert await redis_store.count("c", 60) == 1
    assert redis_server.ask("SCRIPT", "FLUSH") == "+OK"
    assert await redis_store.count("c", 60) == 2


async def test_killed_redis_is_noticed_once_and_found_again(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = RedisStore(own_redis.url, timeout=REDIS_TIMEOUT)
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
    await found_again(store)
    await store.put("a", b"3")
    assert await store.get_many(["a"]) == [b"3"]
    assert (store.stats()["down"], store.stats()["outages"]) == (0, 1)
    await store.aclose()


async def test_frozen_redis_costs_three_timeouts_then_nothing(own_redis: RedisServer) -> None:
    store = RedisStore(own_redis.url, timeout=2.0)
    await store.put("a", b"1")
    own_redis.freeze()
    for _ in range(50):
        assert await store.get_many(["a"]) == [None]
    assert store.stats()["failures"] < 20  # three, but for those that a machine noticed late
    assert store.stats()["skipped"] > 30
    own_redis.thaw()
    await found_again(store)
    assert await store.get_many(["a"]) == [b"1"]
    await store.aclose()


def test_a_socket_that_closed_before_a_command_was_written_is_a_redis_that_is_away(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        store = RedisStore(redis_url, timeout=REDIS_TIMEOUT)
        await store.put("a", b"1")
        [connection] = store._redis.connection_pool._available_connections
        send = connection.send_packed_command

        async def closed_before(*command: Any, **options: Any) -> None:
            connection._writer.transport.abort()  # type: ignore[union-attr]
            await send(*command, **options)

        with monkeypatch.context() as patch:
            patch.setattr(connection, "send_packed_command", closed_before)
            assert await store.get_many(["a"]) == [None]
        assert store.stats()["failures"] == 1
        assert await store.get_many(["a"]) == [b"1"]
        await store.aclose()

    uvloop.run(work())  # as the service runs


async def test_read_only_redis_still_answers_what_it_knows(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = RedisStore(own_redis.url, timeout=REDIS_TIMEOUT)
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
        store = RedisStore(full.url, timeout=REDIS_TIMEOUT)
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
    store = RedisStore(redis_url, timeout=REDIS_TIMEOUT)
    assert (await store.claim("k")).lease is not None
    await store.aclose()
    assert (await redis_store.claim("k")).lease is not None
    assert {task for task in asyncio.all_tasks() - before if task.get_name() != "lease renewal"} == set()


async def test_an_outage_and_its_end_are_known_without_a_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = RedisServer(tmp_path)
    store = RedisStore(server.url, timeout=REDIS_TIMEOUT)
    async with watched(store):
        await until(lambda: store.stats()["down"] == 1)
        assert "never reached" in caplog.text
        server.start()
        await until(lambda: store.stats()["down"] == 0)
        server.kill()
    await store.aclose()
