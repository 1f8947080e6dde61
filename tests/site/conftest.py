"""The built site, served on loopback; `make site` builds it first."""

import functools
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from tests.loopback_server import LoopbackServer, Quiet

SITE = Path(__file__).parent.parent.parent / ".cache" / "site" / "html"


class _Handler(Quiet, SimpleHTTPRequestHandler):
    pass


@pytest.fixture(scope="session")
def pages() -> Path:
    """The folder of the site; a failure where nobody has built it."""
    if not (SITE / "index.html").exists():
        pytest.fail("There is no site in .cache/site/html: run `make site`.")
    return SITE


@pytest.fixture(scope="session")
def address(pages: Path) -> Iterator[str]:
    """The URL of the site."""
    with LoopbackServer(functools.partial(_Handler, directory=str(pages))) as server:
        yield server.url
