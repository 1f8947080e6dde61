"""An utterance: one message as any format has it; and how a log takes it.

A log's messages are the user's and the assistant's and hold text. What else was sent stands in an utterance as `parts`, in the
form of messages with more than text: `{type: tool_call, id, name, arguments}`, `{type: tool_result, call, content}`, `{type: image,
url, alt}`. `messages_of` alone decides where a log has them: today as JSON in the metadata of the reply that they led to."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...inputs import Json
from .labels import Label
from .leftovers import Leftovers
from .speakers import Speaker

PARTS = "parts"


@dataclass(frozen=True)
class Utterance:
    """One message. `content` is None where there is no text at all, as in a call of tools."""

    speaker: Speaker
    content: str | None
    id: str | None = None
    created_at: str | None = None
    recommendations: Sequence[str] | None = None
    thoughts: str | None = None
    items: Sequence[Json] = ()
    """What is known of the items shown, as `items` of the log."""
    parts: Sequence[Json] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[Label] = ()
    role: str = ""
    """The speaker's name in the data, where it says more than `speaker`."""

    @property
    def is_shown(self) -> bool:
        """True for what a user saw or wrote: text, or items without any."""
        talks = self.speaker in (Speaker.USER, Speaker.ASSISTANT)
        return talks and (self.content is not None or self.recommendations is not None)

    def same_text(self, other: "Utterance") -> bool:
        """Return whether the same speaker says the same, whatever stands beside."""
        return self.speaker is other.speaker and (self.content or "").strip() == (other.content or "").strip()

    def same_as(self, other: "Utterance") -> bool:
        """Return whether text and parts are the same."""
        return self.same_text(other) and _keys(self) == _keys(other)


def _keys(utterance: Utterance) -> list[tuple[object, ...]]:
    return [(part.get("type"), part.get("id"), part.get("call")) for part in utterance.parts]


@dataclass
class Talk:
    """The messages of a log, and what goes beside them."""

    messages: list[Json] = field(default_factory=list)
    items: list[Json] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    """Parts that led to no reply."""
    indices: dict[int, int] = field(default_factory=dict)
    """By the position of an utterance, the index of its message."""


def messages_of(said: Iterable[Utterance], leftovers: Leftovers, prefix: str = "messages") -> Talk:
    """The messages of a log. Instructions are counted; calls of tools and their results go to the reply that follows
    in the same run of the assistant, else to the one before, else to the log's own metadata."""
    talk = Talk()
    waiting: list[Json] = []
    reply: Json | None = None
    for position, utterance in enumerate(said):
        if not utterance.is_shown:
            _leave_out(utterance, leftovers, prefix)
            waiting.extend(utterance.parts)
            continue
        message = _message(utterance)
        if utterance.speaker is Speaker.USER:
            _attach(reply or {"metadata": talk.metadata}, waiting)
            _attach(message, utterance.parts)
            reply = None
        else:
            _attach(message, [*waiting, *utterance.parts])
            reply = message
        waiting = []
        talk.indices[position] = len(talk.messages)
        talk.messages.append(message)
        talk.items.extend(utterance.items)
    _attach(reply or {"metadata": talk.metadata}, waiting)
    return talk


def _leave_out(utterance: Utterance, leftovers: Leftovers, prefix: str) -> None:
    if utterance.speaker is Speaker.INSTRUCTION or not utterance.parts:
        leftovers.count(f"{prefix} by {utterance.role or utterance.speaker}")
    for name in utterance.metadata:
        leftovers.count(f"{prefix}.{name} of messages without text")


def _message(utterance: Utterance) -> Json:
    made: Json = {"role": utterance.speaker.value, "content": utterance.content or ""}
    for name in ("id", "thoughts", "created_at"):
        if getattr(utterance, name) is not None:
            made[name] = getattr(utterance, name)
    if utterance.recommendations is not None:
        made["recommendations"] = list(utterance.recommendations)
    if utterance.metadata:
        made["metadata"] = dict(utterance.metadata)
    return made


def _attach(holder: Json, parts: Sequence[Json]) -> None:
    """Put parts into the metadata of a message, or of the log."""
    if not parts:
        return
    metadata = holder.setdefault("metadata", {})
    earlier = _parts_in(metadata)
    if earlier is None:  # the data's own, of another kind
        metadata[f"{PARTS}_given"] = metadata[PARTS]
    metadata[PARTS] = json.dumps([*(earlier or ()), *parts], ensure_ascii=False)


def _parts_in(metadata: Mapping[str, str]) -> Sequence[Json] | None:
    """The parts that metadata holds; None where it holds something else by that name."""
    try:
        parts = json.loads(metadata.get(PARTS, "[]"))
    except (ValueError, RecursionError):
        return None
    sound = isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts)
    return parts if sound else None


def kinds_of_parts(metadata: Mapping[str, str] | None) -> "Counter[str]":
    """How many parts of each kind metadata holds."""
    return Counter(str(part["type"]) for part in _parts_in(metadata or {}) or ())


def merged_items(found: Iterable[Json]) -> list[Json]:
    """Each item once, by its id, else by its title, with all that is said of it anywhere."""
    items: dict[str, Json] = {}
    for item in found:
        key = str(item.get("id") or item["title"])
        known = items.get(key, {})
        attributes = {**known.get("attributes", {}), **item.get("attributes", {})}
        items[key] = {**item, **known, **({"attributes": attributes} if attributes else {})}
    return list(items.values())
