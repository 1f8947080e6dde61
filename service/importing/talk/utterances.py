"""An utterance: one message as any format has it; how a log takes it, and whole conversations as logs with labels beside them.

Text stands in `content`; calls of tools, their results and pictures stand in `parts`, as a log's messages have them. But
arguments and results are values instead of JSON text."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from ..entries import Json
from ..imported import Imported, UnreadableError, Wanted
from .labels import Label, mapped
from .leftovers import Leftovers
from .speakers import Speaker

_THOUGHTS = ("think", "thinking")
"""Tags around a model's reasoning before its reply, where nobody has taken it out."""
_JSON_TEXTS = ("arguments", "content")
"""Fields of parts that a log holds as JSON text."""


Text = tuple[Speaker, str]
NOTHING: Mapping[str, str] = MappingProxyType({})


def part_key(part: Mapping[str, object]) -> tuple[object, object]:
    """The kind of a part and the call that it makes or answers: what tells two parts of one conversation apart."""
    return part.get("type"), part.get("id", part.get("call"))


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message. `content` is None where there is no text at all, as in a call of tools."""

    speaker: Speaker
    content: str | None
    id: str | None = None
    created_at: str | None = None
    recommendations: Sequence[str] | None = None
    thoughts: str | None = None
    items: Sequence[Json] = ()
    """Metadata of the items shown, as `items` of the log."""
    parts: Sequence[Json] = ()
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    labels: Sequence[Label] = ()
    role: str = ""
    """The speaker's name in the data, where it says more than `speaker`."""

    @property
    def is_shown(self) -> bool:
        """True for what a user saw or wrote: text, or items without any."""
        talks = self.speaker in (Speaker.USER, Speaker.ASSISTANT)
        return talks and (self.content is not None or self.recommendations is not None)

    @property
    def text(self) -> Text:
        """The speaker and the words, whatever stands beside."""
        return self.speaker, (self.content or "").strip()

    @property
    def identity(self) -> Hashable:
        """Text and parts, by which two messages are the same."""
        return self.text, *((part.get("type"), part.get("id"), part.get("call")) for part in self.parts)


@dataclass
class Talk:
    """The messages of a log, and what goes beside them."""

    messages: list[Json] = field(default_factory=list)
    items: list[Json] = field(default_factory=list)
    indices: dict[int, int] = field(default_factory=dict)
    """By the position of an utterance, the index of its message."""


def messages_of(said: Iterable[Utterance], leftovers: Leftovers) -> Talk:
    """The messages of a log. Instructions, and messages without text, items or parts, are counted."""
    talk = Talk()
    for position, utterance in enumerate(said):
        role = _role(utterance)
        if role is not None:
            talk.indices[position] = len(talk.messages)
            talk.messages.append(_message(utterance, role, leftovers))
            talk.items.extend(utterance.items)
            continue
        leftovers.count(f"{leftovers.about} by {utterance.role or utterance.speaker}")
        for name in utterance.metadata:
            leftovers.count(f"{leftovers.about}.{name} of messages without text")
    return talk


def _role(utterance: Utterance) -> str | None:
    """The role of its message: `tool` for nothing but results; None where a log has no place for it."""
    if utterance.is_shown:
        return utterance.speaker.value
    if utterance.speaker is Speaker.INSTRUCTION or not utterance.parts:
        return None
    if all(part.get("type") == "tool_result" for part in utterance.parts):
        return "tool"
    return utterance.speaker.value if utterance.speaker in (Speaker.USER, Speaker.ASSISTANT) else "assistant"


def _message(utterance: Utterance, role: str, leftovers: Leftovers) -> Json:
    text = utterance.content or ""
    for tag in _THOUGHTS if utterance.speaker is Speaker.ASSISTANT else ():
        thoughts, end, reply = text.partition(f"</{tag}>")
        if end and thoughts.lstrip().startswith(f"<{tag}>"):
            leftovers.count(f"thoughts in {leftovers.about}")
            text = reply.lstrip()
    made: Json = {"role": role, "content": text}
    for name in ("id", "thoughts", "created_at"):
        if getattr(utterance, name) is not None:
            made[name] = getattr(utterance, name)
    if utterance.recommendations is not None:
        made["recommendations"] = list(utterance.recommendations)
    if utterance.parts:
        made["parts"] = [_as_in_logs(part) for part in utterance.parts]
    if utterance.metadata:
        made["metadata"] = dict(utterance.metadata)
    return made


def _as_in_logs(part: Json) -> Json:
    texts = {
        name: json.dumps(part[name], ensure_ascii=False)
        for name in _JSON_TEXTS
        if name in part and not isinstance(part[name], str)
    }
    return {**part, **texts}


def merged_items(found: Iterable[Json]) -> list[Json]:
    """Each item once, by its id, else by its title, with all that is said of it anywhere."""
    items: dict[str, Json] = {}
    for item in found:
        key = str(item.get("id") or item["title"])
        attributes = item.get("attributes", {})
        if key not in items:
            items[key] = {**item, **({"attributes": {**attributes}} if attributes else {})}
            continue
        known = items[key]
        for name, value in item.items():
            known.setdefault(name, {} if name == "attributes" else value)
        if attributes:
            known["attributes"].update(attributes)
    return list(items.values())


@dataclass
class Conversation:
    """One conversation as a format reads it. `fields` are those of a log, under a log's names; None is left out, and the
    `message` of an outcome is the position of an utterance.

    `labels` are those beside the utterances' own: by the position of an utterance, or None for the whole."""

    place: str
    said: Sequence[Utterance]
    id: str | None = None
    history: Sequence[Utterance] = ()
    labels: Iterable[tuple[int | None, Label]] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    items: Sequence[Json] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    marks: Iterable[tuple[int, Json]] = ()
    """People's notes on an utterance in words, as strategies: lines of labels that are no ratings."""

    def imported(self, wanted: Wanted, leftovers: Leftovers) -> Imported:
        """The log and its labels. Raises UnreadableError where nobody says anything."""
        talk = messages_of(self.said, leftovers)
        if not talk.messages:
            raise UnreadableError("no messages")
        earlier = messages_of(self.history, leftovers.of_history())
        metadata = dict(self.metadata)
        labels = [*self.labels, *((at, label) for at, one in enumerate(self.said) for label in one.labels)]
        labels += [(None, label) for label in mapped(metadata)]
        for at, message in talk.indices.items():
            held = talk.messages[message].get("metadata", {})
            labels += [(at, label) for label in mapped(held)]
            if not held:
                talk.messages[message].pop("metadata", None)
        marks = [(talk.indices[at], mark) for at, mark in self.marks if at in talk.indices]
        outcome = self.fields.get("outcome")
        name = self.id if self.id or not (labels or marks) else PurePath(self.place).name
        system = wanted.system or self.fields.get("system")
        given = {
            "id": name,
            **self.fields,
            "system": system,
            "domain": wanted.domain or self.fields.get("domain"),
            "history": earlier.messages,
            "messages": talk.messages,
            "items": merged_items([*self.items, *earlier.items, *talk.items]),
            "metadata": metadata,
        }
        if outcome:  # its message is one of the log, or none
            at_message = outcome.get("message")
            place = talk.indices.get(at_message) if isinstance(at_message, int) else None
            known = {} if place is None else {"message": place}
            given["outcome"] = {"accepted": outcome["accepted"], **known}
        log = {key: value for key, value in given.items() if value not in (None, [], {})}
        rows = [
            _row(str(name), label, None if position is None else talk.indices.get(position), system)
            for position, label in labels
        ]
        rows += [{"conversation": str(name), "message": at, **mark} for at, mark in marks]
        return Imported(self.place, log, rows, leftovers.left)


def _row(conversation: str, label: Label, turn: int | None, system: str | None) -> Json:
    """A label as `crs-eval agreement` reads it."""
    row = {
        "conversation": conversation,
        "factor": label.factor,
        "rater": label.rater,
        "kind": label.kind,
        "score": label.score,
        "system": system,
        "turn": turn,
    }
    return {key: value for key, value in row.items() if value is not None}
