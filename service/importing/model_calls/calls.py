"""Calls of a model, one per entry, as conversations: grouped by conversation name, by the previous call's id,
or else by continuing an earlier call's messages. Traces hold such calls in their steps: those of one session are in a row."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from ..entries import Fault
from ..imported import Imported, UnreadableError, Wanted, refusing
from ..talk.labels import Label
from ..talk.leftovers import Leftovers, as_name
from ..talk.speakers import Speaker
from ..talk.utterances import Conversation, Text, Utterance, part_key

NAMES = (
    "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId", "chat_id", "chatId", "conversation",
    "session", "thread", "custom_id",
)  # fmt: skip
"""Fields that name the conversation of a call, in it or in its metadata."""
_BEGINNING = 0


@dataclass
class Call:
    """Input and output of a model, with what is noted of both."""

    place: str
    given: Sequence[Utterance]
    came: Sequence[Utterance]
    left_of_given: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    unread: bool = False
    """True where something came out that holds no message."""
    conversation: str | None = None
    id: str | None = None
    previous: str | None = None
    """The id of the call that it goes on from."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[Label] = ()
    """Labels of what came out."""


class _Talk:
    """The talk over calls of a model. All calls together take time in proportion to what they hold."""

    def __init__(self, place: str, order: int) -> None:
        self.place = place
        self.order = order
        self.name: str | None = None
        self.replied = False
        """True once the assistant replied in it."""
        self.mark = _BEGINNING
        """The mark that was shown of it, one of `_marks_of`."""
        self._said: list[Utterance] = []
        self._shown: list[Text] = []
        self._since: set[Hashable] = set()
        """Calls of tools since the last message that was shown."""
        self._left: Counter[str] = Counter()
        self._instructions: Counter[str] = Counter()
        self._metadata: dict[str, str] = {}
        self._labels: list[tuple[int | None, Label]] = []

    def add(self, call: Call) -> None:
        """Go on with a call. What it is given once more is counted once."""
        came = [*call.came]
        if came:
            metadata, labels = {**call.metadata, **came[-1].metadata}, [*came[-1].labels, *call.labels]
            came[-1] = replace(came[-1], metadata=metadata, labels=labels)
        else:
            self._metadata.update(call.metadata)
            self._labels.extend((None, label) for label in call.labels)
        if self._go_on(call.given, came):
            _raise_to(self._left, call.left_of_given)
        else:
            self._left.update(call.left_of_given)
        self._left.update(call.left)
        instructions = Counter(
            one.role or "system" for one in call.given if one.speaker is Speaker.INSTRUCTION
        )
        _raise_to(self._instructions, instructions)
        self.name = call.conversation or self.name or call.id

    def _go_on(self, given: Sequence[Utterance], came: Sequence[Utterance]) -> int:
        """Add a call's new messages. Returns how many of its messages the talk already had.

        A call whose input is the talk or its end continues from there; one with only new messages appends
        them. Only what users see is compared: instructions are no part of a talk, and tool calls do not
        appear everywhere."""
        whole = [*(one for one in given if one.speaker is not Speaker.INSTRUCTION), *came]
        shared = _shared(self._shown, [one.text for one in whole if one.is_shown])
        at = after_shown(whole, shared)
        while shared and at < len(whole) and not whole[at].is_shown and whole[at].identity in self._since:
            at += 1
        for one in whole[at:]:
            self._said.append(one)
            self.replied = self.replied or one.speaker is Speaker.ASSISTANT
            if one.is_shown:
                self._shown.append(one.text)
                self.mark = hash((self.mark, one.text))
                self._since.clear()
            elif one.parts:
                self._since.add(one.identity)
        return shared

    def imported(self, wanted: Wanted) -> Imported:
        """The log of the talk."""
        leftovers = Leftovers(left=self._left)
        for role, number in self._instructions.items():
            leftovers.count(f"messages by {role}", number)
        return Conversation(
            self.place, self._said, id=self.name, labels=self._labels, metadata=self._metadata
        ).imported(wanted, leftovers)


def _raise_to(counts: "Counter[str]", least: Mapping[str, int]) -> None:
    """Raise counts to what they are at least."""
    for name, number in least.items():
        counts[name] = max(counts[name], number)


def conversations(
    calls: Iterable[Call], wanted: Wanted, faults: list[Fault], *, by_talk: bool = True
) -> Iterator[Imported]:
    """The conversations that calls make, in the order of their first calls. `by_talk` lets a call that names none go on with
    the latest talk that it is given whole."""
    talks: list[_Talk] = []
    named: dict[str, _Talk] = {}
    at_mark: dict[int, list[_Talk]] = {}
    """The talks that stood at a mark, the latest last; some of them have gone on since."""
    for call in calls:
        names = (name for name in (call.conversation, call.previous) if name and name in named)
        talk = next((named[name] for name in names), None)
        if talk is None and by_talk and not call.conversation:
            latest = (_latest(at_mark.get(mark, []), mark) for mark in _marks_of(call.given))
            talk = max(filter(None, latest), key=lambda one: one.order, default=None)
        if talk is None:
            talk = _Talk(call.place, len(talks))
            talks.append(talk)
        talk.add(call)
        if talk.replied:
            at_mark.setdefault(talk.mark, []).append(talk)
        named.update({name: talk for name in (call.conversation, call.id) if name})
    for talk in talks:
        with refusing(talk.place, faults):
            yield talk.imported(wanted)


def _latest(there: list[_Talk], mark: int) -> _Talk | None:
    while there and there[-1].mark != mark:
        there.pop()
    return there[-1] if there else None


def _marks_of(said: Sequence[Utterance]) -> list[int]:
    """The marks of all talks that something goes on with: those whose shown messages are its first ones, the shortest first."""
    texts = [one.text for one in said if one.is_shown]
    marks = accumulate(texts[:-1], lambda mark, text: hash((mark, text)), initial=_BEGINNING)
    return list(marks) if texts else []


def after_shown(said: Sequence[Utterance], number: int) -> int:
    """The position after so many messages that were shown."""
    positions = [at for at, one in enumerate(said) if one.is_shown]
    return positions[number - 1] + 1 if number else 0


def _shared(talk: Sequence[Text], whole: Sequence[Text]) -> int:
    """Return how many messages both end the talk and begin the call. A call with nothing else repeats the
    talk. (Knuth, Morris and Pratt: every message is looked at twice at most.)"""
    first = whole[:-1]
    borders = [0] * len(first)
    length = 0
    for at in range(1, len(first)):
        length = borders[at] = _longer(first, borders, length, first[at])
    length = 0
    for text in talk[-len(first) :] if first else ():
        length = _longer(first, borders, length, text)
    return length


def _longer(first: Sequence[Text], borders: Sequence[int], length: int, text: Text) -> int:
    """Return how many of the first messages stand at the end of what was read, with one more message."""
    while length and (length == len(first) or first[length] != text):
        length = borders[length - 1]
    return length + 1 if first[length] == text else 0


def name_of(*values: Any) -> tuple[str | None, str | None]:
    """The name of a conversation in the first of these objects that has one, or in its metadata; and its field."""
    held = [value for value in values if isinstance(value, Mapping)]
    given = [one for value in held for one in (value, value.get("metadata"))]
    for one in [one for one in given if isinstance(one, Mapping)]:
        for field_ in NAMES:
            name = as_name(one.get(field_))
            if name is not None:
                return name, field_
    return None, None


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
