"""Connections: how much a caller may send before its request is known, how long that may take, and how many connections there
are. What exceeds that is answered where an answer can still be written, closed, and counted."""

import asyncio
import uuid
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httptools
import structlog
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import CrsEvalError, HeadersTooLarge, MalformedRequest, Overloaded, RequestTimeout
from .problems import problem_response

PIECE = 16 * 1024
"""Bytes that are parsed at a time: a limit holds to within so many."""

MOST_WAITING = 16
"""Requests that one connection may send ahead of their answers."""

LINGER = 1.0
"""Seconds until a refused caller's connection is closed: closed at once, it would be reset, and the caller would not see the
answer."""

BODY_LINGER = 5.0
"""Seconds in which a caller may go on sending a body that was answered before its end: it reads the answer there."""

RETRY_AFTER = 2.0

log = structlog.get_logger("crs_eval.connection")


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds on a connection, in bytes and seconds. `connections` counts those at once; within `stall` a caller must take something
    of what is written to it."""

    header_bytes: int = 64 * 1024
    headers: int = 100
    header_seconds: float = 10.0
    connections: int = 2000
    stall: float = 30.0


def bounded_config(
    app: ASGIApp, counts: Counter[str], limits: ConnectionLimits = ConnectionLimits(), **options: Any
) -> uvicorn.Config:
    """Return uvicorn's configuration of a server whose connections keep `limits`; `options` are others of `uvicorn.Config`.
    `counts` gets the number of callers who were refused or cut off, by reason."""
    config = uvicorn.Config(
        _ReportAnswers(app), http="httptools", ws="none", access_log=False, log_config=None, **options
    )
    config.load()
    peers = _Peers(limits, counts)
    http: Any = config.http_protocol_class
    protocol: Any = lambda **given: BoundedConnection(http(**given), peers)  # noqa: E731 - in the place of a class
    config.http_protocol_class = protocol
    return config


@dataclass(frozen=True, slots=True)
class _Peers:
    """The connections of one server."""

    limits: ConnectionLimits
    counts: Counter[str]
    open: set["BoundedConnection"] = field(default_factory=set)

    def make_room(self) -> bool:
        """Close the connection that has been open longest without a request in work."""
        idle = [one for one in self.open if not one.unanswered]
        if not idle:
            return False
        oldest = min(idle, key=lambda one: one.since)
        self.counts["idle_peers"] += 1
        self.open.discard(oldest)
        oldest.abort()
        return True


class BoundedConnection(asyncio.Protocol):
    """Hands to uvicorn's protocol what keeps the limits. Parses what comes once more, since uvicorn collects headers without a
    bound. Watches the write buffer while it is full: without that a caller that reads nothing, the task behind it and what it
    holds would stay."""

    unanswered = 0
    since = 0.0
    _in_head = False
    _in_body = False
    _count = 0
    _ahead = 0
    """Bytes since the parser last made something of them."""
    _clock: asyncio.TimerHandle | None = None
    _watch: asyncio.TimerHandle | None = None
    _refusal: CrsEvalError | None = None

    def __init__(self, inner: asyncio.Protocol, peers: _Peers) -> None:
        self._inner = inner
        self._peers = peers
        self._limits = peers.limits
        self._parser = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._inner.connection_made(transport)
        self.since = self._loop.time()
        self._start_clock(self._limits.header_seconds)
        crowded = len(self._peers.open) >= self._limits.connections and not self._peers.make_room()
        self._peers.open.add(self)
        if crowded:
            self._peers.counts["crowded_out"] += 1
            detail = f"{self._limits.connections} connections are open. Connect again later."
            self._refuse(Overloaded(detail, retry_after=RETRY_AFTER), linger=0)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            if self._refusal is not None or self._transport.is_closing():
                return
            self._read(data[start : start + PIECE])

    def _read(self, piece: bytes) -> None:
        before = self.unanswered
        self._ahead += len(piece)
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            pass  # uvicorn answers without it
        except httptools.HttpParserError:
            self._refusal = self._refusal or MalformedRequest("The request is not valid HTTP.")
        if self._refusal is None and self._ahead > self._limits.header_bytes:
            self._refusal = self._too_large(f"exceed {self._limits.header_bytes} bytes")
        if self._refusal is not None:
            self.unanswered = before
            self._refuse(self._refusal)
            return
        token = _CONNECTION.set(self)
        self._inner.data_received(piece)
        _CONNECTION.reset(token)

    def on_message_begin(self) -> None:
        self._in_head, self._count = True, 0
        if self.unanswered > MOST_WAITING:
            detail = f"More than {MOST_WAITING} requests were sent ahead of their answers. Send what has no answer again."
            self._stop_parser(Overloaded(detail, retry_after=RETRY_AFTER))

    def on_header(self, name: bytes, value: bytes) -> None:  # noqa: ARG002 - as the parser calls it
        self._count += 1
        if not self._in_head:
            self._stop_parser(MalformedRequest("Headers stand behind the body. Send them before it."))
        if self._count > self._limits.headers:
            self._stop_parser(self._too_large(f"are more than {self._limits.headers}"))

    def on_headers_complete(self) -> None:
        self._in_head, self._in_body, self._ahead = False, True, 0
        self.unanswered += 1
        self._stop_clock()

    def on_chunk_header(self) -> None:
        self._ahead = 0

    def on_body(self, body: bytes) -> None:  # noqa: ARG002 - as the parser calls it
        self._ahead = 0

    def on_message_complete(self) -> None:
        self._in_body, self._ahead = False, 0
        if not self.unanswered:
            self._start_clock(self._limits.header_seconds)

    def answered(self) -> None:
        """Note that a request has its answer, or will get none."""
        self.unanswered -= 1
        if self.unanswered or self._transport.is_closing():
            return
        if self._refusal is not None:
            self._close_with(self._refusal, LINGER)
        else:
            self._start_clock(BODY_LINGER if self._in_body else self._limits.header_seconds)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()
        self._look_again()

    def resume_writing(self) -> None:
        self._inner.resume_writing()
        self._stop_watching()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        self._stop_clock()
        self._peers.open.discard(self)
        self._inner.connection_lost(exc)

    def abort(self) -> None:
        self._transport.abort()

    def _start_clock(self, seconds: float) -> None:
        self._stop_clock()
        self._clock = self._loop.call_later(seconds, self._too_slow)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self) -> None:
        if not self._in_head:
            self._peers.counts["idle_peers"] += 1
            self._transport.close()
            return
        self._peers.counts["slow_headers"] += 1
        seconds = f"{self._limits.header_seconds:g}"
        self._refuse(
            RequestTimeout(
                f"The headers did not arrive within {seconds} seconds. Send them faster, or fewer."
            )
        )

    def _stop_parser(self, error: CrsEvalError) -> None:
        self._refusal = error
        raise error

    def _too_large(self, how: str) -> HeadersTooLarge:
        self._peers.counts["large_headers"] += 1
        return HeadersTooLarge(f"The headers {how}. Send the conversation in the body.")

    def _refuse(self, error: CrsEvalError, linger: float = LINGER) -> None:
        """Answer with a problem, after the requests before it, and close. Close at once within a request that may be half
        answered."""
        self._refusal = error
        self._stop_clock()
        if self._transport.is_closing():
            return
        log.info("refused", status=error.status, problem=error.slug)
        self._transport.pause_reading()
        if not self.unanswered:
            self._close_with(error, linger)
        elif self._in_body:
            self.abort()

    def _close_with(self, error: CrsEvalError, linger: float) -> None:
        self._transport.write(_answer(error))
        self._loop.call_later(linger, self._transport.close)

    def _look_again(self) -> None:
        unread = self._transport.get_write_buffer_size()
        self._watch = self._loop.call_later(self._limits.stall, self._check, unread)

    def _check(self, unread: int) -> None:
        if self._transport.get_write_buffer_size() < unread:
            self._look_again()
            return
        self._watch = None
        self._peers.counts["stalled_peers"] += 1
        log.warning("stalled_peer", seconds=self._limits.stall, unread=unread)
        self.abort()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


_CONNECTION: ContextVar[BoundedConnection | None] = ContextVar("connection", default=None)


class _ReportAnswers:
    """Tells the connection of a request when it has its answer. uvicorn starts a request in the context of its connection."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = _CONNECTION.get()
        try:
            await self.app(scope, receive, send)
        finally:
            if connection is not None:
                connection.answered()


def _answer(error: CrsEvalError) -> bytes:
    """A whole response; the request has no id yet."""
    request_id = uuid.uuid4().hex[:16]
    response = problem_response(error, request_id)
    response.headers["X-Request-ID"] = request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Connection"] = "close"
    lines = b"".join(b"%b: %b\r\n" % header for header in response.raw_headers)
    status = f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n".encode()
    return b"%b%b\r\n%b" % (status, lines, bytes(response.body))
