"""Answers of routes: JSON, its cache status, work that a thread does, and answers of an application in this process."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from fastapi import Request
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import Message, Scope

from ..usecases.answers import Patience
from ..usecases.deployment import Deployment
from .body import unless_gone

Body = TypeVar("Body")
Result = TypeVar("Result")
_KEPT = ("asgi", "http_version", "scheme", "server", "client", "root_path")


def json_response(answer: object, headers: Mapping[str, str] | None = None) -> Response:
    """The answer as JSON."""
    return Response(to_json(answer), headers=headers, media_type="application/json")


def hit_rate(hits: int, asked: int) -> dict[str, str]:
    """The Cache-Status header (RFC 9211) of answers to `asked` prompts; none without any."""
    if not asked:
        return {}
    state = "hit" if hits == asked else f'fwd=miss; detail="hits={hits}/{asked}"'
    return {"Cache-Status": f"crs-eval; {state}"}


async def in_thread(
    request: Request,
    work: Callable[[Body, Deployment, Patience], Result],
    body: Body,
    deployment: Deployment,
    advice: str,
) -> Result:
    """Compute `work` in a thread: seconds of arithmetic must not hold up other requests. It calls `check` of the `Patience` that
    it gets between its steps. Raises as `Patience` does."""
    patience = Patience(deployment.limits.seconds, advice)
    try:
        return await unless_gone(request.receive, asyncio.to_thread(work, body, deployment, patience))
    finally:
        patience.end()


async def answer_of(
    outer: Scope, path: str, body: bytes, state: Mapping[str, Any]
) -> tuple[int, bytes, bytes]:
    """Post JSON to a path of the application that answers `outer`; return status, media type and body of the answer. Nobody leaves:
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
        **{name: outer[name] for name in _KEPT if name in outer},
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), (b"x-request-id", state["request_id"].encode())],
        "state": dict(state),
    }
    await outer["app"](scope, receive, send)
    return status, media, b"".join(parts)
