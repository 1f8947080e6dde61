"""Every request as a span and a measurement, and the trace's id on its log lines: pure ASGI, around
the request's id so that the line that ends a request carries both."""

import re
import time
from typing import TYPE_CHECKING

from opentelemetry.context import attach, detach
from opentelemetry.trace import format_span_id, format_trace_id, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Receive, Scope, Send

from ...telemetry.recorder import Recorder

if TYPE_CHECKING:
    from ...telemetry.spans import Asked

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"})
UNTRACED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by machines: measured, but no spans."""

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_propagator = TraceContextTextMapPropagator()


class Traced:
    """Measures each request under its route's template, never its path. Takes up the caller's trace
    (`traceparent`), whose id stands on the log lines even where no spans are sent. Stands around
    `RequestId`, and reads the request's id and status where it leaves them."""

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self.app = app
        self.recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = self._begin(scope)
        token = attach(set_span_in_context(asked.span)) if asked else None
        started = time.perf_counter()
        self.recorder.active += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.recorder.active -= 1
            route, state = getattr(scope.get("route"), "path", ""), scope["state"]
            status = state["status"]
            self.recorder.request(_method(scope), route, status, time.perf_counter() - started)
            if asked and token and self.recorder.spans:
                detach(token)
                self.recorder.spans.end(asked, route, status, state["request_id"])

    def _begin(self, scope: Scope) -> "Asked | None":
        """Begin the request's span where one is wanted; leave the trace's id for the log lines."""
        carrier = _trace_headers(scope)
        ids: dict[str, str] = {}
        asked = None
        if self.recorder.spans is not None and scope["path"] not in UNTRACED:
            asked = self.recorder.spans.begin(
                _method(scope), _propagator.extract(carrier) if carrier else None
            )
            span = asked.span.get_span_context()
            ids = {"trace_id": format_trace_id(span.trace_id), "span_id": format_span_id(span.span_id)}
        elif found := _TRACEPARENT.fullmatch(carrier.get("traceparent", "")):
            ids = {"trace_id": found[1]}
        scope.setdefault("state", {})["log_ids"] = ids
        return asked


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in METHODS else "_OTHER"


def _trace_headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
        if name in (b"traceparent", b"tracestate")
    }
