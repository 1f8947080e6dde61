"""The list of faults in a model's answer, checked against the log: quotes that occur in their messages stay,
the others are dropped and counted."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ....domain.conversation import ConversationLog, Role
from ....domain.verdict import DetectedFault, Severity
from ....faults import FaultCatalogue, load_faults
from ....faults.ladder import SUMMED
from ....llm.answer_text import printable
from ....text.unanswered import is_answer
from ..answer import Finder, Unreadable, last_object, passage_beside
from ..itemised.outline import Outline

MOST_ENTRIES = 1000
FEWEST_LETTERS = 3
"""Fewest letters of a quote: "." occurs in nearly every message."""
NO_REPLY = "no-reply"
Key = tuple[str, int, int]
"""Identity of a fault over several lists: its slug, its message, and its place where a message can carry it several times."""


@dataclass(frozen=True, slots=True)
class FaultEntry:
    """One fault as the model states it."""

    message: int
    fault: str
    severity: Severity | None
    quote: str


@dataclass(frozen=True, slots=True)
class FaultList:
    """A model's answer. `replies_read` is the number of replies that it says to have read; `lists`
    maps the name of each list of messages to their numbers."""

    entries: tuple[FaultEntry, ...]
    replies_read: int
    lists: Mapping[str, frozenset[int]]


def read_faults(text: str, outline: Outline, lists: Sequence[str]) -> FaultList | Unreadable:
    """Return the last list of faults in an answer, with these `lists` of messages beside it."""
    found = last_object(text, {"faults"}, '"faults"')
    return found if isinstance(found, Unreadable) else _list(found, outline, lists)


def faults_problem(text: str, outline: Outline, lists: Sequence[str]) -> str | None:
    """Return why an answer does not hold the faults of all replies; None where it does."""
    found = read_faults(text, outline, lists)
    return found.problem if isinstance(found, Unreadable) else unread_replies(found, outline)


def unread_replies(found: FaultList, outline: Outline) -> str | None:
    """Return what says that the model did not read all replies."""
    if found.replies_read == outline.replies:
        return None
    read = f'"replies_read" is {found.replies_read}'
    return f"{read}, and the log has {outline.replies} messages of the recommender"


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
    if entries and not any(_is_possible(entry, outline) for entry in entries):
        # Full marks would say that the model found nothing.
        return Unreadable('no entry of "faults" names a fault of the list and a message that can have it')
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
    slug = re.sub(r"[\s_]+", "-", fault.strip().casefold())
    return FaultEntry(message, slug, known, printable(quote).strip())


def _is_possible(entry: FaultEntry, outline: Outline) -> bool:
    """Return whether the entry may count: its fault exists, and its message is of the side that can have it."""
    of_users = entry.fault == NO_REPLY and entry.message in outline.users
    return entry.fault in load_faults() and (of_users or entry.message in outline.turn_of)


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class CheckedFaults:
    """A list without the entries that the log contradicts. `quotes_not_found` and `dropped` count those: a quote that its
    message does not have, and an unknown fault or a message that cannot carry it."""

    listed: FaultList
    found: tuple[tuple[Key, DetectedFault], ...]
    quotes_found: int
    quotes_not_found: int
    dropped: int

    @property
    def is_invented(self) -> bool:
        """Return whether over half of the quotes occur nowhere in their messages."""
        return self.quotes_not_found > self.quotes_found


def check_faults(listed: FaultList, log: ConversationLog, known: FaultCatalogue) -> CheckedFaults:
    """Return the faults of a list whose quotes occur in the messages that they name."""
    finder = Finder(log)
    found: list[tuple[Key, DetectedFault]] = []
    quoted = lost = dropped = 0
    for entry in listed.entries:
        at = _carrier(entry, log) if entry.fault in known else None
        if at is None:
            dropped += 1
            continue
        place = _quote(entry, log, finder)
        if place is None:
            lost += 1
            continue
        start, quote = place
        quoted += bool(quote)
        key = (entry.fault, at, start if entry.fault in SUMMED else 0)
        quotes = (quote,) if quote else ()
        found.append((key, DetectedFault(entry.fault, at, 1.0, severity=entry.severity, quotes=quotes)))
    return CheckedFaults(listed, tuple(found), quoted, lost, dropped)


def _quote(entry: FaultEntry, log: ConversationLog, finder: Finder) -> tuple[int, str] | None:
    """Return where the quote begins in its message, and its words there. A message without text needs no quote."""
    message = log.messages[entry.message]
    if not entry.quote:
        return None if message.content.strip() else (0, "")
    if not _tells(entry.quote, message.content):
        return None
    if place := finder.find(entry.quote, [entry.message]):
        return place.start, message.content[place.start : place.stop]
    beside = passage_beside(entry.quote, message)
    return None if beside is None else (0, beside)


def _tells(quote: str, content: str) -> bool:
    """Return whether a quote has enough letters to be found in few messages, or all of a short message's."""
    letters, all_letters = (sum(map(str.isalnum, text)) for text in (quote, content))
    return letters >= min(FEWEST_LETTERS, all_letters) or not quote.isascii()


def _carrier(entry: FaultEntry, log: ConversationLog) -> int | None:
    """Return the message that carries the fault; None if the named one cannot."""
    at = entry.message
    if entry.fault != NO_REPLY:
        return at if at in log.replies else None
    if not 0 <= at < len(log.messages):
        return None
    if at in log.replies:
        return None if is_answer(log.messages[at]) else at
    return _unanswered(at, log) if log.messages[at].role is Role.USER else None


def _unanswered(at: int, log: ConversationLog) -> int | None:
    """Return the message at which code reports a missing reply to the user; None if one follows or may
    follow."""
    last, empty = at, False
    for index in range(at + 1, len(log.messages)):
        message = log.messages[index]
        if message.role is Role.USER and message.is_seen:
            if empty:
                return last
            last = index
        elif is_answer(message):
            return at if last > at else None
        empty = empty or message.is_reply
    return last if empty or log.complete else None
