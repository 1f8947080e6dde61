"""Parts of many answers: comparison keys, work that a thread does, and the error of a request all of whose judges failed."""

import hashlib
import json
import threading
import time
from collections.abc import Mapping, Sequence

from ..errors import CallerGone, DeadlineExceeded, Overloaded, UpstreamFailed, UpstreamRefused
from ..llm.failures import BUDGET_CODES, CONFIGURATION_CODES, TIMEOUT_CODES, UPSTREAM_CODES


def digest(*parts: object) -> str:
    """A comparison key: 16 hex digits over everything that decides an answer beside what it is about."""
    canonical = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


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


def raise_upstream_failed(
    codes: Sequence[str],
    detail: str,
    *,
    retry_after: float | None = None,
    partial: Mapping[str, object] | None = None,
) -> None:
    """Raise the error of a request all of whose judges failed with these codes. Overloaded says that the operator's budget for
    the upstream is spent, DeadlineExceeded that time ran out. UpstreamRefused says that a retry would fail too (the key, the
    model, the parameters). Else it is UpstreamFailed. A code of another kind is no error of the request."""
    if not codes or not UPSTREAM_CODES.issuperset(codes):
        return
    if TIMEOUT_CODES.issuperset(codes):
        raise DeadlineExceeded(f"No judge answered in time: {detail}", partial=partial)
    if CONFIGURATION_CODES.issuperset(codes):
        raise UpstreamRefused(f"The judge's upstream does not serve us: {detail}", partial=partial)
    if BUDGET_CODES.issuperset(codes):
        raise Overloaded(f"No judge could be asked: {detail}", partial=partial, retry_after=retry_after)
    raise UpstreamFailed(f"No judge could be reached: {detail}", partial=partial, retry_after=retry_after)
