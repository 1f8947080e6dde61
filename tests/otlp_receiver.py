"""An OTLP receiver on loopback: takes protobuf over HTTP as a collector does, and keeps what it decodes."""

import gzip
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.loopback_server import AnsweringServer, Response

KINDS: dict[str, Any] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}


class OtlpReceiver(AnsweringServer):
    """Runs from `with` to its end. `raw` holds every body as it came, unpacked; `received` the decoded
    requests by path."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.received: dict[str, list[Any]] = {path: [] for path in KINDS}
        super().__init__()

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in self.received["/v1/traces"]
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def events(self) -> list[Any]:
        return [
            record
            for request in self.received["/v1/logs"]
            for resource in request.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    @property
    def metrics(self) -> dict[str, Any]:
        """The last state of each metric."""
        return {
            metric.name: metric
            for request in self.received["/v1/metrics"]
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    @property
    def resource(self) -> dict[str, Any]:
        return plain(self.received["/v1/traces"][0].resource_spans[0].resource.attributes)

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Response:
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        assert request.headers["Content-Type"] == "application/x-protobuf"
        self.raw.append(body)
        self.received[request.path].append(KINDS[request.path].FromString(body))
        return 200, {"Content-Type": "application/x-protobuf"}, b""


def plain(attributes: Any) -> dict[str, Any]:
    """Attributes of the protobuf as a dictionary."""
    return {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in attributes}
