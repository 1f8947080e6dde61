"""Spans of requests. The SDK takes twenty microseconds to make one and as many to encode it, a third of
all that a cached answer takes. So its sampler decides and its processor sends, but a request that is over
is a tuple until it is sent, and what all requests of a route have in common is encoded once."""

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.sampling import DEFAULT_ON, Decision, SamplingResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    get_current_span,
)
from opentelemetry.util.types import AttributeValue

from . import names
from .enclosing import RECORDS, enclosed, head

MOST_ENCODED = 1024
"""Kinds of spans (methods, routes, statuses) whose encoding is kept."""

_OWN = struct.Struct("<2s16s2s8scQcQ2sI")
_LOCAL: int = trace_pb2.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK
_REMOTE: int = _LOCAL | trace_pb2.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
_ALWAYS = SamplingResult(Decision.RECORD_AND_SAMPLE)
_NOTHING = Context()
_FLAGS = {bits: TraceFlags(bits) for bits in range((TraceFlags.SAMPLED | TraceFlags.RANDOM_TRACE_ID) + 1)}


class Asked(NamedTuple):
    """A request whose span is under way: what stands for it in the context of what it calls."""

    span: NonRecordingSpan
    parent: SpanContext | None
    method: str
    attributes: Mapping[str, AttributeValue]
    """Of the sampler."""
    began: int


class Answered(NamedTuple):
    """A request that is over; `status` is 0 where nothing was answered."""

    asked: Asked
    route: str
    status: int
    request_id: str
    ended: int


class Spans:
    """Sends spans to `endpoint`, in batches. What the `OTEL_` variables say of traces holds for them."""

    def __init__(self, endpoint: str, resource: Resource, version: str) -> None:
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.exporter = _Exporter(
            f"{endpoint}/v1/traces", resource, InstrumentationScope(names.SCOPE, version)
        )
        processor = BatchSpanProcessor(self.exporter)
        provider.add_span_processor(processor)
        self.tracer: Tracer = provider.get_tracer(names.SCOPE, version)
        """Makes the spans of all but requests."""
        self._ids, self._sampler = provider.id_generator, provider.sampler
        self._random = TraceFlags.RANDOM_TRACE_ID if self._ids.is_trace_id_random() else 0
        # The queue behind the processor takes anything that its exporter does.
        self._send: Callable[[Any], None] = processor._batch_processor.emit
        self.shutdown: Callable[[], None] = provider.shutdown
        """Send what is not sent, and stop."""

    def begin(self, method: str, context: Context | None) -> Asked:
        """A request begins, called from `context`."""
        context = _NOTHING if context is None else context
        parent: SpanContext | None = get_current_span(context).get_span_context() if context else None
        if parent is not None and parent.is_valid:
            trace, bits = parent.trace_id, parent.trace_flags & TraceFlags.RANDOM_TRACE_ID
        else:
            parent, trace, bits = None, self._ids.generate_trace_id(), self._random
        if parent is None and self._sampler is DEFAULT_ON:
            sampled = _ALWAYS
        else:
            sampled = self._sampler.should_sample(
                context, trace, method, SpanKind.SERVER, {names.HTTP_METHOD: method}
            )
        if sampled.decision is Decision.RECORD_AND_SAMPLE:
            bits |= TraceFlags.SAMPLED
        span = SpanContext(trace, self._ids.generate_span_id(), False, _FLAGS[bits], sampled.trace_state)
        return Asked(NonRecordingSpan(span), parent, method, sampled.attributes, time.time_ns())

    def end(self, asked: Asked, route: str, status: int, request_id: str) -> None:
        """It is over; `status` is 0 where nothing was answered."""
        if asked.span.get_span_context().trace_flags & TraceFlags.SAMPLED:
            self._send(Answered(asked, route, status, request_id, time.time_ns()))


class _Exporter(OTLPSpanExporter):
    """Sends the spans of requests, of `resource` and `scope`, beside the SDK's own."""

    def __init__(self, endpoint: str, resource: Resource, scope: InstrumentationScope) -> None:
        super().__init__(endpoint)
        any_span = _span("", {}, failed=False, resource=resource, scope=scope)
        encoded = encode_spans([any_span]).resource_spans[0]
        del encoded.scope_spans[0].spans[:]
        self._scope: bytes = encoded.scope_spans[0].SerializeToString()
        del encoded.scope_spans[:]
        self._resource: bytes = encoded.SerializeToString()

    def export(self, batch: Sequence[ReadableSpan | Answered]) -> SpanExportResult:
        requests = [_encoded(one) for one in batch if isinstance(one, Answered)]
        spans = [one for one in batch if isinstance(one, ReadableSpan)]
        body: bytes = encode_spans(spans).SerializeToString()
        if requests:
            body += enclosed(self._resource, self._scope, requests)
        sent = not self._shutdown and self._client.export(body).success
        return SpanExportResult.SUCCESS if sent else SpanExportResult.FAILURE


def _encoded(one: Answered) -> bytes:
    """The span of a request as a scope holds it."""
    asked = one.asked
    trace, span, _, _, state, _ = asked.span.get_span_context()
    request_id = one.request_id.encode()
    parts = [
        _same(asked.method, one.route, one.status, tuple(asked.attributes.items())),
        _own(
            trace,
            span,
            asked.began,
            one.ended,
            _REMOTE if asked.parent and asked.parent.is_remote else _LOCAL,
        ),
        _beside(len(request_id)),
        request_id,
    ]
    if asked.parent or state:
        span_id = asked.parent.span_id.to_bytes(8, "big") if asked.parent else b""
        parts.append(
            trace_pb2.Span(parent_span_id=span_id, trace_state=state.to_header()).SerializeToString()
        )
    return b"".join((head(RECORDS, sum(map(len, parts))), *parts))


def _own(trace: int, span: int, began: int, ended: int, flags: int) -> bytes:
    """What is of a fixed length, each field behind its number and kind."""
    ids = trace.to_bytes(16, "big"), b"\x12\x08", span.to_bytes(8, "big")
    return _OWN.pack(b"\x0a\x10", *ids, b"\x39", began, b"\x41", ended, b"\x85\x01", flags)


@lru_cache(maxsize=MOST_ENCODED)
def _beside(length: int) -> bytes:
    """What stands before a request's id of that many bytes as an attribute of its span."""
    attribute = KeyValue(key=names.REQUEST_ID, value=AnyValue(string_value="x" * length))
    found: bytes = trace_pb2.Span(attributes=[attribute]).SerializeToString()
    return found[: len(found) - length]


@lru_cache(maxsize=MOST_ENCODED)
def _same(method: str, route: str, status: int, sampled: tuple[tuple[str, AttributeValue], ...]) -> bytes:
    """What the spans of a route have in common, encoded as the SDK does."""
    failed = status == 0 or status >= 500
    attributes: dict[str, AttributeValue] = {
        **dict(sampled),
        names.HTTP_METHOD: method,
        names.HTTP_ROUTE: route,
        names.HTTP_STATUS: status,
    }
    if failed:
        attributes[names.ERROR_TYPE] = str(status) if status else "cut_off"
    span = _span(f"{method} {route}".rstrip(), attributes, failed=failed)
    encoded = encode_spans([span]).resource_spans[0].scope_spans[0].spans[0]
    for field in ("trace_id", "span_id", "flags"):
        encoded.ClearField(field)
    found: bytes = encoded.SerializeToString()
    return found


def _span(
    name: str,
    attributes: Mapping[str, AttributeValue],
    *,
    failed: bool,
    resource: Resource | None = None,
    scope: InstrumentationScope | None = None,
) -> ReadableSpan:
    return ReadableSpan(
        name,
        SpanContext(1, 1, is_remote=False),
        attributes=attributes,
        kind=SpanKind.SERVER,
        status=Status(StatusCode.ERROR if failed else StatusCode.UNSET),
        resource=resource,
        instrumentation_scope=scope,
    )
