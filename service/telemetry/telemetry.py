"""OpenTelemetry, set up for one process: metrics always, as Prometheus text; traces, metrics and
events over OTLP where there is an endpoint. No global state, so that two applications in a process
(tests) keep apart."""

import os
import secrets
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import Histogram, MeterProvider, ObservableCounter
from opentelemetry.sdk.metrics.export import CardinalityLimits, MetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from prometheus_client import CollectorRegistry, generate_latest

from . import names
from .recorder import MOST_SERIES, SYSTEMS, Recorder

if TYPE_CHECKING:
    from .otlp import Otlp

PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8"
PARTING = 5.0
_CARDINALITY: CardinalityLimits = {ObservableCounter: MOST_SERIES + 1, Histogram: 5000}


class Telemetry:
    """Telemetry of this process. `endpoint` is the base URL of an OTLP receiver that takes protobuf over
    HTTP; what else the `OTEL_` variables say (headers, sampler, intervals, resource) the SDK reads itself. `homes` maps
    each fault to its home factor.
    Every process has its own instance id, so that workers never write to one another's series."""

    def __init__(
        self,
        version: str,
        endpoint: str | None = None,
        systems: int = SYSTEMS,
        homes: Mapping[str, str] | None = None,
    ) -> None:
        ours = {
            names.SERVICE_NAME: names.SERVICE,
            names.SERVICE_VERSION: version,
            names.SERVICE_INSTANCE: secrets.token_hex(8),
        }
        resource = Resource.create({**ours, **OTELResourceDetector().detect().attributes})
        self._text = CollectorRegistry()
        readers: list[MetricReader] = [
            PrometheusMetricReader(
                scope_info_enabled=False, registry=self._text, cardinality_limits=_CARDINALITY
            )
        ]
        self._otlp: Otlp | None = None
        # OpenTelemetry's own variable, which says that nothing shall be sent.
        disabled = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
        if endpoint is not None and not disabled:
            from . import otlp  # takes long to import

            self._otlp = otlp.Otlp(endpoint, resource, version)
            readers.append(self._otlp.metric_reader(_CARDINALITY))
        self._meters = MeterProvider(readers, resource, shutdown_on_exit=False)
        self.meter = self._meters.get_meter(names.SCOPE, version)
        self.recorder = Recorder(
            self.meter,
            self._otlp.tracer if self._otlp else None,
            self._otlp.tell if self._otlp else None,
            systems,
            homes,
        )

    def prometheus(self) -> bytes:
        return generate_latest(self._text)

    def shutdown(self) -> None:
        """Send what is not sent, and stop. Blocks, but hardly longer than `PARTING` seconds: a receiver
        that is away holds up no restart."""
        providers = [self._meters, *(self._otlp.providers if self._otlp else ())]
        threads = [threading.Thread(target=provider.shutdown, daemon=True) for provider in providers]
        deadline = time.monotonic() + PARTING
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in threads):
            for exporter in (
                self._otlp.exporters if self._otlp else ()
            ):  # ends its waiting between two attempts
                exporter.shutdown()
            for thread in threads:
                thread.join(1.0)
