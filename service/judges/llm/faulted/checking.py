"""A model's list of faults held against the log: quotes that occur in their messages stay, the others are dropped and counted."""

from dataclasses import dataclass

from ....domain.conversation import ConversationLog, Role
from ....domain.verdict import DetectedFault
from ....faults import FaultCatalogue
from ....faults.ladder import SUMMED
from ....text.unanswered import is_answer
from ..answer import passage_beside
from ..itemised.places import Finder
from .entries import FaultEntry, FaultList

NO_REPLY = "no-reply"
Key = tuple[str, int, int]
"""Identity of a fault over several lists: its slug, its message, and its place where a message can carry it several times."""


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
    if place := finder.find(entry.quote, [entry.message]):
        return place.start, message.content[place.start : place.stop]
    beside = passage_beside(entry.quote, message)
    return None if beside is None else (0, beside)


def _carrier(entry: FaultEntry, log: ConversationLog) -> int | None:
    """Return the message that carries the fault; None where the one that the entry names cannot."""
    at = entry.message
    if entry.fault != NO_REPLY:
        return at if at in log.replies else None
    if not 0 <= at < len(log.messages):
        return None
    if at in log.replies:
        return None if is_answer(log.messages[at]) else at
    return _unanswered(at, log) if log.messages[at].role is Role.USER else None


def _unanswered(at: int, log: ConversationLog) -> int | None:
    """Return the message at which code reports that a user's message got no reply; None where one follows it, or may follow."""
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
