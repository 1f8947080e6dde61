"""Limit on how long a thread that computes an answer goes on."""

import threading
import time

from ..errors import CallerGone, DeadlineExceeded


class Patience:
    """Ends the work of a thread at the deadline, or when nobody waits for it. `advice` says what to send instead."""

    def __init__(self, seconds: float, advice: str) -> None:
        self._deadline = time.monotonic() + seconds
        self._advice = advice
        self._ended = threading.Event()

    def end(self) -> None:
        """End the work: nobody waits any longer."""
        self._ended.set()

    def check(self) -> None:
        """Raise DeadlineExceeded when it is time, CallerGone when nobody waits."""
        if self._ended.is_set():
            raise CallerGone("The caller closed the connection.")
        if time.monotonic() > self._deadline:
            raise DeadlineExceeded(f"The answer was not ready in time. {self._advice}")
