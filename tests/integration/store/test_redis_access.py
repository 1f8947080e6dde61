"""A Redis that asks for a password, and one behind TLS."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.store.redis import RedisStore
from tests.patience import REDIS_TIMEOUT
from tests.redis_server import RedisServer

CERTIFICATES = Path(__file__).parents[2] / "certificates"


async def kept(store: RedisStore) -> bool:
    await store.put("a", b"value")
    found = await store.get_many(["a"])
    await store.aclose()
    return found == [b"value"]


async def test_a_password_opens_it_and_no_other_does(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server:
        assert server.ask("CONFIG SET requirepass correct-horse") == "+OK"
        assert await kept(RedisStore(server.url, password="correct-horse", timeout=REDIS_TIMEOUT))
        assert not await kept(RedisStore(server.url, password="wrong", timeout=REDIS_TIMEOUT))
        assert not await kept(RedisStore(server.url, timeout=REDIS_TIMEOUT))


@pytest.fixture
async def behind_tls(redis_server: RedisServer) -> AsyncIterator[int]:
    """The port of a server that ends TLS for `localhost` and passes on to Redis."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner = await asyncio.open_connection("127.0.0.1", redis_server.port)
        await asyncio.gather(copy(reader, inner[1]), copy(inner[0], writer), return_exceptions=True)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    yield server.sockets[0].getsockname()[1]
    server.close()


@pytest.mark.parametrize(
    ("host", "ca", "trusted"),
    [
        ("localhost", CERTIFICATES / "ca.pem", True),
        ("localhost", None, False),  # an authority that the system does not know
        ("127.0.0.1", CERTIFICATES / "ca.pem", False),  # a name that the certificate does not hold
    ],
)
async def test_tls_is_verified(behind_tls: int, host: str, ca: Path | None, trusted: bool) -> None:
    store = RedisStore(f"rediss://{host}:{behind_tls}/0", ca=ca, timeout=REDIS_TIMEOUT)
    assert await kept(store) is trusted
