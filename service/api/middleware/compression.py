"""Answers as gzip for callers that take it, and HEAD for whatever answers GET. Pure ASGI."""

import asyncio
import re
import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALLEST = 1024
"""Bytes from which on an answer is compressed: a smaller one fits a packet or two as it is."""

LARGE = 256 * 1024
"""Bytes from which on a thread compresses, so that nobody waits meanwhile."""

LEVEL = 1
"""An answer of /score shrinks to a quarter at this level; level 6 takes nearly twice the time for a tenth more."""

_GZIP = 16 + zlib.MAX_WBITS
_COMPRESSIBLE = re.compile(
    rb"text/(?!event-stream)[\w.+-]+|application/(json|javascript|[\w.+-]+\+json)|image/svg\+xml"
)
_Headers = list[tuple[bytes, bytes]]


class Compression:
    """Compresses answers of `SMALLEST` bytes or more whose type shrinks, where the caller accepts gzip, and says by
    `Vary` that others get them as they are. Streams of events or lines, which have no length, go through untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        accepted = accepts_gzip(scope)
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _shrinks(message["headers"]):
                start = {**message, "headers": [*message["headers"], (b"vary", b"Accept-Encoding")]}
                if not accepted:
                    await send(start)
                    start = None
                return
            if start is not None:
                begun, start = start, None
                if not message.get("more_body"):
                    body = await _compressed_beside(message.get("body", b""))
                    begun, message = _packed(begun, len(body)), {**message, "body": body}
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


def accepts_gzip(scope: Scope) -> bool:
    """Return whether a request takes an answer as gzip (RFC 9110, 12.5.3)."""
    wildcard = False
    for name, value in scope["headers"]:
        if name != b"accept-encoding":
            continue
        for part in value.lower().split(b","):
            coding, _, weight = part.partition(b";")
            wanted = not re.fullmatch(rb"\s*q\s*=\s*0(\.0*)?\s*", weight)
            if coding.strip() in (b"gzip", b"x-gzip"):
                return wanted
            wildcard = wildcard or (coding.strip() == b"*" and wanted)
    return wildcard


def compressed(body: bytes, level: int = LEVEL) -> bytes:
    """The body as gzip: the same bytes for the same body."""
    packer = zlib.compressobj(level, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()


async def _compressed_beside(body: bytes) -> bytes:
    return compressed(body) if len(body) < LARGE else await asyncio.to_thread(compressed, body)


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


def _packed(start: Message, size: int) -> Message:
    headers: _Headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    headers += [(b"content-length", b"%d" % size), (b"content-encoding", b"gzip")]
    return {**start, "headers": headers}
