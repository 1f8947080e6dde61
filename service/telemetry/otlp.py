"""Spans, and verdicts as events, over OTLP by the SDK's own classes: queues, batches, retries and all `OTEL_` variables are its."""

import time
from collections.abc import Callable

from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer

from . import names
from .recorder import Attributes


class Traces:
    """Sends spans to `endpoint`, in batches. What the `OTEL_` variables say of traces holds for them."""

    def __init__(self, endpoint: str, resource: Resource, version: str) -> None:
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.exporter = OTLPSpanExporter(f"{endpoint}/v1/traces")
        provider.add_span_processor(BatchSpanProcessor(self.exporter))
        self.tracer: Tracer = provider.get_tracer(names.SCOPE, version)
        self.shutdown = provider.shutdown


class Events:
    """Sends events to `endpoint`, in batches. What the `OTEL_` variables say of logs holds for them. The modules' underscores
    are OpenTelemetry's mark of a signal that may still change; the names in them are its public ones."""

    def __init__(self, endpoint: str, resource: Resource) -> None:
        provider = LoggerProvider(resource, shutdown_on_exit=False)
        self.exporter = OTLPLogExporter(f"{endpoint}/v1/logs")
        provider.add_log_record_processor(BatchLogRecordProcessor(self.exporter))
        self._logger = provider.get_logger(names.SCOPE)
        self.shutdown: Callable[[], None] = provider.shutdown
        """Send what is not sent, and stop."""

    def tell(self, attributes: Attributes) -> None:
        """Send an event with these attributes, under the time and trace of now."""
        self._logger.emit(
            timestamp=time.time_ns(),
            severity_number=SeverityNumber.INFO,
            event_name=names.EVALUATION_EVENT,
            attributes=attributes,
        )
