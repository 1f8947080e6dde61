"""A Redis that could lose conversations is refused at the start."""

import contextlib
from pathlib import Path

import pytest

from service.errors import ConfigurationError
from service.store.conversations.protocol import Full
from service.store.conversations.redis import RedisConversations
from tests.integration.live.conftest import PERSISTENT
from tests.redis_server import RedisServer


@pytest.mark.parametrize(
    ("setting", "value"),
    [("appendonly", "no"), ("appendfsync", "everysec"), ("maxmemory-policy", "allkeys-lru")],
)
async def test_a_redis_that_could_lose_conversations_is_refused(
    tmp_path: Path, setting: str, value: str
) -> None:
    settings = {**dict(PERSISTENT), setting: value}
    with RedisServer(tmp_path, *settings.items()) as server:
        place = RedisConversations(server.url)
        with pytest.raises(ConfigurationError, match=f"{setting} is '{value}'"):
            await place.prepare(["one"])
        await place.aclose()


async def test_a_redis_that_does_not_tell_is_refused_unless_the_operator_looked(tmp_path: Path) -> None:
    with RedisServer(tmp_path, *PERSISTENT) as server:
        assert server.ask("ACL SETUSER default -config") == "+OK"
        place = RedisConversations(server.url)
        with pytest.raises(ConfigurationError, match="CRS_EVAL_LIVE_REDIS_UNCHECKED"):
            await place.prepare(["one"])
        await place.aclose()
        unchecked = RedisConversations(server.url, checked=False)
        await unchecked.prepare(["one"])
        await unchecked.aclose()


async def fill(place: RedisConversations) -> None:
    """Fill it to the last entry: the one that does not fit is small."""
    with contextlib.suppress(Full):
        for _ in range(1000):
            await place.put([b"x" * 20_000])
    for _ in range(10_000):
        await place.put([b"x"])


async def test_a_full_redis_takes_nothing_and_says_so(tmp_path: Path) -> None:
    settings = (*PERSISTENT, ("maxmemory", "4mb"))
    with RedisServer(tmp_path, *settings) as server:
        place = RedisConversations(server.url)
        await place.prepare(["one"])
        await place.level()
        with pytest.raises(Full):
            await fill(place)
        with pytest.raises(Full):
            await place.level()
        server.ask("CONFIG SET maxmemory 100mb")
        await place.level()
        await place.aclose()
