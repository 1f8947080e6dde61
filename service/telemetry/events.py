"""Verdicts as events over OTLP. A cached answer has twelve, and the SDK takes fifty microseconds to make and encode
each: so the SDK encodes the events of an answer once. Where the answer is given again only their time and trace are put in their
places. Queue, batches, retries and all `OTEL_` variables are the SDK's."""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import time_ns
from typing import Any, NamedTuple

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from ..domain.verdict import Failed, Scored, Verdict
from . import names

_SCOPE = InstrumentationScope(names.SCOPE)
_STAMP = struct.Struct("<cI2s16s2s8scQ")
_SPAN = SpanContext(2**128 - 1, 2**64 - 1, False, TraceFlags(0xFF))
_TIME = 2**64 - 1


def stamp(flags: int, trace: int, span: int, time: int) -> bytes:
    """The fields of a log record that tell its trace and time, as protobuf writes them: number and kind, then value."""
    ids = trace.to_bytes(16, "big"), b"\x52\x08", span.to_bytes(8, "big")
    return _STAMP.pack(b"\x45", flags, b"\x4a\x10", *ids, b"\x59", time)


PLACE = stamp(_SPAN.trace_flags, _SPAN.trace_id, _SPAN.span_id, _TIME)
"""Stands in encoded events where trace and time go. No text holds it: it is no UTF-8."""


class Told(NamedTuple):
    """The events of an answer, told at `at` under `span`."""

    at: int
    span: SpanContext
    events: bytes


class Events:
    """Sends events to `endpoint`, in batches. What the `OTEL_` variables say of logs holds for them.

    Two private names of the SDK's are used, both in this module: the queue behind its processor, which takes anything
    that the exporter does, and the client behind its exporter, which sends bytes."""

    def __init__(self, endpoint: str, resource: Resource) -> None:
        self.exporter = _Exporter(f"{endpoint}/v1/logs")
        processor = BatchLogRecordProcessor(self.exporter)
        self._send: Callable[[Any], None] = processor._batch_processor.emit
        self._resource = resource
        self.shutdown: Callable[[], None] = processor.shutdown
        """Send what is not sent, and stop."""

    def encode(self, verdicts: Iterable[tuple[Verdict, str, str]], *, complete: bool = True) -> bytes:
        """The events of verdicts, each with the system it is on and its status, as a request of OTLP without time and
        trace."""
        context = set_span_in_context(NonRecordingSpan(_SPAN))
        records = [
            ReadableLogRecord(
                LogRecord(
                    observed_timestamp=_TIME,
                    context=context,
                    severity_number=SeverityNumber.INFO,
                    event_name=names.EVALUATION_EVENT,
                    attributes=_attributes(verdict, system, status, complete=complete),
                ),
                self._resource,
                _SCOPE,
            )
            for verdict, system, status in verdicts
        ]
        found: bytes = encode_logs(records).SerializeToString()
        return found

    def tell(self, events: bytes) -> None:
        """Send these, as `encode` gave them, under the time and trace of now."""
        self._send(Told(time_ns(), get_current_span().get_span_context(), events))


class _Exporter(OTLPLogExporter):
    """Sends the events of each answer, each with the answer's time and trace."""

    def export(self, batch: Sequence[Any]) -> LogRecordExportResult:
        # Requests of OTLP are one request when they stand in a row, as all messages of protobuf.
        sent = self._client.export(b"".join(map(_stamped, batch))).success
        return LogRecordExportResult.SUCCESS if sent else LogRecordExportResult.FAILURE


def _stamped(told: Told) -> bytes:
    """The events, each with its time and trace; a trace of zeros is none."""
    span = told.span
    return told.events.replace(PLACE, stamp(span.trace_flags, span.trace_id, span.span_id, told.at))


def _attributes(
    verdict: Verdict, system: str, status: str, *, complete: bool
) -> Mapping[str, str | float | bool | Sequence[str]]:
    """Return what the evaluation event of the GenAI conventions says, without its explanation: rationales
    quote logs."""
    attributes: dict[str, str | float | bool | Sequence[str]] = {
        names.EVALUATION_NAME: verdict.factor,
        names.EVALUATION_LABEL: status,
        names.SYSTEM: system,
        names.JUDGE: str(verdict.judge),
        names.REVISION: verdict.evaluator_revision,
        names.CACHED: verdict.cached,
        names.COMPLETE_LOG: complete,
    }
    if verdict.faults:
        attributes[names.FAULT_LIST] = sorted({one.fault for one in verdict.faults})
    if isinstance(verdict, Scored):
        attributes |= {names.EVALUATION_SCORE: verdict.score, names.EVALUATION_LABEL: str(verdict.level)}
    if isinstance(verdict, Failed):
        attributes[names.ERROR_TYPE] = verdict.code
    return attributes
