"""Verdicts as events over OTLP. A cached answer has twelve, and the SDK takes twenty microseconds for
each: so an answer is one record within the process, its events encoded once for as often as they are
told, and the exporter takes it apart on its way out."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult
from opentelemetry.sdk.resources import Resource

from ..domain.verdict import Failed, Scored, Verdict
from . import names

MOST_HEADED = 256
"""Answers whose encoded events are kept for the next time."""


class Events:
    """Sends events to `endpoint`, in batches. What the `OTEL_` variables say of logs holds for them."""

    def __init__(self, endpoint: str, resource: Resource) -> None:
        self.exporter = _Exporter(f"{endpoint}/v1/logs")
        self._provider = LoggerProvider(resource, shutdown_on_exit=False)
        self._provider.add_log_record_processor(BatchLogRecordProcessor(self.exporter))
        self._logger = self._provider.get_logger(names.SCOPE)

    def tell(self, events: tuple[bytes, ...]) -> None:
        """Send these, under the trace of now."""
        self._logger.emit(_Answer(events))

    def shutdown(self) -> None:
        """Send what is not sent, and stop."""
        self._provider.shutdown()


def encode_event(verdict: Verdict, system: str, status: str) -> bytes:
    """The evaluation event of the GenAI conventions, without time and trace, and without its
    explanation: rationales quote logs."""
    attributes: dict[str, str | float | bool] = {
        names.EVALUATION_NAME: verdict.factor,
        names.EVALUATION_LABEL: status,
        names.SYSTEM: system,
        names.JUDGE: str(verdict.judge),
        names.REVISION: verdict.evaluator_revision,
        names.CACHED: verdict.cached,
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


class _Answer(LogRecord):
    """The events of one answer, as one record."""

    def __init__(self, events: tuple[bytes, ...]) -> None:
        super().__init__(event_name=names.EVALUATION_EVENT)
        self.events = events


class _Exporter(OTLPLogExporter):
    """Sends the events of each answer, each with the answer's time and trace."""

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        sent = not self._shutdown and self._client.export(_request(batch)).success
        return LogRecordExportResult.SUCCESS if sent else LogRecordExportResult.FAILURE


def _request(batch: Sequence[ReadableLogRecord]) -> bytes:
    """`ExportLogsServiceRequest` with the events of all answers. Messages of protobuf are merged by
    putting their bytes in a row, so that what is the same each time is never encoded again."""
    # All are of one resource and one scope: the SDK wraps the first, and the others go beside it.
    resource = encode_logs(batch[:1]).resource_logs[0]
    scope = resource.scope_logs[0]
    del scope.log_records[:]
    inner = [scope.SerializeToString(), *(_records(one.log_record) for one in batch)]
    del resource.scope_logs[:]
    outer = resource.SerializeToString()
    size = sum(map(len, inner))
    head = _head(resource.SCOPE_LOGS_FIELD_NUMBER, size)
    size += len(outer) + len(head)
    first = _head(ExportLogsServiceRequest.RESOURCE_LOGS_FIELD_NUMBER, size)
    return b"".join((first, outer, head, *inner))  # megabytes, copied once


def _records(answer: LogRecord) -> bytes:
    """The events of an answer as a scope holds them."""
    assert isinstance(answer, _Answer)
    now = logs_pb2.LogRecord(observed_time_unix_nano=answer.observed_timestamp or 0)
    if answer.trace_id:
        now.trace_id = answer.trace_id.to_bytes(16, "big")
        now.span_id = (answer.span_id or 0).to_bytes(8, "big")
        now.flags = int(answer.trace_flags or 0)
    same: bytes = now.SerializeToString()
    return same.join(_headed(answer.events, len(same))) + same


@lru_cache(maxsize=MOST_HEADED)
def _headed(events: tuple[bytes, ...], more: int) -> tuple[bytes, ...]:
    """Each event behind its head as a record that `more` bytes follow."""
    number = logs_pb2.ScopeLogs.LOG_RECORDS_FIELD_NUMBER
    return tuple(_head(number, len(event) + more) + event for event in events)


def _head(number: int, length: int) -> bytes:
    """What stands before a message within a message: its field, its length."""
    rest = bytearray()
    while length > 0x7F:
        rest.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes((number << 3 | 2, *rest, length))


def _attributes(given: Mapping[str, str | float | bool]) -> Iterable[KeyValue]:
    for name, value in given.items():
        if isinstance(value, str):
            yield KeyValue(key=name, value=AnyValue(string_value=value))
        elif isinstance(value, bool):
            yield KeyValue(key=name, value=AnyValue(bool_value=value))
        else:
            yield KeyValue(key=name, value=AnyValue(double_value=value))
