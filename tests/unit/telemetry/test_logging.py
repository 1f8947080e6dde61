import io
import json
import logging

import structlog

from service.telemetry.logging import configure_logging


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


def test_levels_below_the_set_one_are_dropped() -> None:
    stream = io.StringIO()
    configure_logging("json", "error", stream)
    structlog.get_logger().warning("quiet")
    logging.getLogger("other").info("quiet")
    assert stream.getvalue() == ""


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


def test_http_libraries_stay_silent_below_warnings() -> None:
    stream = io.StringIO()
    configure_logging("json", "debug", stream)
    logging.getLogger("httpx2").info("HTTP Request: POST https://host/path?key=secret")
    assert stream.getvalue() == ""
