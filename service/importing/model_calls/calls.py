"""Calls of a model, one per entry, as conversations: grouped by conversation name, by the previous call's id,
or else by continuing an earlier call's messages."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from ..entries import Fault
from ..imported import Imported, Wanted, refusing
from ..talk.labels import Label
from ..talk.leftovers import Leftovers, as_name
from ..talk.speakers import Speaker
from ..talk.utterances import Conversation, Text, Utterance

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
