"""The rule of retries: which answers are asked for again, and after how long."""

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

from .problems import CrsEvalError

PASSING = frozenset({429, 502, 503, 504})
"""Statuses of troubles that pass. Every route may be asked again: none changes anything."""

LOST = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.TimeoutException)
"""Errors of connections."""


@dataclass(frozen=True)
class Retries:
    """At most `attempts` in all, `connections` of them where nothing takes the connection (under 3 s); a
    `Retry-After` over `longest` seconds is not waited for. What a problem says of itself (`retryable`) counts."""

    attempts: int = 6
    connections: int = 3
    longest: float = 60.0

    def wait(self, attempt: int, error: CrsEvalError, headers: httpx.Headers) -> float | None:
        """Seconds to wait after the failed attempt with this number; None to give up."""
        if not (error.status in PASSING if error.retryable is None else error.retryable):
            return None
        asked = retry_after(headers.get("Retry-After"))
        if attempt >= self.attempts or (asked is not None and asked > self.longest):
            return None
        return asked if asked is not None else backoff(attempt)

    def wait_for_connection(self, attempt: int, lost: Exception) -> float | None:
        """The same after a connection that was lost or refused. One that timed out would take as long again."""
        if isinstance(lost, httpx.TimeoutException):
            return None
        refused = isinstance(lost, httpx.ConnectError)
        most = min(self.attempts, self.connections) if refused else self.attempts
        return backoff(attempt) if attempt < most else None


def backoff(attempt: int) -> float:
    """Half a second, doubled with each attempt up to 8 s, and spread so that callers do not march in step."""
    return min(8.0, 0.5 * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def retry_after(value: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which may be a number or a date; None where it is neither."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
