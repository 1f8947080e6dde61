"""Langfuse's traces, with or without observations, and its observations alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import Format, Limit, Line
from ..imported import Imported, Wanted
from ..model_calls.calls import Call
from ..model_calls.exchanges import said_in
from ..model_calls.traces import Step, per_entry, read_traces
from ..reading.documents import Kind
from ..talk.labels import Label, as_score
from ..talk.leftovers import Leftovers, loaded
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.times import as_time, moment

_TRACES = frozenset({"sessionId", "htmlPath", "observations", "bookmarked", "release", "public"})
_SPEAKS = ("GENERATION", "AGENT", "CHAIN", "SPAN")
_READ = (
    "id", "traceId", "parentObservationId", "sessionId", "input", "output", "observations", "timestamp", "startTime", "type", "scores",
)  # fmt: skip
_READ_OF_SCORES = (
    "id",
    "name",
    "value",
    "source",
    "dataType",
    "traceId",
    "timestamp",
    "createdAt",
    "updatedAt",
    "configId",
)


def _fits(value: Any) -> bool:
    if not isinstance(value, Mapping) or "input" not in value or "output" not in value:
        return False
    is_trace = "timestamp" in value and not _TRACES.isdisjoint(value)
    return is_trace or ("traceId" in value and "startTime" in value)


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    return read_traces(per_entry(entries, faults, _steps), wanted, faults)


def _steps(entry: Entry) -> Iterator[Step]:
    value: Mapping[str, Any] = entry.value
    if "traceId" in value:
        yield _observation(entry, None)
        return
    trace = str(value.get("id", entry.place))
    session = value.get("sessionId")
    time = moment(as_time(value.get("timestamp"))) or 0.0
    yield Step(
        entry.place,
        trace,
        None,
        trace,
        time,
        None if not session else str(session),
        (),
        lambda: _call(entry.place, value),
        as_time(value.get("timestamp")),
    )
    observations = loaded(value.get("observations"))
    for index, one in enumerate(observations if isinstance(observations, list) else ()):
        if isinstance(one, Mapping):
            yield _observation(Entry(f"{entry.place}.observations[{index}]", one), trace)


def _observation(entry: Entry, trace: str | None) -> Step:
    value = entry.value
    name = str(value.get("traceId") or trace or entry.place)
    return Step(
        entry.place,
        str(value.get("id", entry.place)),
        str(value.get("parentObservationId") or name),
        name,
        moment(as_time(value.get("startTime"))) or 0.0,
        str(value["sessionId"]) if value.get("sessionId") else None,
        _tool(value),
        lambda: _call(entry.place, value) if value.get("type") in _SPEAKS else None,
        as_time(value.get("startTime")),
        _left_of_tool(value),
    )


def _left_of_tool(value: Mapping[str, Any]) -> Mapping[str, int]:
    own = Leftovers()
    if value.get("type") == "TOOL":
        own.count_unread(value, (*_READ, "name", "level"), "observations.")
    return own.left


def _tool(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    if value.get("type") != "TOOL":
        return []
    failed = value.get("level") == "ERROR"
    return [
        tool_call(value.get("id"), str(value.get("name") or "tool"), loaded(value.get("input"))),
        tool_result(value.get("id"), loaded(value.get("output")), failed=failed),
    ]


def _call(place: str, value: Mapping[str, Any]) -> Call | None:
    of_given, own = Leftovers(), Leftovers()
    given = said_in(value.get("input"), Speaker.USER, of_given)
    came = said_in(value.get("output"), Speaker.ASSISTANT, own)
    if not given and not came:
        return None
    return Call(
        place,
        given,
        came,
        of_given.left,
        own.left,
        labels=_labels(value, own),
        metadata=own.keep(value, _READ),
    )


def _labels(value: Mapping[str, Any], own: Leftovers) -> list[Label]:
    """Scores; those of source EVAL are a judge's."""
    scores = loaded(value.get("scores"))
    found = []
    for score in scores if isinstance(scores, list) else ():
        number = as_score(score.get("value")) if isinstance(score, Mapping) else None
        if number is None:
            own.count("scores that are no numbers")
            continue
        leftovers_of_score = {name: part for name, part in score.items() if name not in _READ_OF_SCORES}
        own.count_unread(leftovers_of_score, (), "scores.")
        source = str(score.get("source") or "API")
        found.append(
            Label(
                str(score.get("name") or "score"),
                number,
                source.casefold(),
                "judge" if source == "EVAL" else "human",
            )
        )
    if isinstance(scores, Mapping):
        own.count("scores without a source", len(scores))
    return found


def _sample(said: Sequence[Line]) -> str:
    """A trace an exchange, a tool inside."""
    traces = []
    for number, (question, answer) in enumerate(zip(said[::2], said[1::2], strict=True)):
        time = f"2026-03-01T10:{number % 60:02}:00.000Z"
        tool = {"id": f"o{number}", "traceId": f"t{number}", "type": "TOOL", "name": "search", "startTime": time, "parentObservationId": None,
                "input": {"genre": "drama"}, "output": ["Paper Lanterns (2009)"], "level": "DEFAULT"}  # fmt: skip
        score = {
            "id": f"s{number}",
            "name": "helpful",
            "value": 1,
            "source": "ANNOTATION",
            "dataType": "NUMERIC",
        }
        traces.append({
            "id": f"t{number}", "timestamp": time, "name": "chat", "sessionId": "s1", "userId": "u1", "tags": ["web"], "metadata": {"plan": "free"},
            "input": {"messages": [{"role": "user", "content": question[1]}]}, "output": answer[1], "observations": [tool],
            "scores": [score] if number == 0 else [],
        })  # fmt: skip
    return json.dumps({"data": list(reversed(traces)), "meta": {"page": 1}})


FORMAT = Format(
    name="langfuse",
    reads=(
        "Langfuse's traces (API, JSON or CSV export) with or without observations, and observations alone; traces of one `sessionId` make a "
        "conversation; observations of type TOOL become parts of messages; scores are labels, those of source EVAL a judge's"
    ),
    described="https://api.reference.langfuse.com",
    fits=_fits,
    read=_read,
    sample=_sample,
    kinds=(Kind.JSON, Kind.TABLE),
    limits=frozenset({Limit.IN_TURNS}),
)
