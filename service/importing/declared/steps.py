"""Traces of a declared format: each step with what went in and came out of it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..entries import Entry, Json
from ..imported import UnreadableError
from ..model_calls.calls import Call
from ..model_calls.exchanges import said_in
from ..model_calls.traces import Step
from ..talk.labels import labels_in
from ..talk.leftovers import Leftovers
from ..talk.parts import tool_call, tool_result
from ..talk.speakers import Speaker
from ..talk.times import as_time, moment
from .declaration import Declaration
from .expressions import find, find_all, rest_of

_KNOWN = ("id", "parent", "trace", "session", "start", "given", "came", "labels", "tool", "failed", "call")


def steps(declaration: Declaration, entry: Entry) -> list[Step]:
    """The steps of one entry. What the trace says beside them goes with the first. Raises UnreadableError where there are none."""
    given = find(declaration.steps, entry.value)
    listed = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, Mapping)]
    if not listed or not isinstance(entry.value, Mapping):
        raise UnreadableError("no object")
    trace = find_all(declaration.trace, entry.value)
    rest = rest_of(entry.value, [declaration.steps, *declaration.trace.values()]) or {}
    made = []
    for at, value in enumerate(listed):
        both = {**trace, **find_all(declaration.step, value)}
        found = {name: part for name, part in both.items() if part is not None}
        own = {name: part for name, part in found.items() if name not in _KNOWN}
        place = f"{entry.place}[{at}]" if len(listed) > 1 else entry.place
        around = rest if not at else {}
        made.append(
            _step(place, found, {**around, **(rest_of(value, declaration.step.values()) or {}), **own})
        )
    return made


def _step(place: str, found: Json, rest: Mapping[str, Any]) -> Step:
    time = as_time(found.get("start"))
    left = Leftovers()
    tool = []
    if found.get("tool"):
        id_, failed = found.get("call") or found.get("id"), bool(found.get("failed"))
        call = tool_call(id_, str(found["tool"]), found.get("given"))
        tool = [call, tool_result(id_, found.get("came"), failed=failed)]
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
    if found.get("tool"):
        return None
    of_given, own = Leftovers(), Leftovers()
    given = said_in(found.get("given"), Speaker.USER, of_given)
    came = said_in(found.get("came"), Speaker.ASSISTANT, own)
    if not given and not came:
        return None
    if found.get("given") and not given:
        own.count("inputs without a message")
    labelled = {**rest, "labels": found.get("labels")}
    labels, read = labels_in(labelled)
    unread, metadata = not came and bool(found.get("came")), own.keep(labelled, read)
    return Call(place, given, came, of_given.left, own.left, unread, metadata=metadata, labels=labels)
