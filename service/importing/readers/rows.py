"""Chats in a usual spelling, as one object or list each; and messages one a row or line, whatever the names of columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, OptionError, Reader, Wanted, per_entry
from ..reading.mapping import option
from ..rows import KEYS, read_rows
from ..talk import items, labels, speakers, times
from ..talk.leftovers import as_name
from ..talk.messages import TEXTS, is_message
from ..talk.threads import HISTORIES, read_thread, thread_in
from . import exchanges


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping) and is_message(_spelt(value))


def _spelt(row: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the known columns of a row, ignoring case and blanks: `Conversation ID`."""
    spelt = {name: name if name in _COLUMNS.values() else _COLUMNS.get(_bare(name), name) for name in row}
    known = list(spelt.values())
    return {name if known.count(spelt[name]) > 1 else spelt[name]: value for name, value in row.items()}


def _bare(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


_COLUMNS = {
    _bare(name): name
    for name in reversed((*KEYS, *times.ORDERS, *TEXTS, *speakers.FIELDS, *items.FIELDS, *times.FIELDS, *labels.FIELDS,
                          "system", "domain", "rater", "thoughts", "id"))
}  # fmt: skip
"""Names of columns by their letters."""


def _read_table(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read rows under the names of columns that are known. Raises OptionError where no column says who speaks, or what."""
    first = next((entry for entry in entries if isinstance(entry.value, Mapping)), None)
    if first is not None and not any(_is_row(entry.value) for entry in entries):
        problem = f"{first.place} has no column that says who speaks, or none that says what; it has {wanted.listed(first.value)}."
        raise OptionError(
            "map",
            f"{problem} Say which they are: {option({'role': 'THEIRS', 'content': 'THEIRS', **wanted.fields})}.",
        )
    spelt = [
        replace(entry, value=_spelt(entry.value)) if isinstance(entry.value, Mapping) else entry
        for entry in entries
    ]
    yield from read_rows(spelt, wanted, faults)


_SESSIONS = (
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "chat_id",
    "chatId",
    "dialogue_id",
    "dialog_id",
)
"""Fields of messages that name their conversation, where a list holds those of several."""


def _is_chat(value: Any) -> bool:
    """Return whether a value holds the messages of one conversation, and they are not what was said before a question in it."""
    found = thread_in(value)
    if found is None or (found[0] in HISTORIES and exchanges.asks(value)):
        return False
    names = ([as_name(one.get(key)) for one in found[1] if isinstance(one, Mapping)] for key in _SESSIONS)
    return not any(None not in held and len({*held}) > 1 for held in names)


chat = Reader(_is_chat, per_entry(read_thread))
messages = Reader(lambda value: isinstance(value, Mapping) and is_message(value), read_rows)
csv = Reader(_is_row, _read_table)
