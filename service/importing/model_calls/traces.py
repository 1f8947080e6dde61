"""Traces as conversations: what went into each and came out of it, its tools between, traces of one session in a row."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..entries import Fault
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance, part_key
from .calls import Call, after_shown, conversations


@dataclass
class Step:
    """A span, a run or an observation in which somebody says something or a tool is called."""

    place: str
    id: str
    parent: str | None
    trace: str
    start: float
    session: str | None = None
    tool: Sequence[dict[str, object]] = ()
    """The call and the result of a tool, as parts."""
    read: "Callable[[], Call | None]" = field(default=lambda: None)
    """The messages that went in and came out, read on demand; None where nobody says anything."""
    time: str | None = None
    left: Mapping[str, int] = field(default_factory=dict)
    """Counts of what is left out of a tool's step."""


def read_traces(steps: Iterable[Step], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """The conversations in traces: each trace by its outermost steps in which somebody speaks, in the order of their starts."""
    traces: dict[str, list[Step]] = {}
    for step in steps:
        traces.setdefault(step.trace or step.id, []).append(step)
    calls: list[tuple[float, Call]] = []
    for name, trace in traces.items():
        with refusing(trace[0].place, faults):
            calls += _calls(name, sorted(trace, key=lambda step: step.start))
    in_order = [call for _, call in sorted(calls, key=lambda pair: pair[0])]
    yield from conversations(in_order, wanted, faults, by_talk=False)


def _calls(name: str, trace: Sequence[Step]) -> list[tuple[float, Call]]:
    """The calls of one trace. Those inside a step that says what the user saw are steps on its way."""
    session = next((step.session for step in trace if step.session), None)
    speaking = {step.id: call for step in trace if (call := step.read()) is not None}
    holders = _outermost(trace, speaking)
    # A step without its own reply has that of a step inside.
    answered = {holders[id_] for id_, call in speaking.items() if id_ in holders and call.came}
    if mute := {id_ for id_ in answered if not speaking[id_].came}:
        speaking = {id_: call for id_, call in speaking.items() if id_ not in mute}
        holders = _outermost(trace, speaking)
    outer = [step for step in trace if step.id in speaking and step.id not in holders]
    if not outer:
        raise UnreadableError(f"no message in trace {name[:40]!r} of {len(trace)} spans")
    inside: dict[str, list[Step]] = {}
    for step in trace:
        if step.id in holders:
            inside.setdefault(holders[step.id], []).append(step)
    found = []
    for step in outer:
        call, inner = speaking[step.id], inside.get(step.id, [])
        if call.unread:
            raise UnreadableError(f"the output of {step.id[:40]!r} contains no readable message")
        left = Counter(call.left)
        left.update({"steps inside": silent} if (silent := sum(not one.tool for one in inner)) else ())
        for one in inner:
            left.update(one.left)
        given, came = dated(call.given, step.time), dated(call.came, step.time)
        came = without(came, given)
        known = {part_key(part) for one in (*given, *came) for part in one.parts}
        tools = [part for one in inner for part in one.tool if part_key(part) not in known]
        given += [Utterance(Speaker.TOOL, None, parts=tools)] if tools else []
        made = replace(call, left=left, conversation=session or name, given=given, came=came)
        found.append((step.start, made))
    return found


def dated(said: Sequence[Utterance], time: str | None) -> list[Utterance]:
    """Messages with the time of their step at the last one that was shown, where it has none."""
    last = after_shown(said, sum(one.is_shown for one in said)) - 1
    return [
        replace(one, created_at=time) if at == last and one.created_at is None else one
        for at, one in enumerate(said)
    ]


def without(came: Sequence[Utterance], given: Sequence[Utterance]) -> list[Utterance]:
    """Return the output, without the input if it repeats the talk."""
    first, second = ([one.text for one in some if one.is_shown] for some in (given, came))
    goes_on = 0 < len(first) < len(second) and first == second[: len(first)]
    return list(came[after_shown(came, len(first)) :] if goes_on else came)


def _outermost(trace: Sequence[Step], speaking: Mapping[str, Call]) -> Mapping[str, str]:
    """The outermost step around each in which somebody speaks, by their ids; steps that stand in none are left out. Each step
    is looked at once."""
    parents = {step.id: step.parent for step in trace}
    found: dict[str, str | None] = {}
    for start in parents:
        way: list[str] = []
        at: str | None = start
        while at and at in parents and at not in found:
            found[at] = None  # until it is known; and for good where steps stand in one another
            way.append(at)
            at = parents[at]
        holder = at if at in parents else None
        for id_ in reversed(way):
            found[id_] = None if holder is None else found[holder] or (holder if holder in speaking else None)
            holder = id_
    return {id_: outer for id_, outer in found.items() if outer is not None}
