"""Spans of a trace in every form they are exported in: OTLP's JSON, the SDK's, Phoenix's, a row of a data frame."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..entries import Entry, Fault
from ..talk.times import as_time, is_number, moment

_VALUES = (
    "stringValue", "intValue", "boolValue", "doubleValue", "string_value", "int_value", "bool_value", "double_value",
)  # fmt: skip
_LISTS = ("arrayValue", "array_value")
_OBJECTS = ("kvlistValue", "kvlist_value")
_RESOURCES = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
_SCOPES = ("scopeSpans", "scope_spans", "scopeLogs", "scope_logs", "instrumentationLibrarySpans")
_LEVELS, _OBJECTS_A_NAME = 60, 2
_RECORDS = ("spans", "logRecords", "log_records")
_TRACE_IDS = ("traceId", "trace_id", "context.trace_id")
_SPAN_IDS = ("spanId", "span_id", "context.span_id")
_PARENTS = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_CONTEXTS = ("context", "span_context", "spanContext")
_EVENTS = ("eventName", "event_name")
_STARTS = (
    "startTimeUnixNano", "start_time_unix_nano", "timeUnixNano", "start_time", "startTime", "timestamp",
)  # fmt: skip
_TIMES = ("timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "timestamp", "time")
_READ = frozenset({
    *_TRACE_IDS, *_SPAN_IDS, *_PARENTS, *_CONTEXTS, *_EVENTS, *_STARTS, "id", "name", "attributes", "events", "resource", "body",
})  # fmt: skip


@dataclass(frozen=True)
class Event:
    """An event of a span, or a log record: its name, what it holds, its time."""

    name: str
    values: Mapping[str, Any]
    time: float


@dataclass
class Span:
    """A span: `own` are its attributes as they stand, `flat` those and what is said around them."""

    place: str
    trace: str
    id: str
    parent: str | None
    name: str
    start: float
    started: str | None
    flat: Mapping[str, Any]
    own: Mapping[str, Any]
    events: list[Event] = field(default_factory=list)

    @cached_property
    def tree(self) -> Mapping[str, Any]:
        """The attributes as a tree: `llm.input_messages.0.message.role` is a list of objects."""
        tree: Mapping[str, Any] = _with_lists(_nested(self.own))
        return tree


def is_wrapper(value: Any) -> bool:
    """Return whether this is OTLP's JSON, spans or logs."""
    return isinstance(value, Mapping) and any(isinstance(value.get(name), list) for name in _RESOURCES)


def attributes_of(value: Any) -> Mapping[str, Any]:
    """The attributes of a span, flat or nested as they stand: an object, OTLP's list of keys and values, columns."""
    if not isinstance(value, Mapping):
        return {}
    given = value.get("attributes")
    if isinstance(given, list):
        return {str(one.get("key")): plain(one.get("value")) for one in given if isinstance(one, Mapping)}
    if isinstance(given, Mapping):
        return given
    return {
        name.removeprefix("attributes."): part
        for name, part in value.items()
        if name.startswith("attributes.")
    }


def plain(value: Any) -> Any:
    """An OTLP value as JSON has it; any other value as it is."""
    if not isinstance(value, Mapping):
        return value
    for name in _VALUES:
        if name in value:
            return value[name]
    for name in _LISTS:
        if isinstance(value.get(name), Mapping):
            return [plain(one) for one in value[name].get("values") or ()]
    for name in _OBJECTS:
        if isinstance(value.get(name), Mapping):
            pairs = value[name].get("values") or ()
            return {str(one.get("key")): plain(one.get("value")) for one in pairs if isinstance(one, Mapping)}
    return value


def _nested(flat: Any, depth: int = 0) -> Any:
    """Names with dots as objects: `a.0.b` is `{a: {0: {b}}}`. Names below others' values stay flat, as do names of more parts than
    data has levels. So do those that would make far more objects than there are names."""
    if isinstance(flat, list):
        return [_nested(one, depth + 1) for one in flat]
    if not isinstance(flat, Mapping):
        return flat
    tree: dict[str, Any] = {}
    made, most = 0, 20 + _OBJECTS_A_NAME * len(flat)
    for name, value in flat.items():
        *path, leaf = str(name).split(".")
        if depth + len(path) >= _LEVELS or made > most:
            path, leaf = [], str(name)
        held: Any = tree
        for part in path:
            made += part not in held
            inner = held.setdefault(part, {})
            held = inner if isinstance(inner, dict) else None
            if held is None:
                break
        if held is None:
            tree[str(name)] = value
        elif isinstance(held.get(leaf), dict) and isinstance(value, Mapping):
            held[leaf].update(_nested(value, depth + len(path) + 1))
        else:
            held[leaf] = _nested(value, depth + len(path) + 1)
    return tree


def _with_lists(tree: Any) -> Any:
    """Objects whose names are all numbers as lists."""
    if isinstance(tree, list):
        return [_with_lists(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    made = {name: _with_lists(part) for name, part in tree.items()}
    if made and all(map(is_number, made)):
        return [made[name] for name in sorted(made, key=int)]
    return made


def spans_of(entries: Sequence[Entry], faults: list[Fault]) -> list[Span]:
    """All spans and log records of the entries. Records join the span that they name, else make one of their own. What is
    no object is added to the faults."""
    found: dict[tuple[str, str], Span] = {}
    records: list[Span] = []
    for entry in entries:
        if not isinstance(entry.value, Mapping):
            faults.append(Fault(entry.place, "no object"))
            continue
        for place, value, shared in _unwrapped(entry):
            span = _span(place, value, shared)
            if (span.trace, span.id) in found:
                span.id = f"{span.id} {len(found)}"
            if span.id and not _is_record(value):
                found[span.trace, span.id] = span
            else:
                records.append(span)
    for record in records:
        holder = found.get((record.trace, record.id))
        if holder is None:
            found[record.trace, record.id or f"record {len(found)}"] = record
        else:
            holder.events.extend(record.events)
    return list(found.values())


def _unwrapped(entry: Entry) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Each span with its place and the attributes of its resource."""
    value = entry.value
    if not is_wrapper(value):
        yield entry.place, value, {}
        return
    for resource in _listed(value, _RESOURCES):
        shared = attributes_of(resource.get("resource") or {})
        for scope in _listed(resource, _SCOPES):
            for record in _listed(scope, _RECORDS):
                yield entry.place, record, shared


def _listed(value: Mapping[str, Any], names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for name in names:
        listed = value.get(name)
        yield from (one for one in listed if isinstance(one, Mapping)) if isinstance(listed, list) else ()


def _span(place: str, value: Mapping[str, Any], shared: Mapping[str, Any]) -> Span:
    held = next((value[name] for name in _CONTEXTS if value.get(name)), None)
    context = held if isinstance(held, Mapping) else {}
    trace = _first(value, _TRACE_IDS) or _first(context, _TRACE_IDS)
    id_ = _first(value, _SPAN_IDS) or _first(context, _SPAN_IDS) or value.get("id")
    parent = _first(value, _PARENTS)
    started = _time(value, _STARTS)
    flat = attributes_of(value)
    resource = value.get("resource")
    shared = shared or attributes_of(resource if isinstance(resource, Mapping) else {})
    given = value.get("events")
    events = [value] if _is_record(value) else []
    events += [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    around = {f"resource.{name}": part for name, part in shared.items()}
    return Span(
        place,
        str(trace or ""),
        str(id_ or ""),
        str(parent) if parent else None,
        str(value.get("name") or ""),
        moment(started) or 0.0,
        started,
        {**around, **_beside(value, context), **flat},
        flat,
        [_event(one) for one in events],
    )


def _beside(value: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a span says beside its attributes: its kind, its status, its end."""
    rest = {name: part for name, part in (*context.items(), *value.items()) if name not in _READ}
    return {f"span.{name}": part for name, part in rest.items() if not str(name).startswith("attributes.")}


def _is_record(value: Mapping[str, Any]) -> bool:
    return any(name in value for name in ("body", *_EVENTS, "severityNumber", "severity_number"))


def _event(value: Mapping[str, Any]) -> Event:
    attributes = attributes_of(value)
    body = plain(value.get("body"))
    name = _first(value, (*_EVENTS, "name")) or attributes.get("event.name") or ""
    if isinstance(body, Mapping) and not name:
        name = body.get("event.name", "")
    said = body if isinstance(body, Mapping) else {"content": body} if body is not None else {}
    return Event(str(name), {**attributes, **said}, moment(_time(value, _TIMES)) or 0.0)


def _time(value: Mapping[str, Any], names: Sequence[str]) -> str | None:
    time = _first(value, names)
    return as_time(int(time) if isinstance(time, str) and is_number(time) else time)


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)
