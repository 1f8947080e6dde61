"""Verdicts as events over OTLP. A cached answer has twelve, and the SDK takes twenty microseconds for
each: so an answer is one record within the process, its events encoded once for as often as they are
told, and the exporter takes it apart on its way out."""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from time import time_ns
from typing import Any, NamedTuple

from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, get_current_span

from ..domain.verdict import Failed, Scored, Verdict
from . import names
from .enclosing import RECORDS, enclosed, head

# Fields of a fixed length, each behind its number and kind: when; of which trace and span, with its flags.
_AT = struct.Struct("<cQ")
_UNDER = struct.Struct("<2s16s2s8scI")
MOST_HEADED = 256
"""Answers whose encoded events are kept for the next time."""


class Told(NamedTuple):
    """The events of an answer, told at `at` under `span`."""

    at: int
    span: SpanContext
    events: tuple[bytes, ...]


class Events:
    """Sends events to `endpoint`, in batches. What the `OTEL_` variables say of logs holds for them."""

    def __init__(self, endpoint: str, resource: Resource) -> None:
        self.exporter = _Exporter(f"{endpoint}/v1/logs", resource)
        processor = BatchLogRecordProcessor(self.exporter)
        # The queue behind the processor takes anything that its exporter does.
        self._send: Callable[[Any], None] = processor._batch_processor.emit
        self.shutdown: Callable[[], None] = processor.shutdown
        """Send what is not sent, and stop."""

    def tell(self, events: tuple[bytes, ...]) -> None:
        """Send these, under the trace of now."""
        self._send(Told(time_ns(), get_current_span().get_span_context(), events))


def encode_event(verdict: Verdict, system: str, status: str, *, complete: bool = True) -> bytes:
    """The evaluation event of the GenAI conventions, without time and trace, and without its
    explanation: rationales quote logs."""
    attributes: dict[str, str | float | bool] = {
        names.EVALUATION_NAME: verdict.factor,
        names.EVALUATION_LABEL: status,
        names.SYSTEM: system,
        names.JUDGE: str(verdict.judge),
        names.REVISION: verdict.evaluator_revision,
        names.CACHED: verdict.cached,
        names.COMPLETE_LOG: complete,
    }
    if isinstance(verdict, Scored):
        attributes |= {names.EVALUATION_SCORE: verdict.score, names.EVALUATION_LABEL: str(verdict.level)}
    if isinstance(verdict, Failed):
        attributes[names.ERROR_TYPE] = verdict.code
    record = logs_pb2.LogRecord(
        event_name=names.EVALUATION_EVENT,
        severity_number=logs_pb2.SEVERITY_NUMBER_INFO,
        attributes=_attributes(attributes),
    )
    encoded: bytes = record.SerializeToString()
    return encoded


class _Exporter(OTLPLogExporter):
    """Sends the events of each answer, each with the answer's time and trace, as of `resource`."""

    def __init__(self, endpoint: str, resource: Resource) -> None:
        super().__init__(endpoint)
        any_record = ReadableLogRecord(LogRecord(), resource, InstrumentationScope(names.SCOPE))
        encoded = encode_logs([any_record]).resource_logs[0]
        del encoded.scope_logs[0].log_records[:]
        self._scope: bytes = encoded.scope_logs[0].SerializeToString()
        del encoded.scope_logs[:]
        self._resource: bytes = encoded.SerializeToString()

    def export(self, batch: Sequence[Any]) -> LogRecordExportResult:
        body = enclosed(self._resource, self._scope, [_records(one) for one in batch])
        sent = not self._shutdown and self._client.export(body).success
        return LogRecordExportResult.SUCCESS if sent else LogRecordExportResult.FAILURE


def _records(told: Told) -> bytes:
    """The events of an answer as a scope holds them."""
    trace, span, _, flags, _, valid = told.span
    same = _AT.pack(b"\x59", told.at)
    if valid:
        ids = trace.to_bytes(16, "big"), b"\x52\x08", span.to_bytes(8, "big")
        same += _UNDER.pack(b"\x4a\x10", *ids, b"\x45", flags)
    return same.join(_headed(told.events, len(same))) + same


@lru_cache(maxsize=MOST_HEADED)
def _headed(events: tuple[bytes, ...], more: int) -> tuple[bytes, ...]:
    """Each event behind its head as a record that `more` bytes follow."""
    return tuple(head(RECORDS, len(event) + more) + event for event in events)


def _attributes(given: Mapping[str, str | float | bool]) -> Iterable[KeyValue]:
    for name, value in given.items():
        if isinstance(value, str):
            yield KeyValue(key=name, value=AnyValue(string_value=value))
        elif isinstance(value, bool):
            yield KeyValue(key=name, value=AnyValue(bool_value=value))
        else:
            yield KeyValue(key=name, value=AnyValue(double_value=value))
