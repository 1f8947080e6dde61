"""Calls of a model, one an entry, as conversations: by the name that each gives its conversation, or by the call before that it
names. Else by going on with what an earlier call said."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from ..entries import Fault
from ..format import refusing
from ..imported import Imported, Wanted
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers, as_name
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance
from .exchanges import Talk, marks_of

NAMES = (
    "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId", "chat_id", "chatId", "conversation",
    "session", "thread", "custom_id",
)  # fmt: skip
"""Fields that name the conversation of a call, in it or in its metadata."""


@dataclass
class Call:
    """Input and output of a model, with what is noted of both."""

    place: str
    given: Sequence[Utterance]
    came: Sequence[Utterance]
    left_of_given: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    conversation: str | None = None
    id: str | None = None
    previous: str | None = None
    """The id of the call that it goes on from."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[Label] = ()
    """Labels of what came out."""
    system: str | None = None

    @property
    def noted(self) -> Sequence[Utterance]:
        """Return what came out, with the metadata and the labels of the call at its last message."""
        if not self.came:
            return ()
        *first, last = self.came
        return [
            *first,
            replace(last, metadata={**self.metadata, **last.metadata}, labels=[*last.labels, *self.labels]),
        ]


@dataclass
class _Talk:
    place: str
    order: int
    name: str | None = None
    talk: Talk = field(default_factory=Talk)
    left: Counter[str] = field(default_factory=Counter)
    instructions: Counter[str] = field(default_factory=Counter)
    metadata: dict[str, str] = field(default_factory=dict)
    labels: list[tuple[int | None, Label]] = field(default_factory=list)
    system: str | None = None

    def add(self, call: Call) -> None:
        """Go on with a call. What it is given once more is counted once."""
        shared = self.talk.go_on(call.given, call.noted)
        if shared:
            _raise_to(self.left, call.left_of_given)
        else:
            self.left.update(call.left_of_given)
        self.left.update(call.left)
        told = Counter(one.role or "system" for one in call.given if one.speaker is Speaker.INSTRUCTION)
        _raise_to(self.instructions, told)
        self.system = self.system or call.system
        self.name = call.conversation or self.name or call.id
        if not call.came:
            self.metadata.update(call.metadata)
            self.labels.extend((None, label) for label in call.labels)

    def imported(self, wanted: Wanted) -> Imported:
        """The log of the talk."""
        leftovers = Leftovers()
        leftovers.left = self.left + Counter(
            {f"messages by {role}": n for role, n in self.instructions.items()}
        )
        return Conversation(
            self.place,
            self.talk.said,
            id=self.name,
            labels=self.labels,
            metadata=self.metadata,
            fields={"system": self.system},
        ).imported(wanted, leftovers)


class _Talks:
    """All talks of a reading, the latest of which a call may go on with."""

    def __init__(self) -> None:
        self.made: list[_Talk] = []
        self._by_mark: dict[int, list[tuple[int, _Talk]]] = {}
        """The talks that stood at a mark, the latest first; some of them have gone on since."""

    def begin(self, place: str) -> _Talk:
        """A talk of its own."""
        self.made.append(_Talk(place, len(self.made)))
        return self.made[-1]

    def note(self, talk: _Talk) -> None:
        """Remember where a talk stands, once a reply is among it."""
        if talk.talk.heard:
            heappush(self._by_mark.setdefault(talk.talk.mark, []), (-talk.order, talk))

    def given_to(self, call: Call) -> _Talk | None:
        """Return the latest talk that a call is given whole, a reply among it, and more."""
        found = (self._latest(mark) for mark in marks_of(call.given))
        return max((one for one in found if one), key=lambda one: one.order, default=None)

    def _latest(self, mark: int) -> _Talk | None:
        there = self._by_mark.get(mark, [])
        while there and there[0][1].talk.mark != mark:
            heappop(there)
        return there[0][1] if there else None


def _raise_to(counts: "Counter[str]", least: Mapping[str, int]) -> None:
    """Raise counts to what they are at least."""
    for name, number in least.items():
        counts[name] = max(counts[name], number)


def conversations(
    calls: Iterable[Call], wanted: Wanted, faults: list[Fault], *, by_talk: bool = True
) -> Iterator[Imported]:
    """The conversations that calls make, in the order of their first calls. `by_talk` lets a call that names none go on with
    the latest talk that it is given whole."""
    talks = _Talks()
    named: dict[str, _Talk] = {}
    for call in calls:
        known = next(
            (named[name] for name in (call.conversation, call.previous) if name and name in named), None
        )
        if known is None and by_talk and not call.conversation:
            known = talks.given_to(call)
        known = known or talks.begin(call.place)
        known.add(call)
        talks.note(known)
        named.update({name: known for name in (call.conversation, call.id) if name})
    for talk in talks.made:
        with refusing(talk.place, faults):
            yield talk.imported(wanted)


def name_of(*values: Any) -> tuple[str | None, str | None]:
    """The name of a conversation in the first of these objects that has one, or in its metadata; and its field."""
    given = [one for value in values if isinstance(value, Mapping) for one in (value, value.get("metadata"))]
    held = [one for one in given if isinstance(one, Mapping)]
    for one in held:
        for field_ in NAMES:
            name = one.get(field_)
            name = as_name(name.get("id") if isinstance(name, Mapping) and "id" in name else name)
            if name is not None:
                return name, field_
    return None, None
