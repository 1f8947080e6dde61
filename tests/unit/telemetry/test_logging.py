import io
import logging

import structlog

from service.domain.verdict import Verdict
from service.telemetry import names
from service.telemetry.logging import configure_logging
from service.telemetry.telemetry import Telemetry
from tests.factories import failed, scored
from tests.otlp_receiver import OtlpReceiver, plain


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


BROKEN = failed("novelty", detail="the detail", code="unreadable")
VERDICTS: tuple[Verdict, ...] = (*(scored("coherence", score) for score in range(1, 5)), BROKEN)


def test_an_answer_that_is_given_again_is_told_again_without_what_is_said_of_a_verdict() -> None:
    with OtlpReceiver() as receiver:
        telemetry = Telemetry("1.0", receiver.url)
        verdicts = (scored("coherence", 2, rationale="of-the-log"), *VERDICTS)
        tally = telemetry.recorder.tally(verdicts, "alpha")
        telemetry.recorder.again(tally)
        telemetry.recorder.again(tally)
        telemetry.shutdown()
    assert len(receiver.events) == 2 * len(verdicts)
    sent = b"".join(receiver.raw)
    assert b"alpha" in sent
    assert b"of-the-log" not in sent
    failed = plain(receiver.events[-1].attributes)
    assert (failed[names.ERROR_TYPE], failed[names.VERDICT_STATUS]) == ("unreadable", "failed")
    assert names.EVALUATION_LABEL not in failed
    first = plain(receiver.events[0].attributes)
    assert (first[names.EVALUATION_LABEL], first[names.VERDICT_STATUS]) == ("2", "scored")
