"""Bound the work taken in at once: callers beyond it are refused before memory grows. Pure ASGI."""

import asyncio
from collections import Counter
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.caller import CALLER
from ...errors import DeadlineExceeded, Overloaded, RequestTimeout
from .access import is_open
from .deadline import Deadline, Expired
from .fair_shares import Shares

BATCHES = 4
"""Batches at once: each may hold some 30 MB of lines, results and names."""

BODIES = 4
"""The bodies in memory may together be as large as so many of the largest single one."""

CALLS = 12
"""Calls of models that count as one request: those of an ordinary one, a call a factor of CoRE."""

RETRY_AFTER = 2.0
GRACE = 10.0
"""Seconds that a route may overrun its own deadline before it is cut off: judges answer with what they
have by then, and this is the guard behind them."""


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
        """Cut off what overruns its own deadline by more than it may. Raises DeadlineExceeded."""
        try:
            await deadline.within(self.app(scope, receive, send))
        except Expired:
            self._counts["cut_off"] += 1
            raise DeadlineExceeded(f"No answer was made within {self._seconds:g} seconds.") from None

    def _full(self, why: str) -> Overloaded:
        """Return what a caller gets that is turned away; it is counted."""
        self._counts["shed"] += 1
        return Overloaded(f"{why}. Send the request again later.", retry_after=RETRY_AFTER)
