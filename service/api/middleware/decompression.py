"""Bodies that come as gzip: inflated in pieces while they are read. Pure ASGI."""

import asyncio
import zlib
from collections.abc import AsyncIterator

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import BodyTooLarge, MalformedBody, UnsupportedMediaType

PIECE = 64 * 1024
"""Bytes that are inflated at a time: what a body takes in memory does not depend on how well it was packed."""

CODINGS = frozenset({b"gzip", b"x-gzip"})
_GZIP = 16 + zlib.MAX_WBITS
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
