"""structlog, set up once: JSON lines in production, readable lines on a terminal.

Entries carry ids, routes, counts and durations. Nothing here may log a message's content, a
prompt, a key or an exception's text: exceptions are logged as their type and place alone."""

import logging
import sys
from functools import cache
from typing import Any, Literal, TextIO

import structlog
from structlog.processors import ExceptionRenderer, JSONRenderer, TimeStamper
from structlog.typing import ExcInfo, Processor

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure_logging(
    form: Literal["auto", "json", "console"], level: str, stream: TextIO | None = None
) -> None:
    """Send structlog and the standard library's records, in one form, to `stream` (standard error)."""
    out = stream or sys.stderr
    console = out.isatty() if form == "auto" else form == "console"
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        TimeStamper("iso", utc=True),
        ExceptionRenderer(_without_text),
    ]
    renderer: Processor = structlog.dev.ConsoleRenderer() if console else JSONRenderer(separators=(",", ":"))
    # One for all: a logger is put together for every line.
    lines = structlog.WriteLogger(out)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        # Straight to the stream: the way through the standard library's records costs as much again.
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=False,
    )
    bound_log.cache_clear()
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(LEVELS[level])
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    # Their lines hold URLs and, at debug level, whole requests: what must be known of a call, we log.
    for name in ("uvicorn.access", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


@cache
def bound_log(name: str) -> Any:
    """A logger that is put together once and not for every line, until logging is configured again."""
    return structlog.get_logger(name).bind()


def _without_text(exc_info: ExcInfo) -> str:
    """Tell an exception by its type and the place it was raised: its text may quote a log."""
    error: BaseException = exc_info[1]
    while isinstance(error, BaseExceptionGroup):  # what went wrong is inside, not the group
        error = error.exceptions[0]
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}" if trace is not None else ""
    return type(error).__name__ + place
