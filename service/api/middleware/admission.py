"""Admission of work: bodies that come as gzip, inflated and counted; so much at once, and callers beyond it refused before memory grows;
room shared between keys; and the deadlines of bodies and answers. Pure ASGI."""

import asyncio
import zlib
from collections import Counter
from collections.abc import AsyncIterator

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.caller import CALLER
from ...errors import (
    BodyTooLarge,
    MalformedBody,
    Overloaded,
    RequestTimeout,
    UnsupportedMediaType,
)
from ...workers.delegation import out_of_time
from ..streams import EventStream, end_stream
from .access import is_open

GZIP = 16 + zlib.MAX_WBITS
"""The form of zlib that is gzip."""

PIECE = 64 * 1024
"""Bytes that are inflated at a time: what a body takes in memory does not depend on how well it was packed."""

CODINGS = frozenset({b"gzip", b"x-gzip"})
_OF_PACKED = frozenset({b"content-encoding", b"content-length"})


class Decompression:
    """Hands on what a body with `Content-Encoding: gzip` holds, so that every limit behind it counts the
    inflated bytes; `limit` bounds the bytes that arrive, where they are no batch. Raises UnsupportedMediaType for
    any other coding and for more than one; reading raises MalformedBody where the data is no whole gzip."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self.app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (codings := _codings(scope)):
            receive = self._opened(codings, scope, receive)
        await self.app(scope, receive, send)

    def _opened(self, codings: list[bytes], scope: Scope, receive: Receive) -> Receive:
        """Return what reads the body as it was before it was packed. The headers then name no coding and no length."""
        if len(codings) > 1 or codings[0] not in CODINGS:
            named = b", ".join(codings).decode("latin-1")[:80]
            raise UnsupportedMediaType(
                f"The body is encoded as {named!r}. Send it with Content-Encoding: gzip, or without any encoding."
            )
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name not in _OF_PACKED]
        pieces = _inflated(receive, None if scope["path"] == "/batch" else self._limit)

        async def receive_inflated() -> Message:
            piece = await anext(pieces, None)
            return await receive() if piece is None else piece

        return receive_inflated


def _codings(scope: Scope) -> list[bytes]:
    """The codings that a body went through, without those that change nothing."""
    named = [
        part.strip().lower()
        for name, value in scope["headers"]
        if name == b"content-encoding"
        for part in value.split(b",")
    ]
    return [coding for coding in named if coding not in (b"", b"identity")]


async def _inflated(receive: Receive, limit: int | None) -> AsyncIterator[Message]:
    """Inflate a body of one gzip stream after another (RFC 1952) into messages of at most `PIECE` bytes. Other requests get their
    turn in between."""
    stream = zlib.decompressobj(GZIP)
    arrived = 0
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            yield message
            return
        more = bool(message.get("more_body", False))
        data = message.get("body", b"")
        arrived += len(data)
        if limit is not None and arrived > limit:
            raise BodyTooLarge(f"The body exceeds {limit} bytes before it is inflated. Send less at a time.")
        for start in range(0, len(data), PIECE):
            waiting, behind = data[start : start + PIECE], False
            while waiting or behind:
                stream = zlib.decompressobj(GZIP) if stream.eof else stream
                try:
                    piece = stream.decompress(waiting, PIECE)
                except zlib.error:
                    raise MalformedBody(
                        "The body is declared as gzip, but its data is not gzip, or is damaged. Compress it again, or send it uncompressed."
                    ) from None
                waiting = stream.unused_data if stream.eof else stream.unconsumed_tail
                behind = len(piece) == PIECE and not stream.eof
                yield {"type": "http.request", "body": piece, "more_body": True}
                await asyncio.sleep(0)
    if not stream.eof:
        raise MalformedBody(
            "The gzip data ends too early. Send the whole of it, with Content-Encoding: gzip."
        )
    yield {"type": "http.request", "body": b"", "more_body": False}


BATCHES = 4
"""Batches at once: each may hold some 30 MB of lines, results and names."""

BODIES = 4
"""The bodies in memory may together be as large as so many of the largest single one."""

RETRY_AFTER = 2.0
GRACE = 1.0
"""Seconds that a route may overrun its own deadline before it is cut off: judges answer with what they
have by then, and this is the guard behind them."""


class FairShares:
    """Room for `most`. Where it is `shared`, a caller is let in only if what it then holds is no more than what was free:
    alone it gets half of the room, and the next caller finds some."""

    def __init__(self, most: int, *, shared: bool) -> None:
        self._most = most
        self._shared = shared
        self._held: Counter[str] = Counter()
        self.total = 0

    def fits(self, who: str, amount: int) -> bool:
        """Return whether a caller may take so much more."""
        if self.total + amount > self._most:
            return False
        if not self._shared:
            return True
        held = self._held[who]
        return held + amount <= self._most - self.total or not held

    def take(self, who: str, amount: int) -> None:
        """Count what a caller holds."""
        self._held[who] += amount
        self.total += amount

    def give_back(self, who: str, amount: int) -> None:
        """Count what a caller holds no more."""
        self._held[who] -= amount
        self.total -= amount
        if self._held[who] <= 0:
            del self._held[who]


class Admission:
    """Lets at most `requests` be worked on at a time, BATCHES batches beside them, and bodies of so many
    times `max_body` bytes; the others get 503 with Retry-After at once. A body has to arrive, and then an
    answer to be made, within `seconds` each. Probes and documents always pass. `counts` says what was turned away.

    Where they are `shared` between keys, none holds more than it leaves free for the others."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        requests: int,
        max_body: int,
        seconds: float,
        counts: Counter[str],
        shared: bool = False,
    ) -> None:
        self.app = app
        self._most_requests = requests
        self._seconds = seconds
        self._counts = counts
        self._requests = FairShares(requests, shared=shared)
        self._batches = FairShares(BATCHES, shared=shared)
        self._bytes = FairShares(BODIES * max_body, shared=shared)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = scope["type"] == "http" and "batch_line" in scope["state"]
        if scope["type"] != "http" or is_open(scope["path"]) or scope["path"] == "/metrics":
            await self.app(scope, receive, send)
        elif line:  # the batch was let in, and bounds its lines itself
            await self._within(self._seconds + GRACE, scope, receive, send)
        elif scope["path"] == "/batch":
            await self._batch(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _batch(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = CALLER.get()
        if not self._batches.fits(who, 1):
            raise self._full(f"{BATCHES} batches are being processed, or this key has used its share of them")
        self._batches.take(who, 1)
        try:
            await self.app(scope, receive, send)
        finally:
            self._batches.give_back(who, 1)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = CALLER.get()
        if not self._requests.fits(who, 1):
            raise self._full(
                f"{self._most_requests} requests are being processed, or this key has used its share of them"
            )
        taken = 0
        deadline = asyncio.get_running_loop().time() + self._seconds
        unread = True

        async def counted() -> Message:
            """The body, counted while it comes; its end ends the wait for it."""
            nonlocal taken, unread
            if not unread:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                self._counts["slow_bodies"] += 1
                raise RequestTimeout(
                    f"The body did not arrive within {self._seconds:g} seconds. Send it faster, or less of it."
                ) from None
            unread = bool(message.get("more_body", False))
            size = len(message.get("body", b""))
            fits = self._bytes.fits(who, size) or self._bytes.total == taken
            taken += size
            self._bytes.take(who, size)
            if not fits:
                raise self._full("The bodies of other requests fill the memory set aside for them")
            return message

        self._requests.take(who, 1)
        try:
            await self._within(2 * self._seconds + GRACE, scope, counted, send)
        finally:
            self._requests.give_back(who, 1)
            self._bytes.give_back(who, taken)

    async def _within(self, seconds: float, scope: Scope, receive: Receive, send: Send) -> None:
        """Cut off what overruns its own deadline by more than it may; a stream ends with the problem. Raises DeadlineExceeded."""
        try:
            async with asyncio.timeout(seconds) as limit:
                await self.app(scope, receive, send)
        except TimeoutError:
            if not limit.expired():
                raise
            self._counts["cut_off"] += 1
            error = out_of_time(self._seconds)
            stream: EventStream | None = scope["state"].get("stream")
            if stream is None:
                raise error from None
            await end_stream(stream.sent, scope, send, error)

    def _full(self, why: str) -> Overloaded:
        """Return what a caller gets that is turned away; it is counted."""
        self._counts["shed"] += 1
        return Overloaded(f"{why}. Send the request again later.", retry_after=RETRY_AFTER)
