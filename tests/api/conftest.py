"""The whole application over ASGI, with the embedded judge and the examples' catalogues."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.telemetry.logging import configure_logging
from tests.provider.server import ProviderServer

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    """A provider of language models on loopback, for applications of a module."""
    with ProviderServer() as provider:
        yield provider


@pytest.fixture
def provider(server: ProviderServer) -> ProviderServer:
    """The same, forgetful: it answers well unless a test sets another answer."""
    server.reset()
    return server


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    configure_logging("json", "warning")
    settings = Settings(catalogs=ROOT / "examples" / "crs")
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client
