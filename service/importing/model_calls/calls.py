"""Calls of a model, one an entry, as conversations: by the name that each gives its conversation, by the call before that it
names, else by going on with what an earlier call said."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..entries import Entry, Fault
from ..format import Read, attempt
from ..imported import Imported, UnreadableError, Wanted
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker
from ..talk.utterances import Utterance
from .exchanges import begins_with, gone_on

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
    name: str | None = None
    said: list[Utterance] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    instructions: Counter[str] = field(default_factory=Counter)
    metadata: dict[str, str] = field(default_factory=dict)
    labels: list[tuple[int | None, Label]] = field(default_factory=list)
    system: str | None = None

    def add(self, call: Call) -> None:
        """Go on with a call. What it is given once more is counted once."""
        self.said, shared = gone_on(self.said, call.given, call.noted)
        self.left = (
            self.left | Counter(call.left_of_given) if shared else self.left + Counter(call.left_of_given)
        )
        self.left += Counter(call.left)
        told = Counter(one.role or "system" for one in call.given if one.speaker is Speaker.INSTRUCTION)
        self.instructions |= told
        self.system = self.system or call.system
        self.name = call.conversation or self.name or call.id
        if not call.came:
            self.metadata.update(call.metadata)
            self.labels.extend((None, label) for label in call.labels)

    def goes_on_in(self, call: Call) -> bool:
        """Return whether a call is given all of this talk, a reply among it, and more."""
        heard = any(one.speaker is Speaker.ASSISTANT for one in self.said)
        return heard and begins_with(call.given, self.said)

    def imported(self, wanted: Wanted) -> Imported:
        """The log of the talk."""
        leftovers = Leftovers()
        leftovers.left = self.left + Counter(
            {f"messages by {role}": n for role, n in self.instructions.items()}
        )
        return Conversation(
            self.place,
            self.said,
            id=self.name,
            labels=self.labels,
            metadata=self.metadata,
            fields={"system": self.system},
        ).imported(wanted, leftovers)


def read_calls(read: Callable[[Entry], Call | None]) -> Read:
    """A reading in which each entry is a call, or nothing that anybody said (None)."""

    def reading(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
        calls = []
        for entry in entries:
            try:
                call = read(entry)
            except UnreadableError as error:
                faults.append(Fault(entry.place, str(error)))
            else:
                calls.extend([call] if call is not None else [])
        yield from conversations(calls, wanted, faults)

    return reading


def conversations(
    calls: Iterable[Call], wanted: Wanted, faults: list[Fault], *, by_talk: bool = True
) -> Iterator[Imported]:
    """The conversations that calls make, in the order of their first calls. `by_talk` lets a call that names none go on with
    the latest talk that it is given whole."""
    talks: list[_Talk] = []
    named: dict[str, _Talk] = {}
    for call in calls:
        known = next(
            (named[name] for name in (call.conversation, call.previous) if name and name in named), None
        )
        if known is None and by_talk and not call.conversation:
            known = next((talk for talk in reversed(talks) if talk.goes_on_in(call)), None)
        if known is None:
            known = _Talk(call.place)
            talks.append(known)
        known.add(call)
        named.update({name: known for name in (call.conversation, call.id) if name})
    for talk in talks:
        yield from attempt(talk.place, faults, talk.imported, wanted)


def name_of(*values: Any) -> tuple[str | None, str | None]:
    """The name of a conversation in the first of these objects that has one, or in its metadata; and its field."""
    given = [one for value in values if isinstance(value, Mapping) for one in (value, value.get("metadata"))]
    held = [one for one in given if isinstance(one, Mapping)]
    for one in held:
        for field_ in NAMES:
            name = one.get(field_)
            name = name.get("id") if isinstance(name, Mapping) else name
            if isinstance(name, str | int) and not isinstance(name, bool) and str(name).strip():
                return str(name), field_
    return None, None
