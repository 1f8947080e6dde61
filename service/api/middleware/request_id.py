"""The request's id, its log line, and the last resort for defects: one pure ASGI middleware."""

import random
import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from ...errors import Internal
from ...telemetry.logging import bound_log
from ..problems import problem_response

_ACCEPTABLE = re.compile(rb"[A-Za-z0-9._\-]{1,128}")
LOG = "crs_eval.http"
_chance = random.Random()  # noqa: S311 - an id must be another one, not a secret


class RequestId:
    """Takes `X-Request-ID` or makes one, binds it and the trace's ids (`log_ids` of the request's state)
    to every log line, echoes it, logs one line a request (route template, status, duration; never path
    values or content), and answers a defect with a problem that tells nothing of its cause."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _taken_or_made(scope)
        state = scope.setdefault("state", {})
        state["request_id"], state["status"] = request_id, 0
        header = (b"x-request-id", request_id.encode())

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                message["headers"] = [*message["headers"], header]
            await send(message)

        started = time.perf_counter()
        # `bound_contextvars` reads all that is bound, twice: three times the cost.
        bound = bind_contextvars(request_id=request_id, **state.get("log_ids", {}))
        try:
            await self.app(scope, receive, send_with_id)
        except Exception as error:  # the outermost layer: a defect becomes a 500, and a log line
            bound_log(LOG).error("defect", exc_info=error)
            if state["status"]:
                raise  # the answer has begun: only cutting the connection tells the client
            detail = "The service has a defect. Its log has the cause under this request's id."
            await problem_response(Internal(detail), request_id)(scope, receive, send_with_id)
        finally:
            route = getattr(scope.get("route"), "path", None)
            bound_log(LOG).info(
                "request",
                method=scope["method"],
                route=route,
                status=state["status"],
                seconds=round(time.perf_counter() - started, 4),
            )
            reset_contextvars(**bound)


def _taken_or_made(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _ACCEPTABLE.fullmatch(value):
            return str(value.decode())
    return f"{_chance.getrandbits(64):016x}"
