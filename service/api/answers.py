"""Answers of routes: JSON, its cache status, work that a thread does, and the error of a request all of whose judges failed."""

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from fastapi import Request
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import ASGIApp, Message

from ..errors import CallerGone, DeadlineExceeded, Overloaded, UpstreamFailed, UpstreamRefused
from ..llm.failures import BUDGET_CODES, CONFIGURATION_CODES, TIMEOUT_CODES, UPSTREAM_CODES
from .body import unless_gone

Result = TypeVar("Result")


def json_response(answer: object, headers: Mapping[str, str] | None = None) -> Response:
    """The answer as JSON."""
    return Response(to_json(answer), headers=headers, media_type="application/json")


def digest(*parts: object) -> str:
    """A comparison key: 16 hex digits over everything that decides an answer beside what it is about."""
    canonical = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def hit_rate(hits: int, asked: int) -> dict[str, str]:
    """The Cache-Status header (RFC 9211) of answers to `asked` prompts; none without any."""
    if not asked:
        return {}
    state = "hit" if hits == asked else f'fwd=miss; detail="hits={hits}/{asked}"'
    return {"Cache-Status": f"crs-eval; {state}"}


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


async def in_thread(
    request: Request, work: Callable[[Patience], Result], seconds: float, advice: str
) -> Result:
    """Compute `work` in a thread: seconds of arithmetic must not hold up other requests. It calls `check` of the `Patience` that
    it gets between its steps. Raises as `Patience` does."""
    patience = Patience(seconds, advice)
    try:
        return await unless_gone(request.receive, asyncio.to_thread(work, patience))
    finally:
        patience.end()


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


async def answer_of(
    app: ASGIApp, path: str, body: bytes, request_id: str, state: Mapping[str, Any], **connection: Any
) -> tuple[int, bytes, bytes]:
    """Post JSON to a path of an application in this process; return status, media type and body of the answer. Nobody leaves:
    the task that asks is cancelled instead."""
    status, media = 500, b""
    parts: list[bytes] = []
    unread = True

    async def receive() -> Message:
        nonlocal unread
        if not unread:
            await asyncio.get_running_loop().create_future()
        unread = False
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, media
        if message["type"] == "http.response.start":
            status = message["status"]
            media = next((value for name, value in message["headers"] if name == b"content-type"), b"")
        else:
            parts.append(message.get("body", b""))

    scope = {
        **connection,
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), (b"x-request-id", request_id.encode())],
        "state": dict(state),
    }
    await app(scope, receive, send)
    return status, media, b"".join(parts)
