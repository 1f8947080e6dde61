"""Requests that are made again where that may help, against a server that misbehaves."""

import contextlib
import json
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from service.cli.private_service import free_port
from service.cli.remote import ATTEMPTS, Remote, ServiceRefusal

Answer = tuple[int, Any]
BUSY: Answer = (503, {"detail": "no room", "retryable": True})


class _Server(ThreadingHTTPServer):
    """Answers what is queued, then that all is fine."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.queue: list[Answer] = []
        self.asked: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(self.headers.get("Authorization"))
        status, body = self.server.queue.pop(0) if self.server.queue else (200, {"fine": True})
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def _ask(url: str, key: str | None = None) -> Any:
    async with Remote(url, key, first_wait=0.001) as remote:
        return await remote.post("/score", {"log": {}})


async def test_a_busy_service_is_asked_again(server: _Server) -> None:
    server.queue = [BUSY, (502, b"<html>bad gateway</html>"), (200, b"cut off {")]
    answer = await _ask(server.url, "secret")
    assert isinstance(answer, ServiceRefusal)  # a 200 that is no JSON is not asked for again: it was paid for
    assert (answer.status, len(server.asked)) == (200, 3)
    assert set(server.asked) == {"Bearer secret"}
    server.queue = [BUSY]
    assert await _ask(server.url) == {"fine": True}


async def test_it_gives_up_in_the_end(server: _Server) -> None:
    server.queue = [BUSY] * 20
    assert await _ask(server.url) == ServiceRefusal(503, "no room", True)
    assert len(server.asked) == ATTEMPTS


async def test_a_refusal_stands(server: _Server) -> None:
    server.queue = [(422, {"detail": "no such judge", "retryable": False})]
    assert await _ask(server.url) == ServiceRefusal(422, "no such judge", False)
    assert len(server.asked) == 1


async def test_nobody_there() -> None:
    answer = await _ask(f"http://127.0.0.1:{free_port()}")
    assert isinstance(answer, ServiceRefusal)
    assert answer.status is None
    assert "cannot be reached" in answer.detail


class _Hasty(socketserver.StreamRequestHandler):
    """Answers by the head of a request alone, and closes while the body is still being sent."""

    answer = b""

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        self.wfile.write(self.answer)


@contextlib.contextmanager
def hasty(answer: bytes) -> Iterator[str]:
    """A server that answers so, and reads no body."""
    handler = type("Handler", (_Hasty,), {"answer": answer})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("size", [100_000, 20_000_000])
async def test_a_service_that_answers_before_the_body_is_sent_is_heard(size: int) -> None:
    problem = b'{"type": "/problems/body-too-large", "detail": "too large", "retryable": false}'
    head = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(problem)
    with hasty(head + problem) as url:
        async with Remote(url, first_wait=0.001) as remote:
            answer = await remote.post("/score", {"log": "x" * size})
    assert answer == ServiceRefusal(413, "too large", False, type="/problems/body-too-large")


async def test_a_connection_that_breaks_without_an_answer_is_told_with_its_cause() -> None:
    with hasty(b"") as url:
        async with Remote(url, first_wait=0.001) as remote:
            answer = await remote.post("/score", {"log": "x" * 20_000_000})
    assert isinstance(answer, ServiceRefusal)
    assert (answer.status, answer.retryable) == (None, True)
    assert not answer.detail.rstrip().endswith(":")
