"""Requests that are made again where that may help, against a server that misbehaves."""

import json
import socketserver
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from service.cli.exits import CommandError
from service.cli.names import check_names, check_request
from service.cli.remote import ATTEMPTS, Remote, ServiceRefusal
from tests.factories import instance
from tests.loopback_server import AnsweringServer, LoopbackServer, Response
from tools.service_process import free_port

Answer = tuple[int, Any]
BUSY: Answer = (503, {"detail": "no room", "retryable": True})


class Moody(AnsweringServer):
    """Answers what is queued, then that all is fine."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: list[Answer] = []
        self.asked: list[str | None] = []

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Response:
        self.asked.append(request.headers.get("Authorization"))
        status, said = self.queue.pop(0) if self.queue else (200, {"fine": True})
        return status, {}, said if isinstance(said, bytes) else json.dumps(said).encode()


@pytest.fixture
def server() -> Iterator[Moody]:
    with Moody() as server:
        yield server


async def _ask(url: str, key: str | None = None) -> Any:
    async with Remote(url, key, first_wait=0.001) as remote:
        return await remote.post("/score", {"log": {}})


async def test_a_busy_service_is_asked_again(server: Moody) -> None:
    server.queue = [BUSY, (502, b"<html>bad gateway</html>"), (200, b"cut off {")]
    answer = await _ask(server.url, "secret")
    assert isinstance(answer, ServiceRefusal)  # a 200 that is no JSON is not asked for again: it was paid for
    assert (answer.status, len(server.asked)) == (200, 3)
    assert set(server.asked) == {"Bearer secret"}
    server.queue = [BUSY]
    assert await _ask(server.url) == {"fine": True}


async def test_it_gives_up_in_the_end(server: Moody) -> None:
    server.queue = [BUSY] * 20
    assert await _ask(server.url) == ServiceRefusal(503, "no room", True)
    assert len(server.asked) == ATTEMPTS


async def test_a_refusal_stands(server: Moody) -> None:
    server.queue = [(422, {"detail": "no such judge", "retryable": False})]
    assert await _ask(server.url) == ServiceRefusal(422, "no such judge", False)
    assert len(server.asked) == 1


async def test_nobody_there() -> None:
    answer = instance(ServiceRefusal, await _ask(f"http://127.0.0.1:{free_port()}"))
    assert answer.status is None
    assert "cannot be reached" in answer.detail


class _Hasty(socketserver.StreamRequestHandler):
    """Reads the head of a request alone, and closes while the body is still being sent."""

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass


async def test_a_connection_that_breaks_without_an_answer_is_told_with_its_cause() -> None:
    with LoopbackServer(_Hasty) as server:
        async with Remote(server.url, first_wait=0.001) as remote:
            answer = await remote.post("/score", {"log": "x" * 20_000_000})
    assert isinstance(answer, ServiceRefusal)
    assert (answer.status, answer.retryable) == (None, True)
    assert "CRS_EVAL_MAX_BODY" in answer.detail


KNOWN = ["core", "coherence", "openai:*"]


def test_known_names_and_patterns_pass() -> None:
    check_names("factor", ["coherence", "openai:gpt"], KNOWN)


async def test_what_is_no_crs_eval_is_told(server: Moody) -> None:
    async with Remote(server.url) as remote:
        with pytest.raises(CommandError, match="is not crs-eval"):
            await check_request(remote, {"factors": ["core"]}, {})


async def test_a_key_that_may_not_read_the_lists_may_ask_nevertheless(server: Moody) -> None:
    server.queue = [(403, {"detail": "not with this key", "retryable": False})] * 9
    async with Remote(server.url) as remote:
        await check_request(remote, {"factors": ["coherense"], "judge": "buitlin"}, {"films": None})
    assert len(server.asked) > 1
