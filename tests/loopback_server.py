"""A server on a free port of loopback, running from `with` to its end."""

import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler
from typing import Self

from tests.patience import PATIENCE

ENDS = 0.02
"""Seconds in which a server notices that it is to end."""
Response = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""


def listens(port: int) -> bool:
    """Return True where a server takes connections on this port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Quiet:
    """A handler that prints nothing."""

    def log_message(self, *_: object) -> None:
        pass


class LoopbackServer:
    """Answers by a handler."""

    def __init__(self, handler: Callable[..., BaseRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(ENDS,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"


class AnsweringServer(LoopbackServer, ABC):
    """Answers GET, POST and PUT as `answer` says."""

    def __init__(self) -> None:
        super().__init__(self._handler())

    @abstractmethod
    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Response:
        """Return the answer to a request."""

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(Quiet, BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, headers, content = server.answer(self, body)
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST  # noqa: N815 - names of the base class

        return Handler
