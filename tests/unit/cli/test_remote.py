"""Requests that are made again where that may help, against a server that misbehaves."""

import contextlib
import json
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import pytest

from service.cli.exits import CommandError
from service.cli.names import check_names, check_request
from service.cli.remote import ATTEMPTS, Remote, ServiceRefusal
from tests.factories import instance
from tests.loopback_server import LoopbackServer
from tools.service_process import free_port

Answer = tuple[int, Any]
BUSY: Answer = (503, {"detail": "no room", "retryable": True})


class _Handler(BaseHTTPRequestHandler):
    """Answers what is queued, then that all is fine."""

    queue: ClassVar[list[Answer]] = []
    asked: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append(self.headers.get("Authorization"))
        status, body = self.queue.pop(0) if self.queue else (200, {"fine": True})
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST  # noqa: N815 - a name of the base class

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def url() -> Iterator[str]:
    _Handler.queue.clear()
    _Handler.asked.clear()
    with LoopbackServer(_Handler) as server:
        yield server.url


async def _ask(url: str, key: str | None = None) -> Any:
    async with Remote(url, key, first_wait=0.001) as remote:
        return await remote.post("/score", {"log": {}})


async def test_a_busy_service_is_asked_again(url: str) -> None:
    _Handler.queue[:] = [BUSY, (502, b"<html>bad gateway</html>"), (200, b"cut off {")]
    answer = await _ask(url, "secret")
    assert isinstance(answer, ServiceRefusal)  # a 200 that is no JSON is not asked for again: it was paid for
    assert (answer.status, len(_Handler.asked)) == (200, 3)
    assert set(_Handler.asked) == {"Bearer secret"}
    _Handler.queue[:] = [BUSY]
    assert await _ask(url) == {"fine": True}


async def test_it_gives_up_in_the_end(url: str) -> None:
    _Handler.queue[:] = [BUSY] * 20
    assert await _ask(url) == ServiceRefusal(503, "no room", True)
    assert len(_Handler.asked) == ATTEMPTS


async def test_a_refusal_stands(url: str) -> None:
    _Handler.queue[:] = [(422, {"detail": "no such judge", "retryable": False})]
    assert await _ask(url) == ServiceRefusal(422, "no such judge", False)
    assert len(_Handler.asked) == 1


async def test_nobody_there() -> None:
    answer = instance(ServiceRefusal, await _ask(f"http://127.0.0.1:{free_port()}"))
    assert answer.status is None
    assert "cannot be reached" in answer.detail


class _Hasty(socketserver.StreamRequestHandler):
    """Reads the head of a request alone, and closes while the body is still being sent."""

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass


@contextlib.contextmanager
def hasty() -> Iterator[str]:
    """A server that reads no body."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Hasty) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


async def test_a_connection_that_breaks_without_an_answer_is_told_with_its_cause() -> None:
    with hasty() as url:
        async with Remote(url, first_wait=0.001) as remote:
            answer = await remote.post("/score", {"log": "x" * 20_000_000})
    assert isinstance(answer, ServiceRefusal)
    assert (answer.status, answer.retryable) == (None, True)
    assert "CRS_EVAL_MAX_BODY" in answer.detail


KNOWN = ["core", "coherence", "openai:*"]


def test_known_names_and_patterns_pass() -> None:
    check_names("factor", ["coherence", "openai:gpt"], KNOWN)


async def test_what_is_no_crs_eval_is_told(url: str) -> None:
    async with Remote(url) as remote:
        with pytest.raises(CommandError, match="is not crs-eval"):
            await check_request(remote, {"factors": ["core"]}, {})


async def test_a_key_that_may_not_read_the_lists_may_ask_nevertheless(url: str) -> None:
    _Handler.queue[:] = [(403, {"detail": "not with this key", "retryable": False})] * 9
    async with Remote(url) as remote:
        await check_request(remote, {"factors": ["coherense"], "judge": "buitlin"}, {"films": None})
    assert len(_Handler.asked) > 1
