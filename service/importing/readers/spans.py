"""Spans: OpenTelemetry's of generative AI (`gen_ai.input.messages`, and the events of earlier conventions), and those with
OpenInference's attributes, as Phoenix has them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, Reader, Wanted
from ..model_calls.calls import Call, Step, read_traces
from ..model_calls.exchanges import said_in
from ..model_calls.spans import Event, Span, attributes_of, is_wrapper, spans_of
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import read_messages
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_INSTRUCTIONS = "gen_ai.system_instructions"
_SESSIONS = (
    "gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id", "traceloop.association.properties.thread_id",
)  # fmt: skip
_MESSAGES = {
    "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool",
    "gen_ai.system.message": "system",
}  # fmt: skip
"""Events of the conventions up to 1.36, each a message."""
_CHOICE = "gen_ai.choice"
_DETAILS = "gen_ai.client.inference.operation.details"
_TOOL = ("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
_READ = frozenset({_INPUT, _OUTPUT, _INSTRUCTIONS, "gen_ai.tool.definitions", *_SESSIONS, *_TOOL})
_OF_OPENLLMETRY = ("gen_ai.prompt.", "gen_ai.completion.")
_OF_SPANS = ("traceId", "trace_id", "context", "context.trace_id", "spanId", "span_id")

_KIND = "openinference.span.kind"
_SPEAKS = ("LLM", "CHAIN", "AGENT", "")
_READ_OF_OPENINFERENCE = (
    "llm.input_messages", "llm.output_messages", "llm.tools", "input.", "output.", "session.id", _KIND, "annotations.",
    "trace.annotations.", "session.annotations.", "llm.prompts", "llm.choices",
)  # fmt: skip


def _read(
    step: Callable[[Span], Step], entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]
) -> Iterator[Imported]:
    """Read spans and log records as traces."""
    return read_traces(map(step, spans_of(entries, faults)), wanted, faults)


def _step(span: Span, session: Any, tool: Sequence[dict[str, Any]], call: Callable[[], Call | None]) -> Step:
    name = None if session is None else str(session)
    return Step(span.place, span.id, span.parent, span.trace, span.start, name, tool, call, span.started)


def _is_opentelemetry(value: Any) -> bool:
    if is_wrapper(value):
        return "gen_ai." in json.dumps(value, default=str)
    if not isinstance(value, Mapping):
        return False
    listed = value.get("events")
    events = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    record = str(value.get("eventName") or value.get("event_name") or "")
    names = (*attributes_of(value), *(str(one.get("name")) for one in events), record)
    is_span = any(name in value for name in _OF_SPANS)
    return (is_span or bool(record)) and any(name.startswith("gen_ai.") for name in names)


def step_of(span: Span) -> Step:
    """The step that a span of OpenTelemetry's is."""
    details = [event.values for event in span.events if event.name == _DETAILS]
    held = {**span.flat, **{name: value for one in details for name, value in one.items()}}
    session = next((held[name] for name in _SESSIONS if held.get(name)), None)
    return _step(span, session, _tool(held), partial(_call, span, held))


def _tool(held: Mapping[str, Any]) -> list[dict[str, Any]]:
    name, id_, arguments, result = (held.get(field) for field in _TOOL)
    if name is None or held.get("gen_ai.operation.name") not in (None, "execute_tool"):
        return []
    call = tool_call(id_, str(name), arguments)
    return [call] if result is None else [call, tool_result(id_, result)]


def _call(span: Span, held: Mapping[str, Any]) -> Call | None:
    of_given, own = Leftovers(), Leftovers()
    given = _messages(held.get(_INPUT), of_given)
    came = _messages(held.get(_OUTPUT), own, first=True)
    if not given and not came:  # as OpenLLMetry writes them: gen_ai.prompt.0.content
        flat = _object(span.tree, "gen_ai")
        given = _messages(flat.get("prompt"), of_given)
        came = _messages(flat.get("completion"), own, first=True)
        held = {name: part for name, part in held.items() if not name.startswith(_OF_OPENLLMETRY)}
    if not given and not came:
        given, came = _of_events(span.events, of_given, own)
    if not given and not came:
        return None
    if held.get(_INSTRUCTIONS):
        given = [Utterance(Speaker.INSTRUCTION, None, role="system"), *given]
    others = [event for event in span.events if event.name not in (*_MESSAGES, _CHOICE, _DETAILS)]
    own.left.update(f"events {event.name}" for event in others)
    return Call(span.place, given, came, of_given.left, own.left, metadata=own.keep(held, _READ))


def _messages(value: Any, leftovers: Leftovers, *, first: bool = False) -> list[Utterance]:
    """The messages of an attribute, JSON or text of it; of outputs the first choice, the one that was shown."""
    listed = loaded(value)
    if not isinstance(listed, list) or not listed:
        return []
    if first:
        leftovers.count("choices beside the first", len(listed) - 1)
    return read_messages(listed[:1] if first else listed, leftovers)


def _of_events(
    events: Sequence[Event], of_given: Leftovers, own: Leftovers
) -> tuple[list[Utterance], list[Utterance]]:
    """The messages in events, in the order of their times."""
    ordered = sorted(events, key=lambda event: event.time)
    given = [_message(event, _MESSAGES[event.name]) for event in ordered if event.name in _MESSAGES]
    choices = [_message(event, "assistant") for event in ordered if event.name == _CHOICE]
    return read_messages(given, of_given), _messages(choices, own, first=True)


def _message(event: Event, role: str) -> dict[str, Any]:
    """The message in an event, or in its `message`; a tool's names its call by `id`."""
    message = dict(event.values)
    if isinstance(inner := loaded(message.get("message")), Mapping):
        message |= inner
        message.pop("message")
    for name in ("gen_ai.system", "gen_ai.provider.name", "event.name"):
        message.pop(name, None)
    if role == "tool" and "id" in message:
        message["tool_call_id"] = message.pop("id")
    content = loaded(message.get("content"))
    listed = {"content": content} if isinstance(content, list) else {}
    return {"content": None, **message, "role": role, **listed}


def _is_phoenix(value: Any) -> bool:
    if is_wrapper(value):
        return _KIND in json.dumps(value, default=str)
    return _kind(attributes_of(value)) is not None


def _kind(attributes: Mapping[str, Any]) -> str | None:
    """The kind of a span, from flat attributes or nested ones."""
    found = attributes.get(_KIND)
    for name in _KIND.split(".") if found is None else ():
        attributes = attributes.get(name, {}) if isinstance(attributes, Mapping) else {}
    found = found if found is not None else attributes
    return found.upper() if isinstance(found, str) else None


def _phoenix_step(span: Span) -> Step:
    session = _object(span.tree, "session").get("id")
    step = _step(span, session, [], partial(_phoenix_call, span))
    if _kind(span.flat) == "TOOL":
        rest = [name for name in span.flat if name.startswith((*_READ_OF_OPENINFERENCE, "tool", "span."))]
        left = Leftovers()
        left.count_unread(span.flat, rest, "tools.")
        tool = _object(span.tree, "tool")
        id_ = tool.get("id") or span.id
        name = str(tool.get("name") or span.name or "tool")
        step.tool = [tool_call(id_, name, _value(span, "input")), tool_result(id_, _value(span, "output"))]
        step.left = left.left
    return step


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    held = value.get(name)
    return held if isinstance(held, Mapping) else {}


def _value(span: Span, side: str) -> Any:
    held = span.tree.get(side)
    return held.get("value") if isinstance(held, Mapping) else held


def _phoenix_call(span: Span) -> Call | None:
    """Return what a span says: its messages, else what went in and came out as text."""
    if (_kind(span.flat) or "") not in _SPEAKS:
        return None
    of_given, own = Leftovers(), Leftovers()
    model = _object(span.tree, "llm")
    given = _phoenix_messages(model.get("input_messages"), of_given)
    given = given or said_in(_value(span, "input"), Speaker.USER, of_given)
    came = _phoenix_messages(model.get("output_messages"), own)
    came = came or said_in(_value(span, "output"), Speaker.ASSISTANT, own)
    if not given and not came:
        return None
    rest = {
        name: value
        for name, value in span.flat.items()
        if not name.startswith(_READ_OF_OPENINFERENCE)
        and name not in ("llm", "input", "output", "session", "openinference")
    }
    own.left.update(f"events {event.name}" for event in span.events)
    return Call(
        span.place, given, came, of_given.left, own.left, metadata=own.keep(rest, ()), labels=_labels(span)
    )


def _phoenix_messages(value: Any, leftovers: Leftovers) -> list[Utterance]:
    listed = loaded(value)
    return _messages([_plain(one) for one in listed] if isinstance(listed, list) else [], leftovers)


def _plain(message: Any) -> Any:
    """A message of OpenInference as others have it."""
    inner = message.get("message", message) if isinstance(message, Mapping) else message
    if not isinstance(inner, Mapping):
        return inner
    made = dict(inner)
    contents = made.pop("contents", None)
    if isinstance(contents, list) and not made.get("content"):
        made["content"] = [_content(one) for one in contents]
    calls = made.pop("tool_calls", None)
    if isinstance(calls, list):
        made["tool_calls"] = [one.get("tool_call", one) if isinstance(one, Mapping) else one for one in calls]
    if "function_call_name" in made:
        arguments = made.pop("function_call_arguments_json", None)
        made["function_call"] = {"name": made.pop("function_call_name"), "arguments": arguments}
    return made


def _content(part: Any) -> Any:
    """A part; the address of a picture is in `image.image.url`."""
    inner = part.get("message_content", part) if isinstance(part, Mapping) else part
    image = _object(_object(inner, "image"), "image") if isinstance(inner, Mapping) else {}
    return {**inner, "image": image} if image else inner


def _labels(span: Span) -> list[Label]:
    """Annotations of the span; those of a person are people's."""
    found = []
    listed = span.tree.get("annotations")
    for one in listed if isinstance(listed, list) else ():
        held = one.get("annotation", one) if isinstance(one, Mapping) else {}
        score = as_score(held.get("score"))
        if score is not None:
            kind = str(held.get("annotator_kind") or "HUMAN").upper()
            rater = str(held.get("identifier") or kind.casefold())
            name = str(held.get("name") or "annotation")
            found.append(Label(name, score, rater, "human" if kind == "HUMAN" else "judge"))
    return found


opentelemetry = Reader(_is_opentelemetry, partial(_read, step_of))
phoenix = Reader(_is_phoenix, partial(_read, _phoenix_step))
