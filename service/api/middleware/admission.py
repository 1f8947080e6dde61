"""Admission of work: bodies that come as gzip, inflated and counted; so much at once, and callers beyond it refused before memory grows;
room shared between keys; and one timer that holds all deadlines. Pure ASGI."""

import asyncio
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.caller import CALLER
from ...errors import (
    BodyTooLarge,
    DeadlineExceeded,
    MalformedBody,
    Overloaded,
    RequestTimeout,
    UnsupportedMediaType,
)
from ..streams import EventStream
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
        self._member = zlib.decompressobj(GZIP)
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
            self._member = zlib.decompressobj(GZIP)
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


BATCHES = 4
"""Batches at once: each may hold some 30 MB of lines, results and names."""

BODIES = 4
"""The bodies in memory may together be as large as so many of the largest single one."""

CALLS = 12
"""Calls of models that count as one request: those of an ordinary one, a call a factor of CoRE."""

RETRY_AFTER = 2.0
GRACE = 1.0
"""Seconds that a route may overrun its own deadline before it is cut off: judges answer with what they
have by then, and this is the guard behind them."""


T = TypeVar("T")


class Expired(Exception):  # noqa: N818 - it says what happened
    """Something took longer than it may."""


class Deadline:
    """Cuts off what takes longer than `seconds`, by one timer for all that is under way: asyncio's own
    timeouts set one each, which costs more than most of what they guard. A task is cancelled and its
    cancelling taken back as they do it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[_Guard, float] = {}  # all last equally long: the first to end comes first
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def within(self, work: Awaitable[T]) -> T:
        """The result of `work`, awaited here. Raises Expired, with `work` cancelled, where it takes too long."""
        loop = asyncio.get_running_loop()
        guard = _Guard(asyncio.current_task(loop))
        self._ends[guard] = loop.time() + self._seconds
        if self._timer is None or self._loop is not loop:
            self._loop = loop
            self._timer = loop.call_later(self._seconds, self._look)
        try:
            result = await work
        except asyncio.CancelledError:
            if self._settle(guard):
                raise Expired from None
            raise
        except BaseException:
            self._settle(guard)
            raise
        self._settle(guard)
        return result

    def _settle(self, guard: "_Guard") -> bool:
        """Return whether it was too late, and nobody else has cancelled the task since."""
        self._ends.pop(guard, None)
        return guard.late and guard.task.uncancel() <= guard.cancelled_before

    def _look(self) -> None:
        """End what is due; look again when the next one is."""
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._ends:
            guard, end = next(iter(self._ends.items()))
            if end > loop.time():
                self._timer = loop.call_at(end, self._look)
                return
            del self._ends[guard]
            guard.late = True
            guard.task.cancel()


class _Guard:
    __slots__ = ("cancelled_before", "late", "task")

    def __init__(self, task: asyncio.Task[Any] | None) -> None:
        assert task is not None, "only a task can be cut off"
        self.task = task
        self.cancelled_before = task.cancelling()
        self.late = False


class Shares:
    """Room for `most`. Where it is `shared`, a caller is let in only if what it then holds is no more than what was free:
    alone it gets half of the room, and the next caller finds some. `cost` says what else a caller's load is, in the
    same measure; the larger of both counts."""

    def __init__(self, most: int, *, shared: bool, cost: Callable[[str], float] = lambda _: 0.0) -> None:
        self._most = most
        self._shared = shared
        self._cost = cost
        self._held: Counter[str] = Counter()
        self.total = 0

    def fits(self, who: str, amount: int) -> bool:
        """Return whether a caller may take so much more."""
        if self.total + amount > self._most:
            return False
        if not self._shared:
            return True
        free = self._most - sum(self._load(other) for other in self._held)
        return self._load(who) + amount <= free or not self._load(who)

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

    def _load(self, who: str) -> float:
        return max(self._held[who], self._cost(who))


class Admission:
    """Lets at most `requests` be worked on at a time, BATCHES batches beside them, and bodies of so many
    times `max_body` bytes; the others get 503 with Retry-After at once. A body has to arrive, and then an
    answer to be made, within `seconds` each. Probes and documents always pass. `counts` says what was turned away.

    Where they are `shared` between keys, none holds more than it leaves free for the others; a key's requests then
    count by the calls of models that they wait for (`calls_of`)."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        requests: int,
        max_body: int,
        seconds: float,
        counts: Counter[str],
        shared: bool = False,
        calls_of: Callable[[str], int] = lambda _: 0,
    ) -> None:
        self.app = app
        self._most_requests = requests
        self._seconds = seconds
        self._counts = counts
        self._requests = Shares(requests, shared=shared, cost=lambda who: calls_of(who) / CALLS)
        self._batches = Shares(BATCHES, shared=shared)
        self._bytes = Shares(BODIES * max_body, shared=shared)
        self._bodies = Deadline(seconds)
        self._lines = Deadline(seconds + GRACE)
        self._answers = Deadline(2 * seconds + GRACE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = scope["type"] == "http" and "batch_line" in scope["state"]
        if scope["type"] != "http" or is_open(scope["path"]) or scope["path"] == "/metrics":
            await self.app(scope, receive, send)
        elif line:  # the batch was let in, and bounds its lines itself
            await self._within(self._lines, scope, receive, send)
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
        unread = first = True

        async def counted() -> Message:
            """The body, counted while it comes; its end ends the wait for it."""
            nonlocal taken, unread, first
            if not unread:
                return await receive()
            try:
                if first:  # and nearly always the last
                    first = False
                    message = await self._bodies.within(receive())
                else:
                    async with asyncio.timeout_at(deadline):
                        message = await receive()
            except (TimeoutError, Expired):
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
            await self._within(self._answers, scope, counted, send)
        finally:
            self._requests.give_back(who, 1)
            self._bytes.give_back(who, taken)

    async def _within(self, deadline: Deadline, scope: Scope, receive: Receive, send: Send) -> None:
        """Cut off what overruns its own deadline by more than it may; a stream ends with the problem. Raises DeadlineExceeded."""
        try:
            await deadline.within(self.app(scope, receive, send))
        except Expired:
            self._counts["cut_off"] += 1
            error = DeadlineExceeded(f"No answer was made within {self._seconds:g} seconds.")
            stream: EventStream | None = scope["state"].get("stream")
            if stream is None:
                raise error from None
            await stream.end(scope, send, error)

    def _full(self, why: str) -> Overloaded:
        """Return what a caller gets that is turned away; it is counted."""
        self._counts["shed"] += 1
        return Overloaded(f"{why}. Send the request again later.", retry_after=RETRY_AFTER)
