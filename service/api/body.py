"""Bodies: measured in their raw bytes before any part is made into an object, read within the limits, and parsed once. Every
fault is named by its place and its fix."""

import asyncio
import re
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from ..errors import BodyTooLarge, CallerGone, UnsupportedMediaType
from ..usecases.parsing import Limits, Model, parse


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body. Raises UnsupportedMediaType unless declared as JSON, BodyTooLarge past
    `limit` bytes, which a declared length decides before anything is read, CallerGone where it breaks off."""
    media = media_type(request, "JSON with Content-Type: application/json")
    if media != "application/json" and not re.fullmatch(r"application/[\w.+-]+\+json", media):
        raise UnsupportedMediaType(
            f"The body is declared as {media!r}. Send JSON with Content-Type: application/json."
        )
    return await read_whole(request, limit)


async def read(request: Request, model: type[Model], limits: Limits) -> Model:
    """The body as a `model`. Raises as `read_body` and `parse` do."""
    return parse(model, await read_body(request, limits.body), limits.depth)


async def read_whole(request: Request, limit: int) -> bytes:
    """The whole body, of any type. Raises BodyTooLarge past `limit` bytes, CallerGone where it breaks off."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            if chunk:
                chunks.append(chunk)
    except ClientDisconnect:
        raise CallerGone("The caller left while it sent the body.") from None
    return b"".join(chunks)


def media_type(request: Request, expected: str) -> str:
    """The media type that a body is declared as. Raises UnsupportedMediaType where none is: a page of another
    origin can send a body without a type and need not ask."""
    declared = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if not declared:
        raise UnsupportedMediaType(f"The body has no Content-Type. Send {expected}.")
    return declared


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(
        f"The body exceeds {limit} bytes. Send fewer or shorter messages, or have the operator raise CRS_EVAL_MAX_BODY."
    )


T = TypeVar("T")


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`; CallerGone, with `work` cancelled, if the caller leaves first. The
    body must have been read before."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(until_gone(receive))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise CallerGone("The caller closed the connection.")
    finally:
        for pending in (task, gone):
            pending.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def read_ahead(receive: Receive, most: int | None = None) -> tuple[list[Message], Receive]:
    """Read the messages of a body, at most as many as hold `most` bytes and one more. Returns them, and what receives them and
    what comes after them."""
    messages = [await receive()]
    size = len(messages[0].get("body", b""))
    while messages[-1].get("more_body") and (most is None or size <= most):
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
    replay = iter(messages)

    async def again() -> Message:
        return next(replay, None) or await receive()

    return messages, again


async def until_gone(receive: Receive) -> None:
    """Wait until the caller leaves. The body must have been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
