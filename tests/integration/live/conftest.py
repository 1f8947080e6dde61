"""A Redis that persists, a PostgreSQL, and places of conversations whose time a test moves on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.store.conversations.protocol import Conversations
from service.store.conversations.redis import RedisConversations
from service.store.conversations.sqlite import SqliteConversations
from service.store.redis import connect
from tests.patience import PATIENCE
from tests.postgres_server import PostgresServer
from tests.redis_server import RedisServer

PERSISTENT = (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction"))
PREFIX = "crs-eval-live:"


@dataclass
class Place:
    """A place of conversations. `later` moves its time on by so many seconds; `another` opens it as a second worker."""

    conversations: Conversations
    later: Callable[[float], Awaitable[None]]
    kind: str


@pytest.fixture(scope="session")
def persistent_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("live-redis"), *PERSISTENT) as server:
        yield server


@pytest.fixture
def live_redis(persistent_redis: RedisServer) -> str:
    """The address of an empty Redis that persists."""
    assert persistent_redis.ask("FLUSHALL") == "+OK"
    return persistent_redis.url


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """The address of an empty database."""
    import psycopg

    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("drop schema public cascade; create schema public")
    return postgres_server.url


@pytest.fixture(params=["redis", "sqlite"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    """Both places: `settle` is 5 s, `longest` an hour, `reopen` a day."""
    times: dict[str, Any] = {"settle": 5.0, "longest": 3600.0, "reopen": 86_400.0, "lease": 60.0}
    if request.param == "sqlite":
        now = [1_800_000_000.0]
        sqlite = SqliteConversations(tmp_path / "open.db", **times, clock=lambda: now[0])

        async def pass_time(seconds: float) -> None:
            now[0] += seconds

        await sqlite.prepare(["one", "two"])
        yield Place(sqlite, pass_time, "sqlite")
        await sqlite.aclose()
        return
    url = request.getfixturevalue("live_redis")
    redis = RedisConversations(url, **times)
    client: Any = connect(url, PATIENCE)

    async def shift(seconds: float) -> None:
        """Make all that Redis noted so much older."""
        names = await client.zrange(f"{PREFIX}due", 0, -1)
        for name in names:
            await client.zincrby(f"{PREFIX}due", -seconds * 1000, name)
        async for key in client.scan_iter(f"{PREFIX}c:*"):
            for field in ("first", "last", "since"):
                if (value := await client.hget(key, field)) is not None:
                    await client.hset(key, field, str(round(float(value) - seconds * 1000)))
        await asyncio.sleep(0)

    await redis.prepare(["one", "two"])
    yield Place(redis, shift, "redis")
    await redis.aclose()
    await client.aclose()


def holding(folder: Path, text: str) -> list[str]:
    """The files that hold a text."""
    found = []
    for file in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if file.is_file() and text.encode() in file.read_bytes():
                found.append(file.name)
    return found
