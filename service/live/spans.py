"""Spans of generative AI, as a collector exports them (OTLP), as posts of live conversations."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

from ..errors import InvalidRequest
from ..importing.entries import Entry, Fault
from ..importing.imported import Wanted
from ..importing.model_calls.spans import spans_of
from ..importing.readers.spans import opentelemetry, step_of
from ..usecases.parsing import allowance
from .wire import is_name

_IDS = ("traceId", "spanId", "parentSpanId")
_SERVICE = "service.name"
_TRACE, _SPAN = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")

MESSAGE = 400
FIELD = 100
"""Bytes per nested message and per text in it, as protobuf's own objects and as Python's."""


class NoExportError(ValueError):
    """Bytes that are no `ExportTraceServiceRequest`. The message says what is missing, and quotes nothing."""


def posts_of(body: bytes, *, protobuf: bool) -> list[bytes]:
    """Return the posts that an export of spans gives, one for each conversation.

    A message has its place in the conversation as `index`: a later span, which holds the talk so far, repeats what was sent. The
    trace of a post is that of the last span. Raises NoExportError, and InvalidRequest for more parts than a body may have."""
    entry = Entry("export", _of_protobuf(body) if protobuf else _of_json(body))
    faults: list[Fault] = []
    traces: dict[str, dict[str, str]] = {}
    systems: dict[str, str] = {}
    for span in sorted(spans_of([entry], faults), key=lambda one: one.start):
        name = step_of(span).session or span.trace
        trace, own = span.trace.lower(), span.id.lower()
        if _TRACE.fullmatch(trace) and _SPAN.fullmatch(own):
            traces[name] = {"trace_id": trace, "span_id": own}
        for key, value in span.flat.items():
            if key.endswith(_SERVICE):
                systems[name] = str(value)
    found = opentelemetry.read([entry], Wanted(), faults)
    return [_post(one.log, traces, systems) for one in found if one.log.get("id")]


def _post(log: dict[str, Any], traces: dict[str, dict[str, str]], systems: dict[str, str]) -> bytes:
    name = str(log["id"])
    talk = [*log.get("history", ()), *log["messages"]]
    system = str(log.get("system") or systems.get(name, ""))
    post = {
        "conversation": name,
        "messages": [{**message, "index": index} for index, message in enumerate(talk)],
        "system": system if is_name(system) else None,
        "trace": traces.get(name),
    }
    known = {key: value for key, value in post.items() if value is not None}
    return json.dumps(known, ensure_ascii=False).encode(
        errors="replace"
    )  # half an emoji, of a text that was cut


def _of_json(body: bytes) -> Any:
    try:
        found = json.loads(body)
    except ValueError:
        raise NoExportError("no JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("resourceSpans"), list):
        raise NoExportError("no resourceSpans")
    return found


def _of_protobuf(body: bytes) -> Any:
    # Here, since every start would pay for it.
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    most = allowance(len(body))
    if memory(body, ExportTraceServiceRequest.DESCRIPTOR, most) > most:
        fix = "export fewer spans at once, or spans with fewer attributes"
        raise InvalidRequest.at("", f"has more parts in {len(body)} bytes than a body of this size may", fix)
    try:
        found = MessageToDict(ExportTraceServiceRequest.FromString(body))
    except DecodeError:
        raise NoExportError("no ExportTraceServiceRequest") from None
    for span in _spans(found):
        # Protobuf's own JSON has bytes in base64, OTLP's in hex.
        span.update({name: base64.b64decode(span[name]).hex() for name in _IDS if name in span})
    return found


def _spans(found: Any) -> Iterator[dict[str, Any]]:
    for resource in found.get("resourceSpans", ()):
        for scope in resource.get("scopeSpans", ()):
            yield from scope.get("spans", ())


def memory(body: bytes, kind: Any, most: int) -> int:
    """The bytes that the parts of a message take; counting ends once they are over `most`. `kind` is the message's descriptor.
    Bytes that are no such message have parts too: those that a parser reads before it meets the fault."""
    taken = 0
    waiting = [(0, len(body), kind)]
    while waiting and taken <= most:
        at, end, inside = waiting.pop()
        while at < end and taken <= most:
            tag, at = _number(body, at)
            wire = tag & 7
            if wire == 2:
                length, at = _number(body, at)
                field = inside.fields_by_number.get(tag >> 3)
                if field is not None and field.message_type is not None:
                    taken += MESSAGE
                    waiting.append((at, min(end, at + length), field.message_type))
                elif field is not None:
                    taken += FIELD
                at += length
            elif wire == 0:
                _, at = _number(body, at)
            else:
                at += {1: 8, 5: 4}.get(wire, 0)
    return taken


def _number(body: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, and where it ends."""
    value = shift = 0
    while at < len(body) and shift < 70:
        byte = body[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    return value, at
