"""Spans of requests: what our own hand puts together is what the SDK would have sent."""

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Encoded
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.telemetry import names
from service.telemetry.spans import Spans
from tests.otlp_receiver import OtlpReceiver

CALLER = {
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "tracestate": "vendor=one",
}
RESOURCE = Resource({names.SERVICE_NAME: "of-the-test"})
_extract = TraceContextTextMapPropagator().extract


def of_the_sdk(arrived: Encoded, carrier: dict[str, str], attributes: dict[str, str | int]) -> Encoded:
    """The span that the SDK makes of the same request, with the ids and times of ours."""
    context = _extract(carrier)
    span = (
        TracerProvider(resource=RESOURCE)
        .get_tracer("t")
        .start_span(
            arrived.name,
            context if carrier else None,
            SpanKind.SERVER,
            {names.HTTP_METHOD: "POST"},
            start_time=1,
        )
    )
    assert isinstance(span, ReadableSpan)
    span.set_attributes(attributes)
    if names.ERROR_TYPE in attributes:
        span.set_status(Status(StatusCode.ERROR))
    span.end(2)
    found: Encoded
    [found] = encode_spans([span]).resource_spans[0].scope_spans[0].spans
    for field in ("trace_id", "span_id", "start_time_unix_nano", "end_time_unix_nano"):
        setattr(found, field, getattr(arrived, field))
    return found


@pytest.mark.parametrize("carrier", [{}, CALLER])
@pytest.mark.parametrize(
    ("route", "status", "request_id", "error"),
    [
        ("/score/{factor}", 200, "0123456789abcdef", None),
        ("", 404, "x" * 128, None),
        ("/debate", 503, "a", "503"),
        ("/batch", 0, "b", "cut_off"),
    ],
)
def test_a_request_is_sent_as_the_sdk_would_have_sent_it(
    carrier: dict[str, str], route: str, status: int, request_id: str, error: str | None
) -> None:
    with OtlpReceiver() as receiver:
        spans = Spans(receiver.url, RESOURCE, "1")
        asked = spans.begin("POST", _extract(carrier) if carrier else None)
        spans.end(asked, route, status, request_id)
        spans.shutdown()
        [arrived] = receiver.spans
    attributes: dict[str, str | int] = {names.HTTP_ROUTE: route, names.HTTP_STATUS: status}
    attributes |= {names.ERROR_TYPE: error} if error else {}
    expected = of_the_sdk(arrived, carrier, attributes | {names.REQUEST_ID: request_id})
    for span in (arrived, expected):
        span.attributes.sort(key=lambda one: one.key)
    assert arrived == expected
    assert arrived.end_time_unix_nano >= arrived.start_time_unix_nano > 0
    assert arrived.span_id != b"\x00" * 8
    assert (arrived.trace_id.hex() in CALLER["traceparent"]) is bool(carrier)


def test_thousands_arrive_with_what_they_called_below_them() -> None:
    with OtlpReceiver() as receiver:
        spans = Spans(receiver.url, RESOURCE, "1")
        for number in range(1500):
            asked = spans.begin("POST", None)
            if number % 3 == 0:
                spans.tracer.start_span("called", set_span_in_context(asked.span)).end()
            spans.end(asked, "/score", 200, "r" * (number % 128 + 1))
        spans.shutdown()
        arrived = receiver.spans
    requests = {span.span_id: span for span in arrived if span.name == "POST /score"}
    called = [span for span in arrived if span.name == "called"]
    assert (len(requests), len(called)) == (1500, 500)
    assert all(requests[span.parent_span_id].trace_id == span.trace_id for span in called)


@pytest.mark.parametrize(
    ("traceparent", "sent"), [(CALLER["traceparent"], True), (CALLER["traceparent"][:-1] + "0", False)]
)
def test_the_sampler_decides_and_heeds_the_caller(
    monkeypatch: pytest.MonkeyPatch, traceparent: str, sent: bool
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    with OtlpReceiver() as receiver:
        spans = Spans(receiver.url, RESOURCE, "1")
        for context in (None, _extract({"traceparent": traceparent})):
            asked = spans.begin("POST", context)
            within = set_span_in_context(asked.span)
            assert get_current_span(within).get_span_context().is_valid
            spans.tracer.start_span("called", within).end()
            spans.end(asked, "/score", 200, "r")
        spans.shutdown()
        assert sorted(span.name for span in receiver.spans) == (["POST /score", "called"] if sent else [])
