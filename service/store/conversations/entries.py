"""Answers of Redis as values."""

from collections.abc import Mapping, Sequence
from typing import Final

from .protocol import ClaimedConversation, OutboxEvent, belongs_to, without

PLACE_BITS: Final = 20
"""Low bits of an event's number, for its place within the millisecond above them."""


def number_of(place: bytes) -> int:
    """The place of an entry as one number that grows."""
    milliseconds, _, count = place.partition(b"-")
    return (int(milliseconds) << PLACE_BITS) + int(count)


def event(place: bytes, fields: Mapping[bytes, bytes]) -> OutboxEvent:
    """Return an event as its output gets it."""
    kind, conversation = fields[b"kind"].decode(), fields[b"conversation"].decode()
    unfinished = int(fields.get(b"unfinished", 0))
    return OutboxEvent(place.decode(), number_of(place), kind, conversation, fields[b"content"], unfinished)


def facts_of(fields: Mapping[bytes, bytes]) -> dict[str, str]:
    """Return the facts in the hash of a conversation."""
    return {key.decode()[2:]: value.decode() for key, value in fields.items() if key.startswith(b"f:")}


def messages_of(values: Sequence[bytes]) -> list[str]:
    """Return the messages of a conversation, each stored as `place:message`, in the order of their places."""
    numbered = (one.decode().partition(":") for one in values)
    return [text for _, text in sorted((int(number), text) for number, _, text in numbered)]


def claimed(
    name: bytes, now: bytes, revision: bytes, flat: Sequence[bytes], messages: Sequence[bytes]
) -> ClaimedConversation:
    """Return a conversation as the script claims it; `flat` are the names and values of its hash."""
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    idle, first, last, at = (
        int(value) / 1000 for value in (*(fields.get(key, 0) for key in (b"idle", b"first", b"last")), now)
    )
    return ClaimedConversation(
        conversation=name.decode(),
        token=int(fields[b"token"]),
        version=int(fields.get(b"version", 0)),
        revision=int(revision) + 1,
        attempts=int(fields.get(b"attempts", 1)),
        complete=fields.get(b"complete") == b"1",
        idle=idle,
        first=first,
        last=last,
        now=at,
        facts=facts_of(fields),
        messages=messages_of(messages),
        unfinished=int(fields.get(b"unfinished", 0)),
    )


def content_of(fields: Mapping[bytes, bytes]) -> bytes:
    """Return what an entry of a stream holds."""
    return fields.get(b"post") or fields.get(b"content") or b""


def tells_of(fields: Mapping[bytes, bytes], conversation: str) -> bool:
    """Return whether an entry of a stream belongs to a conversation, or is an alarm that shows it."""
    content = content_of(fields)
    if own := fields.get(b"conversation"):
        return own.decode() == conversation
    return without(content, conversation) is not None or belongs_to(content, conversation)
