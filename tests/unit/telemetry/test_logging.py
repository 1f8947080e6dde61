import io
import json
import logging

import structlog
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import INVALID_SPAN, use_span

from service.domain.verdict import Verdict
from service.telemetry import names
from service.telemetry.logging import configure_logging
from service.telemetry.otlp import Otlp
from service.telemetry.telemetry import Telemetry
from tests.factories import failed, scored
from tests.otlp_receiver import OtlpReceiver, plain


def entries(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_both_loggers_write_the_same_json() -> None:
    stream = io.StringIO()
    configure_logging("json", "info", stream)
    structlog.get_logger().info("own", n=1)
    logging.getLogger("other").warning("theirs")
    own, theirs = entries(stream)
    assert (own["event"], own["level"], own["n"]) == ("own", "info", 1)
    assert (theirs["event"], theirs["level"]) == ("theirs", "warning")
    assert own.keys() >= {"timestamp"}


def test_an_exception_is_told_by_type_and_place_never_by_text() -> None:
    for form in ("json", "console"):
        stream = io.StringIO()
        configure_logging(form, "info", stream)
        try:
            raise ValueError("what the user said")
        except ValueError as error:
            structlog.get_logger().error("defect", exc_info=error)
            logging.getLogger("other").exception("theirs")
        assert "what the user said" not in stream.getvalue()
        assert stream.getvalue().count("ValueError") == 2
        assert stream.getvalue().count(f"ValueError at {__name__}:") == 2


def test_a_group_is_told_by_its_first_member() -> None:
    stream = io.StringIO()
    configure_logging("json", "info", stream)
    group = ExceptionGroup("what the user said", [ExceptionGroup("inner", [KeyError("what the user said")])])
    structlog.get_logger().error("defect", exc_info=group)
    (entry,) = entries(stream)
    assert entry["exception"] == "KeyError"  # raised nowhere
    assert "what the user said" not in stream.getvalue()


RESOURCE = Resource({names.SERVICE_NAME: "of-the-test"})
BROKEN = failed("novelty", detail="the detail", code="unreadable")
VERDICTS: tuple[Verdict, ...] = (*(scored("coherence", score) for score in range(1, 5)), BROKEN)


def test_events_arrive_whole_each_under_its_own_trace() -> None:
    tracer = TracerProvider().get_tracer("t")
    spans = [tracer.start_span("asked") if number % 3 else INVALID_SPAN for number in range(30)]
    with OtlpReceiver() as receiver:
        events = Otlp(receiver.url, RESOURCE, "1.0")
        for number, span in enumerate(spans):
            with use_span(span):
                events.tell({names.SYSTEM: "é" * number})
        for provider in events.providers:
            provider.shutdown()
    assert len(receiver.events) == len(spans)
    for number, (event, span) in enumerate(zip(receiver.events, spans, strict=True)):
        context = span.get_span_context()
        assert (event.event_name, plain(event.attributes)) == (
            names.EVALUATION_EVENT,
            {names.SYSTEM: "é" * number},
        )
        assert int.from_bytes(event.trace_id, "big") == context.trace_id
        assert int.from_bytes(event.span_id, "big") == context.span_id
        assert event.observed_time_unix_nano >= event.time_unix_nano > 0


def test_an_answer_that_is_given_again_is_told_again_without_what_is_said_of_a_verdict() -> None:
    with OtlpReceiver() as receiver:
        telemetry = Telemetry("1.0", receiver.url)
        told = (scored("coherence", 2, rationale="of-the-log"), *VERDICTS)
        tally = telemetry.recorder.tally(told, "alpha")
        telemetry.recorder.again(tally)
        telemetry.recorder.again(tally)
        telemetry.shutdown()
    assert len(receiver.events) == 2 * len(told)
    sent = b"".join(receiver.raw)
    assert b"alpha" in sent
    assert b"of-the-log" not in sent
    failed = plain(receiver.events[-1].attributes)
    assert (failed[names.ERROR_TYPE], failed[names.VERDICT_STATUS]) == ("unreadable", "failed")
    assert names.EVALUATION_LABEL not in failed
    first = plain(receiver.events[0].attributes)
    assert (first[names.EVALUATION_LABEL], first[names.VERDICT_STATUS]) == ("2", "scored")
