"""Spans of requests, by the SDK: names, attributes, failures, sampling, and the exemplars that lead from durations to them."""

import asyncio

import pytest
from opentelemetry.trace import get_current_span
from starlette.types import Receive, Scope, Send

from service.api.middleware.telemetry import RequestTelemetry
from service.telemetry import names
from service.telemetry.telemetry import Telemetry
from tests.otlp_receiver import OtlpReceiver, plain

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLED = [(b"traceparent", f"00-{TRACE}-{PARENT}-01".encode()), (b"tracestate", b"vendor=one")]


class Route:
    """Answers with a status under a route's template, as an application inside `RequestTelemetry` would."""

    path = "/score/{factor}"

    def __init__(self, status: int) -> None:
        self.status = status
        self.traced: list[bool] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = get_current_span().get_span_context()
        assert context.is_valid
        self.traced.append(context.trace_flags.sampled)
        scope["route"] = self
        scope["state"] |= {"status": self.status, "request_id": "r-1"}


async def ask(telemetry: Telemetry, route: Route, headers: list[tuple[bytes, bytes]]) -> None:
    scope = {"type": "http", "method": "POST", "path": "/score/novelty-of-a-user", "headers": headers}

    async def nothing(*_: object) -> None:
        """Nothing comes and nothing goes."""

    await RequestTelemetry(route, telemetry.recorder)(scope, nothing, nothing)  # type: ignore[arg-type]


def sent(status: int, *headers: list[tuple[bytes, bytes]]) -> tuple[OtlpReceiver, Route]:
    """Return what arrives of a request with each of these headers, answered with `status`."""
    route = Route(status)
    with OtlpReceiver() as receiver:
        telemetry = Telemetry("0", receiver.url)
        for one in headers:
            asyncio.run(ask(telemetry, route, one))
        telemetry.shutdown()
    return receiver, route


@pytest.mark.parametrize(
    ("status", "error", "code"), [(200, None, 0), (404, None, 0), (503, "503", 2), (0, "cut_off", 2)]
)
def test_a_span_tells_route_status_and_request_and_fails_with_the_service(
    status: int, error: str | None, code: int
) -> None:
    receiver, _ = sent(status, [])
    [span] = receiver.spans
    expected = {
        names.HTTP_METHOD: "POST",
        names.HTTP_ROUTE: "/score/{factor}",
        names.HTTP_STATUS: status,
        names.REQUEST_ID: "r-1",
    }
    assert plain(span.attributes) == expected | ({names.ERROR_TYPE: error} if error else {})
    assert (span.name, span.kind, span.status.code) == ("POST /score/{factor}", 2, code)
    assert not span.parent_span_id
    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano


def test_a_span_continues_its_callers_trace_and_state() -> None:
    receiver, _ = sent(200, SAMPLED)
    [span] = receiver.spans
    assert (span.trace_id.hex(), span.parent_span_id.hex(), span.trace_state) == (TRACE, PARENT, "vendor=one")
