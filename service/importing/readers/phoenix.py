"""Phoenix's spans, and any others with OpenInference's attributes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, Wanted
from ..model_calls.calls import Call
from ..model_calls.exchanges import said_in
from ..model_calls.spans import Span, attributes_of, is_wrapper, spans_of
from ..model_calls.traces import Step, read_traces
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers, loaded
from ..talk.messages import read_messages
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance

_KIND = "openinference.span.kind"
_SPEAKS = ("LLM", "CHAIN", "AGENT", "")
_READ = (
    "llm.input_messages", "llm.output_messages", "llm.tools", "input.", "output.", "session.id", _KIND, "annotations.",
    "trace.annotations.", "session.annotations.", "llm.prompts", "llm.choices",
)  # fmt: skip


def fits(value: Any) -> bool:
    """Return whether a value is a span with OpenInference's kind, or OTLP's JSON of such."""
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


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read spans as traces."""
    return read_traces((_step(span) for span in spans_of(entries, faults)), wanted, faults)


def _step(span: Span) -> Step:
    session = span.tree.get("session")
    name = session.get("id") if isinstance(session, Mapping) else None
    left = Leftovers()
    return Step(
        span.place, span.id, span.parent, span.trace, span.start, None if name is None else str(name), _tool(span, left),
        lambda: _call(span),
        span.started,
        left.left,
    )  # fmt: skip


def _tool(span: Span, left: Leftovers) -> list[dict[str, Any]]:
    if _kind(span.flat) != "TOOL":
        return []
    rest = {name: part for name, part in span.flat.items() if not name.startswith((*_READ, "tool", "span."))}
    left.count_unread(rest, (), "tools.")
    tool = span.tree.get("tool")
    named = tool if isinstance(tool, Mapping) else {}
    call = named.get("id") or span.id
    return [
        tool_call(call, str(named.get("name") or span.name or "tool"), loaded(_value(span, "input"))),
        tool_result(call, loaded(_value(span, "output"))),
    ]


def _value(span: Span, side: str) -> Any:
    held = span.tree.get(side)
    return held.get("value") if isinstance(held, Mapping) else held


def _call(span: Span) -> Call | None:
    """Return what a span says: its messages, else what went in and came out as text."""
    if (_kind(span.flat) or "") not in _SPEAKS:
        return None
    of_given, own = Leftovers(), Leftovers()
    model = span.tree.get("llm")
    held = model if isinstance(model, Mapping) else {}
    given = _messages(held.get("input_messages"), of_given) or said_in(
        _value(span, "input"), Speaker.USER, of_given
    )
    came = _messages(held.get("output_messages"), own) or said_in(
        _value(span, "output"), Speaker.ASSISTANT, own
    )
    if not given and not came:
        return None
    rest = {
        name: value
        for name, value in span.flat.items()
        if not name.startswith(_READ) and name not in ("llm", "input", "output", "session", "openinference")
    }
    own.left.update(f"events {event.name}" for event in span.events)
    return Call(
        span.place, given, came, of_given.left, own.left, metadata=own.keep(rest, ()), labels=_labels(span)
    )


def _messages(value: Any, leftovers: Leftovers) -> list[Utterance]:
    listed = loaded(value)
    if not isinstance(listed, list):
        return []
    return read_messages([_plain(one) for one in listed], leftovers)


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
    """A part; a picture's address stands in `image.image.url`."""
    inner = part.get("message_content", part) if isinstance(part, Mapping) else part
    image = inner.get("image") if isinstance(inner, Mapping) else None
    deep = image.get("image") if isinstance(image, Mapping) else None
    return {**inner, "image": deep} if isinstance(deep, Mapping) else inner


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
