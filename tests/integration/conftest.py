"""Real parts: a Redis server, and a provider of language models on loopback."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from service.store.redis import RedisStore
from tests.patience import REDIS_TIMEOUT
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer
from tools.service_process import ROOT, running_service


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """One service for all tests that need no settings of their own; it has a catalogue of films."""
    with running_service({"CATALOGS": str(ROOT / "examples" / "crs")}) as address:
        yield address


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis that the test may kill, freeze or fill."""
    with RedisServer(tmp_path) as server:
        yield server
        server.thaw()


@pytest.fixture
async def redis_store(redis_url: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(redis_url, ttl=60, timeout=REDIS_TIMEOUT)
    yield store
    await store.aclose()


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    """A provider that answers well until a test changes its behaviour."""
    with ProviderServer() as server:
        yield server
