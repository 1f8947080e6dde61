"""The list of faults in a model's answer, read without trust."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ....domain.verdict import Severity
from ....llm.answer_text import printable
from ..answer import Unreadable, last_object
from ..itemised.outline import Outline

MOST_ENTRIES = 1000


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


def read_faults(text: str, outline: Outline, lists: Sequence[str]) -> FaultList | Unreadable:
    """Return the last list of faults in an answer, with these `lists` of messages beside it."""
    found = last_object(text, {"faults"}, '"faults"')
    return found if isinstance(found, Unreadable) else _list(found, outline, lists)


def is_whole(text: str, outline: Outline, lists: Sequence[str]) -> bool:
    """Return whether an answer holds the faults of all replies."""
    found = read_faults(text, outline, lists)
    return isinstance(found, FaultList) and found.replies_read == outline.replies


def _list(raw: Mapping[str, Any], outline: Outline, names: Sequence[str]) -> FaultList | Unreadable:
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
    for name in names:
        numbers = raw.get(name)
        if not isinstance(numbers, list) or not all(map(_is_number, numbers)):
            return Unreadable(f'"{name}" is no list of numbers of messages')
        lists[name] = frozenset(numbers)
    return FaultList(tuple(entries), outline.replies if outline.is_all(read) else read, lists)


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
