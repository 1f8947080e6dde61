"""Events of verdicts: what arrives is what the SDK itself would have sent, although it encodes each answer once."""

from dataclasses import replace

import pytest
from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON
from opentelemetry.trace import INVALID_SPAN, Span, use_span

from service.domain.verdict import Failed, JudgeName, Scored, Verdict
from service.telemetry import names
from service.telemetry.events import PLACE, Events, stamp
from tests.otlp_receiver import OtlpReceiver, plain
from tests.unit.debate.scripted import verdict

RESOURCE = Resource({names.SERVICE_NAME: "of-the-test"})
BROKEN = Failed(
    factor="novelty",
    judge=JudgeName("builtin"),
    evaluator_revision="0" * 12,
    detail="the detail",
    code="unreadable",
)
VERDICTS: tuple[Verdict, ...] = (*(verdict("coherence", score) for score in range(1, 5)), BROKEN)


def span_of(sampler: object) -> Span:
    return TracerProvider(sampler=sampler).get_tracer("t").start_span("asked")  # type: ignore[arg-type]


def of_the_sdk(told: dict[str, object], span: Span) -> OtlpReceiver:
    """Return what the SDK's own logger sends of an event."""
    with OtlpReceiver() as receiver:
        provider = LoggerProvider(RESOURCE, shutdown_on_exit=False)
        exporter = OTLPLogExporter(f"{receiver.url}/v1/logs")
        provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
        with use_span(span):
            provider.get_logger(names.SCOPE).emit(
                severity_number=SeverityNumber.INFO,
                event_name=names.EVALUATION_EVENT,
                attributes=told,  # type: ignore[arg-type]
            )
        provider.shutdown()
    return receiver


@pytest.mark.parametrize("sampler", [ALWAYS_ON, ALWAYS_OFF], ids=["sampled", "not sampled"])
def test_the_sdk_still_takes_encodes_and_sends_as_is_relied_on(sampler: object) -> None:
    """Fails when the SDK's queue, encoding or client move, of which `events` uses what is private."""
    span = span_of(sampler)
    with OtlpReceiver() as receiver:
        events = Events(receiver.url, RESOURCE)
        encoded = events.encode([(one, "alpha", "failed") for one in VERDICTS])
        assert encoded.count(PLACE) == len(VERDICTS)
        with use_span(span):
            events.tell(encoded)
        events.shutdown()
    assert len(receiver.events) == len(VERDICTS)
    for ours in receiver.events:
        [theirs] = of_the_sdk(plain_values(ours), span).events
        theirs.observed_time_unix_nano = ours.observed_time_unix_nano
        assert ours == theirs
        assert ours.observed_time_unix_nano > 0
    [request], [other] = receiver.received["/v1/logs"], of_the_sdk({}, span).received["/v1/logs"]
    for ours, theirs in zip(request.resource_logs, other.resource_logs, strict=True):
        assert ours.resource == theirs.resource
        assert ours.scope_logs[0].scope == theirs.scope_logs[0].scope


def plain_values(event: object) -> dict[str, object]:
    return {
        one.key: getattr(one.value, one.value.WhichOneof("value"))
        for one in event.attributes  # type: ignore[attr-defined]
    }


def test_thousands_of_events_arrive_whole_each_under_its_own_trace() -> None:
    # Systems of many lengths, so that the lengths of events take one byte and two; and of letters beyond ASCII.
    spans = [span_of(ALWAYS_ON) if number % 3 else INVALID_SPAN for number in range(700)]
    systems = ["é" * (number % 90) for number in range(700)]
    with OtlpReceiver() as receiver:
        events = Events(receiver.url, RESOURCE)
        for system, span in zip(systems, spans, strict=True):
            encoded = events.encode([(one, system, "scored") for one in VERDICTS])
            with use_span(span):
                events.tell(encoded)
                events.tell(encoded)
        events.shutdown()
    arrived = receiver.events
    each = 2 * len(VERDICTS)
    assert len(arrived) == each * len(spans)
    for number, (system, span) in enumerate(zip(systems, spans, strict=True)):
        told = arrived[each * number : each * (number + 1)]
        context = span.get_span_context()
        assert {event.trace_id for event in told} == {context.trace_id.to_bytes(16, "big")}
        assert {event.span_id for event in told} == {context.span_id.to_bytes(8, "big")}
        assert {plain(event.attributes)[names.SYSTEM] for event in told} == {system}
        assert all(event.observed_time_unix_nano for event in told)


def test_events_leave_out_what_is_said_of_a_verdict() -> None:
    scored = verdict("coherence", 2)
    assert isinstance(scored, Scored)
    with OtlpReceiver() as receiver:
        events = Events(receiver.url, RESOURCE)
        events.tell(events.encode([(replace(scored, rationale="of-the-log"), "alpha", "scored")]))
        events.shutdown()
    assert b"alpha" in receiver.raw[0]
    assert b"of-the-log" not in receiver.raw[0]


def test_no_text_holds_the_place_of_a_stamp() -> None:
    with pytest.raises(UnicodeDecodeError):
        PLACE.decode()
    assert len(stamp(1, 2, 3, 4)) == len(PLACE)
