"""What goes over the wire is what protobuf reads: our own hand puts it together."""

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import use_span

from service.telemetry import names
from service.telemetry.events import Events, encode_event
from tests.otlp_receiver import OtlpReceiver
from tests.unit.debate.scripted import verdict


def test_thousands_of_events_arrive_whole_each_under_its_own_trace() -> None:
    # Systems of many lengths, so that the lengths of events take one byte and two.
    answers = [
        tuple(
            encode_event(verdict("coherence", score), "s" * (number % 90), "scored") for score in range(1, 5)
        )
        for number in range(700)
    ]
    spans = [TracerProvider().get_tracer("t").start_span("asked") for _ in answers]
    with OtlpReceiver() as receiver:
        events = Events(receiver.url, Resource({names.SERVICE_NAME: "of-the-test"}))
        for number, (answer, span) in enumerate(zip(answers, spans, strict=True)):
            if number % 3:
                with use_span(span):
                    events.tell(answer)
            else:
                events.tell(answer)
        events.shutdown()
        arrived = receiver.events
    assert len(arrived) == 4 * len(answers)
    for number, (answer, span) in enumerate(zip(answers, spans, strict=True)):
        told = arrived[4 * number : 4 * number + 4]
        trace = span.get_span_context().trace_id.to_bytes(16, "big") if number % 3 else b""
        assert {event.trace_id for event in told} == {trace}
        assert all(event.observed_time_unix_nano for event in told)
        for event, encoded in zip(told, answer, strict=True):
            for field in ("trace_id", "span_id", "flags", "observed_time_unix_nano"):
                event.ClearField(field)
            assert event.SerializeToString() == encoded
