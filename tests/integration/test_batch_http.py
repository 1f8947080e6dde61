"""`/batch` over real HTTP: both ways at once, bounded, and with callers that leave or stop reading."""

import asyncio
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
import uvicorn

from service.api.connection import ConnectionLimits, bounded_config
from service.app import create_app
from service.settings import Settings
from service.telemetry.logging import configure_logging
from tests.patience import PATIENCE, wait_for
from tools.service_process import ROOT

LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
HEADERS = {"Content-Type": "application/x-ndjson"}


def line(name: str, **more: object) -> bytes:
    body = {"log": LOG, **more}
    return json.dumps({"custom_id": name, "path": "/score/coherence", "body": body}).encode() + b"\n"


STRANGE = {f"{number}-{'unknown' * 70}": number for number in range(13)}
"""Fields that make a line's answer large without any judging: a problem for each."""


BATCH = b"POST /batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
LARGE = b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50000000\r\n\r\n"


def connect(url: str, receive_buffer: int | None = None, head: bytes = BATCH) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(PATIENCE)
    connection.connect((host, int(port)))
    connection.sendall(head)
    return connection


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def read_until(connection: socket.socket, needle: bytes) -> bytes:
    held = b""
    while needle not in held:
        data = connection.recv(65536)
        assert data, held[-300:]
        held += data
    return held


def test_results_come_while_lines_are_still_sent(url: str) -> None:
    with connect(url) as connection:
        for number in range(3):
            connection.sendall(chunk(line(f"log-{number}")))
            assert f'"custom_id":"log-{number}"'.encode() in read_until(connection, b"}\n")
        connection.sendall(b"0\r\n\r\n")
        assert read_until(connection, b"0\r\n\r\n")


def test_a_window_of_500_lines_may_be_sent_whole_before_it_is_read(url: str) -> None:
    lines = b"".join(line(f"log-{number}", **STRANGE) for number in range(500))
    head = (
        b"POST /batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\n"
        b"Content-Length: %d\r\n\r\n" % len(lines)
    )
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(head + lines)
        answer = b""
        while data := connection.recv(1 << 20):
            answer += data
    assert answer.count(b'"status":422,"body"') == 500
    assert len(answer) > 4_500_000, "as many bytes as twelve verdicts a line"


def test_a_caller_that_leaves_takes_its_lines_along(url: str) -> None:
    for _ in range(6):  # more than there are places for batches
        with connect(url) as connection:
            connection.sendall(chunk(b"".join(line(f"log-{number}") for number in range(10))))
            read_until(connection, b"}\n")
    after: dict[str, Any] = {"content": line("after"), "headers": HEADERS, "timeout": PATIENCE}
    wait_for(lambda: httpx2.post(f"{url}/batch", **after).status_code == 200)


@contextmanager
def serving_here(stall: float) -> Iterator[tuple[str, Counter[str]]]:
    """The service in a thread, with less patience for callers that do not read."""
    configure_logging("json", "error")
    app = create_app(Settings())
    counts: Counter[str] = app.state.counts
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(bounded_config(app, counts, ConnectionLimits(stall=stall)))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", counts
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_caller_that_does_not_read_is_cut_off_and_counted() -> None:
    with serving_here(stall=1.0) as (url, counts), connect(url, receive_buffer=4096) as connection:
        lines = chunk(b"".join(line(f"log-{number}", **STRANGE) for number in range(100)))
        connection.setblocking(False)
        deadline = time.monotonic() + PATIENCE
        number = 0
        while not counts["stalled_peers"] and time.monotonic() < deadline:
            try:
                sent = connection.send(lines)
                lines = lines[sent:] or chunk(line(f"more-{number}", **STRANGE))
                number += 1
            except BlockingIOError:
                time.sleep(0.05)
            except ConnectionError:
                break
        assert counts["stalled_peers"] == 1


def test_a_caller_that_reads_slowly_is_served() -> None:
    with serving_here(stall=1.0) as (url, counts), connect(url, receive_buffer=4096) as connection:
        connection.sendall(chunk(b"".join(line(f"log-{number}", **STRANGE) for number in range(60))))
        connection.sendall(b"0\r\n\r\n")
        answer = b""
        while not answer.endswith(b"0\r\n\r\n"):
            data = connection.recv(20_000)
            assert data, answer[-300:]
            answer += data
            time.sleep(0.05)
        assert answer.count(b'"status":422,"body"') == 60
        assert not counts["stalled_peers"]


def test_a_caller_that_is_refused_while_it_sends_reads_why() -> None:
    with serving_here(stall=30.0) as (url, _):
        for _ in range(3):
            with connect(url, head=LARGE) as connection:
                connection.sendall(b"x" * 50_000_000)
                answer = b""
                while data := connection.recv(65_536):
                    answer += data
                assert answer.startswith(b"HTTP/1.1 413 ")
                assert b"/problems/body-too-large" in answer


def send_on(connection: socket.socket) -> None:
    """Send a little now and then, until nobody takes it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        connection.sendall(b"x" * 100)
        time.sleep(0.01)


def test_a_caller_that_goes_on_sending_is_not_heard_out_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.api.connection.BODY_LINGER", 0.2)
    with (
        serving_here(stall=30.0) as (url, _),
        connect(url, head=LARGE) as connection,
        pytest.raises(ConnectionError),
    ):
        send_on(connection)
