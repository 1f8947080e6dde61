"""Answers as zstd or gzip for callers that take it, and HEAD for whatever answers GET. Pure ASGI."""

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
