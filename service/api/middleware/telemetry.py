"""The id, the log line, the span and the measurement of every request; problems for the errors of other middleware, and the last resort
for defects. Pure ASGI."""

import random
import re
import time

from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import (
    Span,
    SpanKind,
    Status,
    StatusCode,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from ...errors import CrsEvalError, Internal
from ...telemetry import names
from ...telemetry.logging import bound_log
from ...telemetry.recorder import Recorder
from ..problems import problem_response, request_id_of

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"})
UNTRACED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by machines: measured, but no spans."""

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_ACCEPTABLE = re.compile(r"[A-Za-z0-9._\-]{1,128}")
LOG = "crs_eval.http"
_propagator = TraceContextTextMapPropagator()
_chance = random.Random()  # noqa: S311 - an id must be another one, not a secret


class RequestTelemetry:
    """Gives each request its id, its trace, a log line and a measurement, under its route's template and never its path.

    Takes `X-Request-ID` or makes one, and echoes it. Takes up the caller's trace (`traceparent`), whose id is on the log
    lines even where no spans are sent. Answers a defect with a problem that does not reveal its cause."""

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self.app = app
        self.recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _ACCEPTABLE.fullmatch(given) else f"{_chance.getrandbits(64):016x}"
        state = scope.setdefault("state", {})
        state["request_id"], state["status"] = request_id, 0
        header = (b"x-request-id", request_id.encode())

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                message["headers"] = [*message["headers"], header]
            await send(message)

        started = time.perf_counter()
        span, ids = self._begin(scope)
        token = attach(set_span_in_context(span)) if span else None
        # `bound_contextvars` reads all that is bound, twice: three times the cost.
        bound = bind_contextvars(request_id=request_id, **ids)
        self.recorder.active += 1
        try:
            await self.app(scope, receive, send_with_id)
        except Exception as error:  # the outermost layer: a defect becomes a 500, and a log line
            bound_log(LOG).error("defect", exc_info=error)
            if state["status"]:
                raise  # the answer has begun: only cutting the connection tells the client
            detail = "The service has a defect. Its log has the cause under this request's id."
            await problem_response(Internal(detail), request_id)(scope, receive, send_with_id)
        finally:
            self.recorder.active -= 1
            self._measure(scope, time.perf_counter() - started)
            reset_contextvars(**bound)
            if span and token:
                detach(token)
                _end(span, scope)

    def _begin(self, scope: Scope) -> tuple[Span | None, dict[str, str]]:
        """Begin the request's span where one is wanted. Returns it with the ids of its trace for the log lines."""
        headers = Headers(scope=scope)
        carrier = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        if self.recorder.tracer is not None and scope["path"] not in UNTRACED:
            method = _method(scope)
            span = self.recorder.tracer.start_span(
                method,
                _propagator.extract(carrier) if carrier else Context(),
                SpanKind.SERVER,
                {names.HTTP_METHOD: method},
            )
            own = span.get_span_context()
            return span, {"trace_id": format_trace_id(own.trace_id), "span_id": format_span_id(own.span_id)}
        found = _TRACEPARENT.fullmatch(carrier.get("traceparent", ""))
        return None, {"trace_id": found[1]} if found else {}

    def _measure(self, scope: Scope, seconds: float) -> None:
        route, status = getattr(scope.get("route"), "path", None), scope["state"]["status"]
        bound_log(LOG).info(
            "request", method=scope["method"], route=route, status=status, seconds=round(seconds, 4)
        )
        self.recorder.request(_method(scope), route or "", status, seconds)


def _end(span: Span, scope: Scope) -> None:
    """The request is over; its status is 0 where nothing was answered."""
    if span.is_recording():
        route, state = getattr(scope.get("route"), "path", ""), scope["state"]
        status = state["status"]
        span.update_name(f"{_method(scope)} {route}".rstrip())
        span.set_attributes(
            {names.HTTP_ROUTE: route, names.HTTP_STATUS: status, names.REQUEST_ID: state["request_id"]}
        )
        if status == 0 or status >= 500:
            span.set_attribute(names.ERROR_TYPE, str(status) if status else "cut_off")
            span.set_status(Status(StatusCode.ERROR))
    span.end()


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "_OTHER"


class Problems:
    """Answers the errors that middleware behind it raises, before a route is reached, with a problem. Pure ASGI."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        except CrsEvalError as error:
            if scope["state"]["status"]:  # the answer has begun
                raise
            await problem_response(error, request_id_of(scope))(scope, receive, send)
