"""A circuit breaker: after a few failures in a row, ask no more until a probe succeeds."""

import time
from collections.abc import Callable

FAILURES_TO_OPEN = 3
PAUSE = 1.0
LONGEST_PAUSE = 5.0


class Breaker:
    """Closed, it lets everyone through. `FAILURES_TO_OPEN` failures in a row open it for a pause
    that doubles up to `LONGEST_PAUSE` seconds; then one caller at a time may probe. A probe that
    succeeds closes it, one that fails opens it again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._pause = PAUSE
        self._retry_at = 0.0
        self._probing = False

    @property
    def closed(self) -> bool:
        return self._failures < FAILURES_TO_OPEN

    def allows(self) -> bool:
        """Return whether to ask. When open, True makes the caller the probe: it must report back."""
        if self.closed:
            return True
        if self._probing or self._clock() < self._retry_at:
            return False
        self._probing = True
        return True

    def succeeded(self) -> bool:
        """Report an answer; whether that ended an outage."""
        ended = not self.closed
        self._failures, self._pause, self._probing = 0, PAUSE, False
        return ended

    def failed(self) -> bool:
        """Report a failure; whether that began an outage."""
        was_closed = self.closed
        self._failures += 1
        if self.closed:
            return False
        if self._probing:
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        if was_closed or self._probing:
            self._retry_at = self._clock() + self._pause
        self._probing = False
        return was_closed

    def abandoned(self) -> None:
        """Report that the caller went away before it knew."""
        self._probing = False
