"""The built site, served on loopback; `make site` builds it first."""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

SITE = Path(__file__).parent.parent.parent / ".cache" / "site" / "html"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="session")
def pages() -> Path:
    """The folder of the site; a failure where nobody has built it."""
    if not (SITE / "index.html").exists():
        pytest.fail("There is no site in .cache/site/html: run `make site`.")
    return SITE


@pytest.fixture(scope="session")
def address(pages: Path) -> Iterator[str]:
    """The URL of the site."""
    handler = functools.partial(_Quiet, directory=str(pages))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
