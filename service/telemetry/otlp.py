"""Spans, metrics, and verdicts as events, over OTLP by the SDK's own classes: queues, batches, retries and all `OTEL_` variables are its."""

import time

from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics.export import CardinalityLimits, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from . import names
from .recorder import Attributes


class Otlp:
    """Sends to `endpoint`, in batches. What the `OTEL_` variables say of traces, metrics and logs holds. The modules' underscores
    are OpenTelemetry's mark of a signal that may still change; the names in them are its public ones."""

    def __init__(self, endpoint: str, resource: Resource, version: str) -> None:
        spans, logs = OTLPSpanExporter(f"{endpoint}/v1/traces"), OTLPLogExporter(f"{endpoint}/v1/logs")
        self._metrics = OTLPMetricExporter(f"{endpoint}/v1/metrics")
        tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        tracers.add_span_processor(BatchSpanProcessor(spans))
        loggers = LoggerProvider(resource, shutdown_on_exit=False)
        loggers.add_log_record_processor(BatchLogRecordProcessor(logs))
        self.tracer = tracers.get_tracer(names.SCOPE, version)
        self._logger = loggers.get_logger(names.SCOPE)
        self.exporters = (spans, logs, self._metrics)
        self.providers = (tracers, loggers)

    def metric_reader(self, limits: CardinalityLimits) -> PeriodicExportingMetricReader:
        return PeriodicExportingMetricReader(self._metrics, cardinality_limits=limits)

    def tell(self, attributes: Attributes) -> None:
        """Send an event with these attributes, under the time and trace of now."""
        self._logger.emit(
            timestamp=time.time_ns(),
            severity_number=SeverityNumber.INFO,
            event_name=names.EVALUATION_EVENT,
            attributes=attributes,
        )
