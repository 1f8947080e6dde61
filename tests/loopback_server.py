"""A server of one kind of handler on a free port of loopback, running from `with` to its end."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from tests.patience import PATIENCE

ENDS = 0.02
"""Seconds in which a server notices that it is to end."""


class LoopbackServer:
    """Shared parts of the tests' servers: they differ by what they answer."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(ENDS,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"
