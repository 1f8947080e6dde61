"""Bodies that come as gzip, answers as zstd or gzip for callers that take them, and HEAD for whatever answers GET. Pure ASGI."""

import asyncio
import re
import sys
import zlib
from enum import StrEnum

from starlette.types import ASGIApp, Message, Receive, Scope, Send

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd
from collections.abc import AsyncIterator

from ...errors import BodyTooLarge, MalformedBody, UnsupportedMediaType

SMALLEST = 1024
"""Bytes from which on an answer is compressed: a smaller one fits a packet or two as it is."""

LARGE = 256 * 1024
"""Bytes from which on a thread compresses, so that nobody waits meanwhile."""

LEVEL = 1
"""An answer of /score shrinks to a quarter at this level; level 6 takes nearly twice the time for a tenth more."""

_GZIP = 16 + zlib.MAX_WBITS
_WEIGHT = re.compile(rb"\s*(?:q\s*=\s*([01](?:\.\d{0,3})?)\s*)?")
_COMPRESSIBLE = re.compile(
    rb"text/(?!event-stream)[\w.+-]+|application/(json|javascript|[\w.+-]+\+json)|image/svg\+xml"
)
_Headers = list[tuple[bytes, bytes]]


class Coding(StrEnum):
    """A content coding (RFC 9110, RFC 8878), the best one first."""

    ZSTD = "zstd"
    GZIP = "gzip"


class Compression:
    """Compresses answers of `SMALLEST` bytes or more whose type shrinks, where the caller accepts it, and says by
    `Vary` that others get them as they are. Streams of events or lines, which have no length, go through untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        coding = accepted_coding(scope)
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _shrinks(message["headers"]):
                start = {**message, "headers": [*message["headers"], (b"vary", b"Accept-Encoding")]}
                if coding is None:
                    await send(start)
                    start = None
                return
            if start is not None and coding is not None:
                begun, start = start, None
                if not message.get("more_body"):
                    body = await _compressed_beside(message.get("body", b""), coding)
                    begun, message = _packed(begun, len(body), coding), {**message, "body": body}
                await send(begun)
            await send(message)

        await self.app(scope, receive, send_compressed)


class Heads:
    """Answers HEAD with what GET would answer, without its body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        asked = {**scope, "method": "GET"}
        try:
            await self.app(asked, receive, send_head)
        finally:
            if "route" in asked:  # for the log and the measurements
                scope["route"] = asked["route"]


def accepted_coding(scope: Scope) -> Coding | None:
    """Return the coding that a request takes an answer in (RFC 9110, 12.5.3): the one of the greatest weight, zstd
    among equals. `*` alone means gzip, which everybody reads."""
    weights = _weights(scope)
    named = {coding: weights[coding.encode()] for coding in Coding if coding.encode() in weights}
    best = max(named, key=lambda coding: named[coding], default=None)
    if best is not None and named[best] > 0:
        return best
    return Coding.GZIP if Coding.GZIP not in named and weights.get(b"*", 0) > 0 else None


def _weights(scope: Scope) -> dict[bytes, float]:
    """The weights of the codings that `Accept-Encoding` names; one that cannot be read counts as none."""
    found: dict[bytes, float] = {}
    for name, value in scope["headers"]:
        if name != b"accept-encoding":
            continue
        for part in value.lower().split(b","):
            coding, _, weight = part.partition(b";")
            coding = b"gzip" if coding.strip() == b"x-gzip" else coding.strip()
            read = _WEIGHT.fullmatch(weight)
            found[coding] = 0.0 if read is None else float(read[1] or 1)
    return found


def compressed(body: bytes, coding: Coding = Coding.GZIP, level: int = LEVEL) -> bytes:
    """The body in a coding: the same bytes for the same body."""
    if coding is Coding.ZSTD:
        return zstd.compress(body, level)
    packer = zlib.compressobj(level, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()


async def _compressed_beside(body: bytes, coding: Coding) -> bytes:
    if len(body) < LARGE:
        return compressed(body, coding)
    return await asyncio.to_thread(compressed, body, coding)


def _shrinks(headers: _Headers) -> bool:
    """Return whether an answer is worth compressing, and whoever made it has not decided about that."""
    length = media = b""
    for name, value in headers:
        if name == b"content-encoding" or (name == b"vary" and value == b"Accept-Encoding"):
            return False
        if name == b"content-length":
            length = value
        elif name == b"content-type":
            media = value
    return length.isdigit() and int(length) >= SMALLEST and _COMPRESSIBLE.match(media) is not None


def _packed(start: Message, size: int, coding: Coding) -> Message:
    headers: _Headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    headers += [(b"content-length", b"%d" % size), (b"content-encoding", coding.encode())]
    return {**start, "headers": headers}


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
    """The body's messages, each of at most `PIECE` bytes. Pieces of one message give way to other requests in between."""
    stream = _Gzip()
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
            stream.feed(data[start : start + PIECE])
            while stream.holds_more:
                yield {"type": "http.request", "body": stream.piece(), "more_body": True}
                await asyncio.sleep(0)
    if not stream.whole:
        raise MalformedBody(
            "The gzip data ends too early. Send the whole of it, with Content-Encoding: gzip."
        )
    yield {"type": "http.request", "body": b"", "more_body": False}


class _Gzip:
    """One gzip stream after another, as RFC 1952 allows, inflated piece by piece."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._waiting = b""
        self.holds_more = False

    @property
    def whole(self) -> bool:
        """Return whether the data so far ends where a stream ends."""
        return self._member.eof

    def feed(self, data: bytes) -> None:
        """Take what arrived."""
        self._waiting += data
        self.holds_more = True

    def piece(self) -> bytes:
        """Inflate the next bytes. Raises MalformedBody where they are no gzip."""
        if self._member.eof:
            self._member = zlib.decompressobj(_GZIP)
        try:
            piece = self._member.decompress(self._waiting, PIECE)
        except zlib.error:
            raise MalformedBody(
                "The body is declared as gzip, but its data is not gzip, or is damaged. Compress it again, or send it uncompressed."
            ) from None
        self._waiting = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
        # A full piece may leave output behind although all of the input was taken.
        self.holds_more = bool(self._waiting) or (len(piece) == PIECE and not self._member.eof)
        return piece
