"""Every request as a span and a measurement, and the trace's id on its log lines: pure ASGI, around
the request's id so that the line that ends a request carries both."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, format_span_id, format_trace_id, use_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from ..telemetry import names
from ..telemetry.recorder import Recorder

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"})
UNTRACED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by machines: measured, but no spans."""

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_propagator = TraceContextTextMapPropagator()


class Traced:
    """Measures each request under its route's template, never its path. Takes up the caller's trace
    (`traceparent`), whose id stands on the log lines even where no spans are sent."""

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self.app = app
        self.recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        carrier = _trace_headers(scope)
        if self.recorder.tracing and scope["path"] not in UNTRACED:
            await self._traced(carrier, scope, receive, send)
        elif found := _TRACEPARENT.fullmatch(carrier.get("traceparent", "")):
            with _bound(trace_id=found[1]):
                await self._measured(scope, receive, send)
        else:
            await self._measured(scope, receive, send)

    async def _traced(self, carrier: dict[str, str], scope: Scope, receive: Receive, send: Send) -> None:
        span = self._span(scope, carrier)
        context = span.get_span_context()
        ids = {"trace_id": format_trace_id(context.trace_id), "span_id": format_span_id(context.span_id)}
        with (
            # Never the exception's text: it may quote a log.
            use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False),
            _bound(**ids),
        ):
            await self._measured(scope, receive, send, span)

    async def _measured(self, scope: Scope, receive: Receive, send: Send, span: Span | None = None) -> None:
        status = 0

        async def send_seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started = time.perf_counter()
        self.recorder.active += 1
        try:
            await self.app(scope, receive, send_seen)
        finally:
            self.recorder.active -= 1
            route = getattr(scope.get("route"), "path", "")
            self.recorder.request(_method(scope), route, status, time.perf_counter() - started)
            if span is not None:
                _finish(span, scope, route, status)

    def _span(self, scope: Scope, carrier: dict[str, str]) -> Span:
        parent: Context | None = _propagator.extract(carrier) if carrier else None
        method = _method(scope)
        return self.recorder.tracer.start_span(
            method, context=parent, kind=SpanKind.SERVER, attributes={names.HTTP_METHOD: method}
        )


@contextmanager
def _bound(**ids: str) -> Iterator[None]:
    """Put ids on every log line. structlog's own reads all that is bound, twice."""
    bound = bind_contextvars(**ids)
    try:
        yield
    finally:
        reset_contextvars(**bound)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "_OTHER"


def _trace_headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
        if name in (b"traceparent", b"tracestate")
    }


def _finish(span: Span, scope: Scope, route: str, status: int) -> None:
    span.update_name(f"{_method(scope)} {route}".rstrip())
    span.set_attribute(names.HTTP_ROUTE, route)
    span.set_attribute(names.HTTP_STATUS, status)
    if request_id := scope.get("state", {}).get("request_id"):
        span.set_attribute(names.REQUEST_ID, request_id)
    if status == 0 or status >= 500:
        span.set_attribute(names.ERROR_TYPE, str(status) if status else "cut_off")
        span.set_status(Status(StatusCode.ERROR))
