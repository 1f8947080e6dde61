"""The whole application over ASGI, with the embedded judge and the examples' catalogues."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.telemetry.logging import configure_logging
from tests.api.scripted import scripted_client
from tests.api.simulating import simulating_client
from tests.provider.server import ProviderServer

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def provider(model: ProviderServer) -> ProviderServer:
    """The provider of a module, forgetful: it answers well unless a test sets another answer."""
    model.reset()
    return model


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    configure_logging("json", "warning")
    settings = Settings(catalogs=ROOT / "examples" / "crs")
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def bare() -> Iterator[TestClient]:
    """A service without any setting, and without workers, whose start would take time."""
    with TestClient(create_app(Settings(workers=0))) as client:
        yield client


@pytest.fixture(scope="module")
def asking(model: ProviderServer) -> Iterator[TestClient]:
    """The application with the provider of a module, whose models may judge."""
    settings = Settings(upstreams={"local": model.openai_url}, judges=("builtin", "local:*"), workers=0)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def debates() -> Iterator[TestClient]:
    with scripted_client() as client:
        yield client


@pytest.fixture(scope="module")
def simulations() -> Iterator[TestClient]:
    with simulating_client() as client:
        yield client
