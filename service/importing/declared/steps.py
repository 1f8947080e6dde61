"""Traces of a declared format: each step with what went in and came out of it."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..entries import Entry, Json
from ..model_calls.calls import Call
from ..model_calls.exchanges import said_in
from ..model_calls.traces import Step
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers, loaded
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.times import as_time, moment
from .declaration import Declaration
from .expressions import expression, rest_of

_KNOWN = ("id", "parent", "trace", "session", "start", "given", "came", "labels", "tool", "failed", "call")


def steps(declaration: Declaration, entry: Entry) -> Iterator[Step]:
    """The steps of one entry. What the trace says beside them goes with the first."""
    trace = {name: expression(text)(entry.value) for name, text in declaration.trace.items()}
    given = expression(declaration.steps)(entry.value)
    listed = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, Mapping)]
    rest = rest_of(entry.value, [declaration.steps, *declaration.trace.values()]) or {}
    for at, value in enumerate(listed):
        found = {name: expression(text)(value) for name, text in declaration.step.items()}
        own = rest_of(value, declaration.step.values()) or {}
        made = {name: part for name, part in {**trace, **found}.items() if part is not None}
        own |= {name: part for name, part in made.items() if name not in _KNOWN}
        place = f"{entry.place}[{at}]" if len(listed) > 1 else entry.place
        yield _step(place, made, {**(rest if not at else {}), **own})


def _step(place: str, found: Json, rest: Mapping[str, Any]) -> Step:
    time = as_time(found.get("start"))
    left = Leftovers()
    tool = []
    if found.get("tool"):
        id_ = found.get("call") or found.get("id")
        arguments, output = loaded(found.get("given")), loaded(found.get("came"))
        tool = [
            tool_call(id_, str(found["tool"]), arguments),
            tool_result(id_, output, failed=bool(found.get("failed"))),
        ]
        left.count_unread(rest, (), "tools.")
    return Step(
        place,
        str(found.get("id") or place),
        str(found["parent"]) if found.get("parent") else None,
        str(found.get("trace") or found.get("id") or place),
        moment(time) or 0.0,
        str(found["session"]) if found.get("session") else None,
        tool,
        partial(_call, place, found, rest),
        time,
        left.left,
    )


def _call(place: str, found: Json, rest: Mapping[str, Any]) -> Call | None:
    """Return what a step says; nothing where it is a tool's."""
    of_given, own = Leftovers(), Leftovers()
    given = said_in(found.get("given"), Speaker.USER, of_given) if not found.get("tool") else []
    came = said_in(found.get("came"), Speaker.ASSISTANT, own) if not found.get("tool") else []
    if not given and not came:
        return None
    labelled = {**rest, "labels": found.get("labels")}
    labels, read = labels_in(labelled)
    return Call(place, given, came, of_given.left, own.left, metadata=own.keep(labelled, read), labels=labels)
