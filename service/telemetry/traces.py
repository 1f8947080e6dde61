"""Spans over OTLP, by the SDK's own classes; its `OTEL_` variables say which requests are sampled."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer

from . import names


class Traces:
    """Sends spans to `endpoint`, in batches. What the `OTEL_` variables say of traces holds for them."""

    def __init__(self, endpoint: str, resource: Resource, version: str) -> None:
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.exporter = OTLPSpanExporter(f"{endpoint}/v1/traces")
        provider.add_span_processor(BatchSpanProcessor(self.exporter))
        self.tracer: Tracer = provider.get_tracer(names.SCOPE, version)
        self.shutdown = provider.shutdown
