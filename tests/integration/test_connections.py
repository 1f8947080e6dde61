"""Connections that send headers without end, slowly or not at all, against the service as a process."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.api.connection import MOST_WAITING
from tests.integration.http_exchange import connect, memory, process_behind
from tests.patience import PATIENCE
from tools.service_process import ROOT, running_service

BODY: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())
START = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = b"POST /score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
MB = 1024 * 1024


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_service({"HEADER_TIMEOUT": "2", "MAX_CONNECTIONS": "20", "WORKERS": "0"}) as url:
        yield url


def sent_in_vain(connection: socket.socket, data: bytes, times: int) -> int:
    """Send the data over and over until the service hangs up; the bytes that it took."""
    taken = 0
    try:
        for _ in range(times):
            connection.sendall(data)
            taken += len(data)
    except OSError:
        pass
    return taken


def answer_of(connection: socket.socket) -> tuple[int, dict[str, Any]]:
    """The status and the problem of an answer after which the connection ends."""
    held = b""
    try:
        while data := connection.recv(65536):
            held += data
    except ConnectionResetError:
        pass
    head, _, body = held.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head, held
    return int(head.split()[1]), json.loads(body)


def seconds_of_work(process: Path) -> float:
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.parametrize(
    ("before", "data"),
    [
        (START, b"X-A: b\r\n" * 8192),
        (START + b"X-A: ", b"x" * 65536),
        (b"GET /", b"x" * 65536),
        (b"", b"\r\n" * 32768),
        (CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-A: b\r\n" * 8192),
        (CHUNKED + b"2\r\n{}\r\n0\r\nX-A: ", b"x" * 65536),
        (CHUNKED + b"2;", b"x" * 65536),
    ],
    ids=["many", "endless", "endless line", "blank lines", "many trailers", "endless trailer", "endless extension"],
)  # fmt: skip
def test_headers_without_end_are_refused_and_take_no_memory(url: str, before: bytes, data: bytes) -> None:
    process = process_behind(url)
    memory_before, work_before = memory(process), seconds_of_work(process)
    with connect(url) as connection:
        connection.sendall(before)
        taken = sent_in_vain(connection, data, 60 * MB // len(data))
    assert taken < 60 * MB
    assert memory(process) - memory_before < 20 * MB
    assert seconds_of_work(process) - work_before < 5
    assert httpx2.get(f"{url}/healthz").status_code == 200


ENTIRE = json.dumps(BODY).encode()


@pytest.mark.parametrize(
    ("sent", "status", "kind"),
    [
        (START + b"X-A: b\r\n" * 150 + b"\r\n", 431, "headers-too-large"),
        (START + b"X-A: " + b"x" * (100 * 1024), 431, "headers-too-large"),
        (b"not HTTP at all\r\n\r\n", 400, "malformed-request"),
        (
            CHUNKED + b"%x\r\n%b\r\n0\r\nx-request-id: forged\r\n\r\n" % (len(ENTIRE), ENTIRE),
            400,
            "malformed-request",
        ),
    ],
    ids=["too many headers", "too large headers", "no HTTP", "headers behind the body"],
)
def test_what_cannot_be_read_gets_a_problem(url: str, sent: bytes, status: int, kind: str) -> None:
    with connect(url) as connection:
        connection.sendall(sent)
        answered, problem = answer_of(connection)
    assert (answered, problem["type"]) == (status, f"/problems/{kind}")
    assert problem["request_id"] not in {"", "forged"}


def test_headers_within_the_limits_are_read(url: str) -> None:
    headers = {f"X-{number}": "x" * 700 for number in range(80)}
    assert httpx2.post(f"{url}/score", json=BODY, headers=headers).status_code == 200


def test_headers_that_drip_are_cut_off_in_time(url: str) -> None:
    started = time.monotonic()
    with connect(url) as connection:
        for sign in START:
            connection.sendall(bytes([sign]))
            time.sleep(0.02)
        status, problem = answer_of(connection)
    assert (status, problem["type"]) == (408, "/problems/request-timeout")
    assert time.monotonic() - started < PATIENCE / 2


@pytest.mark.parametrize("sent", [b"", b"\r\n"], ids=["nothing", "a blank line"])
def test_idle_connections_are_closed(url: str, sent: bytes) -> None:
    with connect(url) as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""


@pytest.mark.parametrize(
    "sent",
    [b"", START, START + b"\r\n", CHUNKED, CHUNKED + b"10\r\n{"],
    ids=["nothing", "half of the headers", "a request", "no body", "half of a body"],
)
def test_half_open_connections_are_closed(url: str, sent: bytes) -> None:
    """The caller sends no more, and still holds its end."""
    with connect(url) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        began = time.monotonic()
        while connection.recv(65536):
            pass
    assert time.monotonic() - began < PATIENCE / 2


def test_a_connection_that_answers_stays_open(url: str) -> None:
    with connect(url) as connection:
        for _ in range(3):
            connection.sendall(START + b"\r\n")
            answer = b""
            while not answer.endswith(b"}"):  # head and body may come apart
                piece = connection.recv(65536)
                assert piece, answer
                answer += piece
            assert b" 200 " in answer
            time.sleep(1.0)


@pytest.mark.parametrize("sent", [MOST_WAITING + 1, 500])
def test_requests_sent_ahead_are_answered_and_too_many_are_told_to_come_back(url: str, sent: int) -> None:
    fits = sent <= MOST_WAITING + 1
    with connect(url) as connection:
        connection.sendall((START + b"\r\n") * sent)
        held = b""
        while held.count(b"HTTP/1.1 ") < (sent if fits else 1) or not held.endswith(b"}"):
            piece = connection.recv(65536)
            assert piece, held
            held += piece
    assert held.count(b"HTTP/1.1 200 ") == (sent if fits else 0)
    assert (b"ahead of their answers" in held) is not fits
    assert httpx2.get(f"{url}/healthz").status_code == 200


def test_idle_connections_give_way_to_new_ones(url: str) -> None:
    idle = [connect(url) for _ in range(60)]
    try:
        assert httpx2.post(f"{url}/score", json=BODY).status_code == 200
    finally:
        for connection in idle:
            connection.close()


def test_connections_beyond_the_cap_are_told_to_come_back() -> None:
    with running_service({"MAX_CONNECTIONS": "10", "WORKERS": "0"}) as url:
        busy = [connect(url) for _ in range(10)]
        for connection in busy:
            connection.sendall(CHUNKED)
        time.sleep(0.5)
        with connect(url) as connection:
            status, problem = answer_of(connection)
        assert (status, problem["retryable"]) == (503, True)
        for connection in busy:
            connection.close()
