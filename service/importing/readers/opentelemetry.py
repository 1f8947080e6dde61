"""OpenTelemetry's spans and events of generative AI: `gen_ai.input.messages`, and the events of earlier conventions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, Wanted
from ..model_calls.calls import Call
from ..model_calls.spans import Event, Span, attributes_of, is_wrapper, spans_of
from ..model_calls.traces import Step, read_traces
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import read_messages
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_INPUT, _OUTPUT, _INSTRUCTIONS = (
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
)
_SESSIONS = ("gen_ai.conversation.id", "session.id")
_MESSAGES = {
    "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool",
    "gen_ai.system.message": "system",
}  # fmt: skip
"""Events of the conventions up to 1.36, each a message."""
_CHOICE = "gen_ai.choice"
_DETAILS = "gen_ai.client.inference.operation.details"
_TOOL = ("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
_READ = frozenset({_INPUT, _OUTPUT, _INSTRUCTIONS, "gen_ai.tool.definitions", *_SESSIONS, *_TOOL})


def fits(value: Any) -> bool:
    """Return whether a value is a span or a log record of generative AI, or OTLP's JSON of such."""
    if is_wrapper(value):
        return "gen_ai." in json.dumps(value, default=str)
    if not isinstance(value, Mapping):
        return False
    events = value.get("events")
    names = (
        [str(one.get("name")) for one in events if isinstance(one, Mapping)]
        if isinstance(events, list)
        else []
    )
    names += [str(value.get("eventName") or value.get("event_name") or "")]
    is_span = any(
        name in value for name in ("traceId", "trace_id", "context", "context.trace_id", "spanId", "span_id")
    )
    return (is_span or bool(names[-1])) and any(
        name.startswith("gen_ai.") for name in (*attributes_of(value), *names)
    )


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read spans and log records as traces."""
    return read_traces((step_of(span) for span in spans_of(entries, faults)), wanted, faults)


def step_of(span: Span) -> Step:
    """The step that a span is."""
    details = [event.values for event in span.events if event.name == _DETAILS]
    held = {**span.flat, **{name: value for one in details for name, value in one.items()}}
    session = next((held[name] for name in _SESSIONS if held.get(name)), None)
    return Step(
        span.place, span.id, span.parent, span.trace, span.start, None if session is None else str(session), _tool(held),
        lambda: _call(span, held),
        span.started,
    )  # fmt: skip


def _tool(held: Mapping[str, Any]) -> list[dict[str, Any]]:
    name, id_, arguments, result = (held.get(field) for field in _TOOL)
    if name is None or held.get("gen_ai.operation.name") not in (None, "execute_tool"):
        return []
    call = tool_call(id_, str(name), loaded(arguments))
    return [call] if result is None else [call, tool_result(id_, loaded(result))]


def _call(span: Span, held: Mapping[str, Any]) -> Call | None:
    of_given, own = Leftovers(), Leftovers()
    given = _messages(held.get(_INPUT), of_given)
    came = _messages(held.get(_OUTPUT), own, first=True)
    if not given and not came:
        given, came = _of_events(span.events, of_given, own)
    if not given and not came:
        return None
    if held.get(_INSTRUCTIONS):
        given = [Utterance(Speaker.INSTRUCTION, None, role="system"), *given]
    metadata = own.keep({name: value for name, value in held.items() if name not in _READ}, ())
    others = [event for event in span.events if event.name not in (*_MESSAGES, _CHOICE, _DETAILS)]
    own.left.update(f"events {event.name}" for event in others)
    return Call(span.place, given, came, of_given.left, own.left, metadata=metadata, system=None)


def _messages(value: Any, leftovers: Leftovers, *, first: bool = False) -> list[Utterance]:
    """The messages of an attribute, JSON or text of it; of outputs the first choice, the one that was shown."""
    listed = loaded(value)
    if not isinstance(listed, list) or not listed:
        return []
    if first and len(listed) > 1:
        leftovers.count("choices beside the first", len(listed) - 1)
    return read_messages(listed[:1] if first else listed, leftovers)


def _of_events(
    events: Sequence[Event], of_given: Leftovers, own: Leftovers
) -> tuple[list[Utterance], list[Utterance]]:
    """The messages in events, in the order of their times."""
    ordered = sorted(events, key=lambda event: event.time)
    given = [_message(event, _MESSAGES[event.name]) for event in ordered if event.name in _MESSAGES]
    choices = [_message(event, "assistant") for event in ordered if event.name == _CHOICE]
    if len(choices) > 1:
        own.count("choices beside the first", len(choices) - 1)
    return read_messages(given, of_given), read_messages(choices[:1], own)


def _message(event: Event, role: str) -> dict[str, Any]:
    """The message in an event, or in its `message`; a tool's names its call by `id`."""
    inner = loaded(event.values.get("message"))
    message = {**event.values, **inner} if isinstance(inner, Mapping) else dict(event.values)
    if isinstance(inner, Mapping):
        message.pop("message")
    content = message.get("content")
    call = {"tool_call_id": message.pop("id")} if role == "tool" and "id" in message else {}
    for name in ("gen_ai.system", "gen_ai.provider.name", "event.name"):
        message.pop(name, None)
    return {
        **message,
        "role": role,
        "content": loaded(content) if isinstance(loaded(content), list) else content,
        **call,
    }
