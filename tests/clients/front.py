"""A server between a client and the service: it refuses first tries, answers as a later version would,
cuts batches short, and remembers what it was sent."""

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from tests.loopback_server import LoopbackServer, Quiet

GIVEN_UP = {"hour": (429, True, 3600), "final": (503, False, 0)}
"""Refusals that no client should wait out: status, `retryable`, seconds of Retry-After."""

HELD = 60.0
"""Seconds that an answer below `/slow` is held back, or until the test is over."""

BUSY = {"type": "/problems/overloaded", "title": "Busy", "status": 429, "detail": "later", "retryable": True}


@dataclass
class Front:
    """Settings of a test, and values that it reads afterwards. The first `refusals` tries of each path
    with the prefix `/busy` are refused; below `/later` answers carry fields that no client knows yet;
    below `/cut` the first try of a batch breaks off after one line. Below `/lost` the first try of anything gets no answer at
    all; below `/hour` and `/final` asking again is of no use; below `/passing` the first try meets a defect that says of itself
    that it passes; answers below `/slow` are held back, those below `/broken` break off; below `/page` a proxy answers with its own page."""

    service: str
    refusals: int = 1
    wait: int = 1
    url: str = ""
    tries: dict[str, list[float]] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    keys: dict[str, str] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, path: str, body: bytes, headers: Message) -> int:
        """Remember a request; the number of its try."""
        with self.lock:
            self.agents.add(headers.get("User-Agent", ""))
            self.keys[path] = headers.get("Authorization", "")
            if path.endswith("/batch"):
                self.batches.append(body.count(b"\n"))
            times = self.tries.setdefault(path, [])
            times.append(time.monotonic())
            return len(times)


class _Handler(Quiet, BaseHTTPRequestHandler):
    front: Front

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = self.front.note(self.path, body, self.headers)
        if self.path.startswith("/busy") and number <= self.front.refusals:
            self._send(429, json.dumps(BUSY).encode(), "application/problem+json", self.front.wait)
            return
        _, prefix, rest = self.path.split("/", 2)
        if prefix == "passing" and number == 1:
            defect = json.dumps({**BUSY, "status": 500, "request_id": "r", "errors": []})
            self._send(500, defect.encode(), "application/problem+json")
            return
        if prefix == "page":
            self._send(502, b"<html>Bad Gateway</html>", "text/html")
            return
        if prefix == "broken":
            self._send(200, b"{", "application/json", length=100)
            self.close_connection = True
            return
        if prefix == "slow":
            self.front.over.wait(HELD)
            return
        if prefix == "lost" and number == 1:
            self.close_connection = True
            return
        if prefix in GIVEN_UP:
            refused, retryable, wait = GIVEN_UP[prefix]
            problem = json.dumps(
                {**BUSY, "status": refused, "retryable": retryable, "request_id": "r", "errors": []}
            )
            self._send(refused, problem.encode(), "application/problem+json", wait)
            return
        status, kind, answer = self._ask_batch(body) if rest == "batch" else self._ask(f"/{rest}", body)
        if prefix == "cut" and number == 1:
            answer = answer.splitlines(keepends=True)[0]
        if prefix == "later" and status == 200:
            answer = json.dumps(_later(json.loads(answer))).encode()
        self._send(status, answer, kind)

    def _ask_batch(self, body: bytes) -> tuple[int, str, bytes]:
        """Ask for each different line once: a window has 500 of them, and clients cannot tell."""
        lines = [json.loads(line) for line in body.splitlines()]
        bodies = [json.dumps(line["body"]) for line in lines]
        first = dict(zip(bodies, lines, strict=True))
        status, kind, answer = self._ask("/batch", b"\n".join(json.dumps(x).encode() for x in first.values()))
        found = {result["custom_id"]: result for result in map(json.loads, answer.splitlines())}
        results = [
            {**found[first[text]["custom_id"]], "line": number, "custom_id": line["custom_id"]}
            for number, (text, line) in enumerate(zip(bodies, lines, strict=True), 1)
        ]
        return status, kind, b"".join(json.dumps(result).encode() + b"\n" for result in results)

    def _ask(self, path: str, body: bytes) -> tuple[int, str, bytes]:
        host = urlsplit(self.front.service).netloc
        connection = http.client.HTTPConnection(host, timeout=120)
        headers = {"Content-Type": self.headers["Content-Type"], "Accept": self.headers.get("Accept", "*/*")}
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers["Content-Type"], response.read()
        finally:
            connection.close()

    def _send(
        self, status: int, body: bytes, kind: str, wait: int | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(body)))
        if wait is not None:
            self.send_header("Retry-After", str(wait))
        with contextlib.suppress(OSError):  # who waited no longer is gone
            self.end_headers()
            self.wfile.write(body)


def _later(value: Any) -> Any:
    """The answer as a later version of the service could give it."""
    if isinstance(value, dict):
        known = {key: _later(inner) for key, inner in value.items()}
        # Objects whose keys are names, as `dimensions`, hold numbers alone.
        return (
            known
            if known and all(isinstance(v, int | float | None) for v in known.values())
            else {**known, "later": "x"}
        )
    return [_later(inner) for inner in value] if isinstance(value, list) else value


@contextmanager
def running_front(service: str) -> Iterator[Front]:
    """The front on a free port, until the end of `with`."""
    front = Front(service)
    handler = type("Handler", (_Handler,), {"front": front})
    with LoopbackServer(handler) as server:
        front.url = server.url
        try:
            yield front
        finally:
            front.over.set()
