"""Server-sent events: framing, heartbeats, a clean end for callers that leave."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import structlog
from fastapi import Request
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..errors import CallerGone, CrsEvalError, Internal
from ..usecases.wire.problem import problem
from .body import unless_gone
from .ndjson import one_line
from .problems import request_id_of

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = 15.0
log = structlog.get_logger("crs_eval.stream")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event: its name, and the value that becomes its JSON data."""

    name: str
    data: object


def wants_stream(request: Request) -> bool:
    """Return whether the caller asks for events rather than one JSON document."""
    return any(MEDIA_TYPE in part for part in request.headers.getlist("accept"))


class EventStream(Response):
    """Sends events as they come, numbered from 1; a comment every 15 s keeps proxies awake. An
    error ends the stream with an `error` event that carries the problem. No resume: `id` only
    tells a reader what it missed."""

    media_type = MEDIA_TYPE

    def __init__(self, events: AsyncGenerator[ServerSentEvent, None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self.sent = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["stream"] = self
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        with contextlib.suppress(CallerGone):
            await unless_gone(receive, self._send_all(send, request_id_of(scope)))

    async def _send_all(self, send: Send, request_id: str) -> None:
        async with contextlib.aclosing(
            _with_heartbeats(_ending_in_problem(self._events, request_id))
        ) as events:
            async for event in events:
                if event is None:
                    frame = b": still working\n\n"
                else:
                    self.sent += 1
                    frame = framed(self.sent, event)
                await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def end_stream(sent: int, scope: Scope, send: Send, error: CrsEvalError) -> None:
    """End a stream after so many events with an `error` event: a connection that breaks tells nothing."""
    last = framed(sent + 1, ServerSentEvent("error", problem(error, request_id_of(scope))))
    await send({"type": "http.response.body", "body": last, "more_body": False})


def framed(number: int, event: ServerSentEvent) -> bytes:
    """Return an event as it is sent."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, event.name.encode(), one_line(to_json(event.data)))


async def _ending_in_problem(
    events: AsyncGenerator[ServerSentEvent, None], request_id: str
) -> AsyncGenerator[ServerSentEvent, None]:
    try:
        async with contextlib.aclosing(events):
            async for event in events:
                yield event
    except CrsEvalError as error:
        yield ServerSentEvent("error", problem(error, request_id))
    except Exception as error:  # the status is sent: the event is the only way left to tell
        log.error("defect", exc_info=error)  # noqa: TRY400
        yield ServerSentEvent(
            "error", problem(Internal("The service has a defect. Its log has the cause."), request_id)
        )


async def _with_heartbeats(
    events: AsyncGenerator[ServerSentEvent, None],
) -> AsyncGenerator[ServerSentEvent | None, None]:
    """The events, and None whenever 15 s pass without one."""
    while True:
        step = asyncio.ensure_future(anext(events, None))
        try:
            while not (await asyncio.wait((step,), timeout=HEARTBEAT))[0]:
                yield None
        finally:
            if not step.done():
                step.cancel()
                await asyncio.gather(step, return_exceptions=True)
        event = step.result()
        if event is None:
            return
        yield event
