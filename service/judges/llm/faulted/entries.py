"""The list of faults in a model's answer, read without trust."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from ....domain.conversation import Role
from ....domain.verdict import Severity
from ....llm.answer_text import objects_in, printable
from ...inquiry import Case
from ..answer import Unreadable

MOST_ENTRIES = 1000


@dataclass(frozen=True)
class FaultOutline:
    """Facts that decide whether an answer can be used, small enough to be sent to another process. `replies` is the number of
    replies, `shown` that of the recommender's messages in the prompt, calls of tools included; `lists` are the lists of
    messages beside the faults."""

    replies: int
    shown: int
    lists: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FaultEntry:
    """One fault as the model states it."""

    message: int
    fault: str
    severity: Severity | None
    quote: str


@dataclass(frozen=True, slots=True)
class FaultList:
    """A model's answer. `replies_read` is the number of replies that it says to have read, never more than there are; `lists`
    maps the name of each list of messages to their numbers."""

    entries: tuple[FaultEntry, ...]
    replies_read: int
    lists: Mapping[str, frozenset[int]]


def outline_faults(case: Case, lists: tuple[str, ...]) -> FaultOutline:
    """Return the outline of a case."""
    said = [message for message in case.log.messages if message.role is Role.ASSISTANT]
    return FaultOutline(len(case.log.replies), len(said), lists)


def read_faults(text: str, outline: FaultOutline) -> FaultList | Unreadable:
    """Return the last list of faults in an answer, whatever stands around it."""
    found: dict[str, Any] | Unreadable = Unreadable("it holds no JSON object")
    for value in objects_in(text):
        if value is None:
            found = Unreadable("its JSON is cut off or malformed")
        elif "faults" in value:
            found = value
        elif isinstance(found, Unreadable):
            found = Unreadable('its JSON object holds no "faults"')
    return found if isinstance(found, Unreadable) else _list(found, outline)


def is_whole(text: str, outline: FaultOutline) -> bool:
    """Return whether an answer holds the faults of all replies."""
    found = read_faults(text, outline)
    return isinstance(found, FaultList) and found.replies_read == outline.replies


def _list(raw: Mapping[str, Any], outline: FaultOutline) -> FaultList | Unreadable:
    listed, read = raw["faults"], raw.get("replies_read")
    if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
        return Unreadable(f'"faults" is no list of at most {MOST_ENTRIES} entries')
    if not _is_number(read) or read < 0:
        return Unreadable('"replies_read" is no number of replies')
    entries: list[FaultEntry] = []
    for number, one in enumerate(listed, 1):
        entry = _entry(one)
        if isinstance(entry, str):
            return Unreadable(f"entry {number} of faults: {entry}")
        entries.append(entry)
    lists: dict[str, frozenset[int]] = {}
    for name in outline.lists:
        numbers = raw.get(name)
        if not isinstance(numbers, list) or not all(map(_is_number, numbers)):
            return Unreadable(f'"{name}" is no list of numbers of messages')
        lists[name] = frozenset(numbers)
    # A model may count a message that only calls a tool.
    whole = outline.replies <= read <= outline.shown
    return FaultList(tuple(entries), outline.replies if whole else read, lists)


def _entry(raw: object) -> FaultEntry | str:
    """Return the entry, or what is wrong with it."""
    if not isinstance(raw, dict):
        return "it is no object"
    message, fault, quote, severity = (raw.get(key) for key in ("message", "fault", "quote", "severity"))
    if not _is_number(message):
        return '"message" is no number'
    if not isinstance(fault, str):
        return '"fault" is no text'
    if not isinstance(quote, str):
        return '"quote" is no text'
    known = Severity(severity) if isinstance(severity, str) and severity in set(Severity) else None
    return FaultEntry(message, fault.strip().casefold(), known, printable(quote).strip())


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
