"""Connections: how much a caller may send before its request is known, how long it may take, and how many
there are. What exceeds that is answered where an answer can still be written, closed, and counted."""

import asyncio
import re
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, cast

import structlog
from pydantic_core import to_json
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import CrsEvalError, HeadersTooLarge, MalformedRequest, Overloaded, RequestTimeout
from .problems import MEDIA_TYPE, problem

STALL = 30.0
"""Seconds in which a caller must take something of what is written to it."""

PIECE = 16 * 1024
"""Bytes that the parser is given at a time: a limit holds to within so many."""

MOST_WAITING = 16
"""Requests that one connection may send ahead of their answers."""

LINGER = 1.0
"""Seconds in which what a refused caller still sends is thrown away: closed at once, the connection would be
reset, and the caller would not see the answer."""

BODY_LINGER = 5.0
"""The same for a body that was refused before it was read: at its end the caller reads the answer."""

THROWN_AWAY = 1024 * 1024
"""Bytes of it, after which the connection is closed at once."""

RETRY_AFTER = 2.0
_ABSOLUTE = re.compile(rb"[a-z]{1,9}://([^/?#]*)", re.IGNORECASE)

log = structlog.get_logger("crs_eval.connection")


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The bounds on what a connection sends before its request is known: bytes of the request line and headers
    (trailers again as many), their number, and the seconds that they may take; how many connections there
    may be; and the seconds in which a caller must take something of what is written to it."""

    header_bytes: int = 64 * 1024
    headers: int = 100
    header_seconds: float = 10.0
    connections: int = 2000
    stall: float = STALL


class _Refused(Exception):  # noqa: N818 - raised through the parser, and taken back in `data_received`
    """A request that is not read on."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol, made to keep `limits`. Counts what the parser is given before it makes objects of it, and watches the write buffer while it
    is full: without that a caller that reads nothing, the task behind it and what it holds would stay."""

    counts: ClassVar[Counter[str]]
    limits: ClassVar[ConnectionLimits]
    _watch: asyncio.TimerHandle | None = None
    _unread = 0
    _clock: asyncio.TimerHandle | None = None
    _in_head = False
    _since = 0.0
    _ahead = 0
    """Bytes since the parser last made something of them."""
    _count = 0
    _refusal: CrsEvalError | None = None
    _last_words: CrsEvalError | None = None
    """The answer to the caller once the requests that came before the refused one are answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, _Lingering(transport, self._hear_out)))
        self._since = self.loop.time()
        if len(self.connections) > self.limits.connections and not self._make_room():
            self.counts["crowded_out"] += 1
            self._refuse(
                Overloaded(
                    f"{self.limits.connections} connections are open. Connect again later.",
                    retry_after=RETRY_AFTER,
                ),
                linger=0,
            )
        else:
            self._start_clock()

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            if self._refusal is not None:
                self._throw_away(len(data) - start)
                return
            if self.parser is None or self.transport.is_closing():
                return
            piece = data[start : start + PIECE] if len(data) > PIECE else data
            self._ahead += len(piece)
            super().data_received(piece)
            if self._ahead > self.limits.header_bytes and self._refusal is None:
                self._refuse_headers(f"exceed {self.limits.header_bytes} bytes")
        if self._refusal is None:
            self._watch_head()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own text
        """The answer to what the parser does not take: with the reason, where we had it stop."""
        error = self._refusal or MalformedRequest("The request is no HTTP that this service reads.")
        self._refusal = None
        self._refuse(error)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._count = True, 0
        if len(self.pipeline) >= MOST_WAITING:
            self._refusal = Overloaded(
                f"More than {MOST_WAITING} requests were sent ahead of their answers. Send what has no answer again.",
                retry_after=RETRY_AFTER,
            )
            raise _Refused

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count += 1
        if self._count > self.limits.headers:
            self.counts["large_headers"] += 1
            self._refusal = _too_large(f"are more than {self.limits.headers}")
            raise _Refused
        if self._in_head:  # what comes after the body is no header of the request
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._ahead, self._count = False, 0, 0
        if target := _ABSOLUTE.match(self.url):  # it counts, and not `Host` (RFC 9112, section 3.2.2)
            self.headers[:] = [header for header in self.headers if header[0] != b"host"]
            self.headers.append((b"host", target[1]))
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        self._ahead = 0

    def on_body(self, body: bytes) -> None:
        self._ahead = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._ahead = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self._refusal is None or self.pipeline:
            super().on_response_complete()
        elif self._last_words is not None and not self.transport.is_closing():
            self._say_last(self._last_words)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_again()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        self._stop_clock()
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        """Return whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _hear_out(self) -> bool:
        """Return whether a body is still being sent; if so, go on reading it."""
        sending = self.cycle is not None and self.cycle.more_body
        if sending:
            self.flow.resume_reading()
        return sending

    def _make_room(self) -> bool:
        """Close the connection that has been open longest without a request in work."""
        others = (other for other in self.connections if isinstance(other, BoundedProtocol))
        idle = [other for other in others if other is not self and other.is_idle]
        if not idle:
            return False
        oldest = min(idle, key=lambda other: other._since)
        self.counts["idle_peers"] += 1
        oldest.transport.abort()
        self.connections.discard(oldest)
        return True

    def _watch_head(self) -> None:
        """Let the time run while something has come, and no request's headers have ended."""
        waits = self._in_head or self.is_idle
        if waits and self._clock is None:
            self._start_clock()
        elif not waits:
            self._stop_clock()

    def _start_clock(self) -> None:
        self._clock = self.loop.call_later(self.limits.header_seconds, self._too_slow)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self) -> None:
        self._clock = None
        if self.pipeline:  # reading waits for the answers to what was sent before
            self._start_clock()
            return
        if not self._in_head:
            self.counts["idle_peers"] += 1
            self.transport.close()
            return
        self.counts["slow_headers"] += 1
        self._refuse(
            RequestTimeout(
                f"The headers did not arrive within {self.limits.header_seconds:g} seconds. Send them faster, or fewer."
            )
        )

    def _refuse_headers(self, how: str) -> None:
        self.counts["large_headers"] += 1
        self._refuse(_too_large(how))

    def _refuse(self, error: CrsEvalError, linger: float = LINGER) -> None:
        """Answer with a problem, after the requests before it, and close."""
        self._refusal = error
        self._stop_clock()
        if self.transport.is_closing():
            return
        log.info("refused", status=error.status, problem=error.slug)
        unanswered = self.cycle is not None and not self.cycle.response_complete
        if unanswered and self._in_head:  # the requests before it are answered first
            self._last_words = error
            return
        if unanswered and (self.cycle.response_started or self.pipeline):
            self.transport.abort()
            return
        if unanswered:  # of this very request: its trailers are too large
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._say_last(error, linger)

    def _say_last(self, error: CrsEvalError, linger: float = LINGER) -> None:
        self._last_words = None
        self.transport.write(_answer(error))
        self.loop.call_later(linger, self.transport.close)

    def _throw_away(self, size: int) -> None:
        self._ahead += size
        if self._ahead > THROWN_AWAY:
            self.transport.close()

    def _look_again(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._watch = self.loop.call_later(self.limits.stall, self._check)

    def _check(self) -> None:
        if self.transport.get_write_buffer_size() < self._unread:
            self._look_again()
            return
        self._watch = None
        self.counts["stalled_peers"] += 1
        log.warning("stalled_peer", seconds=self.limits.stall, unread=self._unread)
        self.transport.abort()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


class _Lingering:
    """A transport that closes in two steps where a body is still being sent: it ends what it writes, and for
    `BODY_LINGER` seconds throws away what comes. Closed over bytes that nobody read, a socket resets the
    connection, and many callers lose the answer (RFC 9112, section 9.6)."""

    def __init__(self, transport: asyncio.Transport, hear_out: Callable[[], bool]) -> None:
        self._transport = transport
        self._hear_out = hear_out
        self._end: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._end is not None or self._transport.is_closing()

    def close(self) -> None:
        if self._end is not None:
            self._end.cancel()
        if self.is_closing() or not self._transport.can_write_eof() or not self._hear_out():
            self._transport.close()
            return
        self._transport.write_eof()
        self._end = asyncio.get_running_loop().call_later(BODY_LINGER, self._transport.close)


def protocol_for(
    counts: Counter[str], limits: ConnectionLimits = ConnectionLimits()
) -> type[HttpToolsProtocol]:
    """The protocol of one server. `counts` is told how many callers were refused or cut off: `large_headers`,
    `slow_headers`, `idle_peers`, `crowded_out` and `stalled_peers`."""
    return type("Protocol", (BoundedProtocol,), {"counts": counts, "limits": limits})


def _too_large(how: str) -> HeadersTooLarge:
    return HeadersTooLarge(f"The headers {how}. Send what the conversation holds in the body.")


def _answer(error: CrsEvalError) -> bytes:
    """A whole response; the request has no id of its own yet."""
    request_id = uuid.uuid4().hex[:16]
    body = to_json(problem(error, request_id))
    headers = {
        "content-type": MEDIA_TYPE,
        "content-length": str(len(body)),
        "x-request-id": request_id,
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "connection": "close",
    }
    if error.retry_after is not None:
        headers["retry-after"] = f"{error.retry_after:.0f}"
    lines = b"".join(f"{name}: {value}\r\n".encode() for name, value in headers.items())
    status = f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n".encode()
    return status + lines + b"\r\n" + body
