"""How much is taken in at once: past that, callers are sent away before memory grows. Pure ASGI."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import DeadlineExceeded, Overloaded, RequestTimeout
from .access import is_open
from .deadline import Deadline, Expired

BATCHES = 4
"""Batches at once: each may hold some 30 MB of lines, results and names."""

BODIES = 4
"""The bodies in memory may together be as large as so many of the largest single one."""

RETRY_AFTER = 2.0
GRACE = 10.0
"""Seconds that a route may overrun its own deadline before it is cut off: judges answer with what they
have by then, and this is the guard behind them."""


@dataclass(slots=True)
class _Load:
    requests: int = 0
    batches: int = 0
    bytes: int = 0


class Admission:
    """Lets at most `requests` be worked on at a time, BATCHES batches beside them, and bodies of so many
    times `max_body` bytes; the others get 503 with Retry-After at once. A body has to arrive, and then an
    answer to be made, within `seconds` each. Probes and documents always pass. `counts` says what was turned away."""

    def __init__(
        self, app: ASGIApp, *, requests: int, max_body: int, seconds: float, counts: Counter[str]
    ) -> None:
        self.app = app
        self._most_requests = requests
        self._most_bytes = BODIES * max_body
        self._seconds = seconds
        self._counts = counts
        self._load = _Load()
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
        if self._load.batches >= BATCHES:
            raise self._full(f"{BATCHES} batches are being worked on")
        self._load.batches += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._load.batches -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._load.requests >= self._most_requests:
            raise self._full(f"{self._most_requests} requests are being worked on")
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
            taken += size
            self._load.bytes += size
            if self._load.bytes > self._most_bytes and self._load.bytes > taken:
                raise self._full("The bodies of other requests fill the memory set aside for them")
            return message

        self._load.requests += 1
        try:
            await self._within(self._answers, scope, counted, send)
        finally:
            self._load.requests -= 1
            self._load.bytes -= taken

    async def _within(self, deadline: Deadline, scope: Scope, receive: Receive, send: Send) -> None:
        """Cut off what overruns its own deadline by more than it may. Raises DeadlineExceeded."""
        try:
            await deadline.within(self.app(scope, receive, send))
        except Expired:
            self._counts["cut_off"] += 1
            raise DeadlineExceeded(f"No answer was made within {self._seconds:g} seconds.") from None

    def _full(self, why: str) -> Overloaded:
        """What a caller gets that is turned away; it is counted."""
        self._counts["shed"] += 1
        return Overloaded(f"{why}. Send the request again later.", retry_after=RETRY_AFTER)
