"""Chats as most teams log them, and logs of our own."""

from collections.abc import Mapping
from typing import Any

from ..entries import Entry
from ..format import per_entry
from ..imported import Imported, Wanted
from ..talk.threads import read_thread, thread_in


def fits(value: Any) -> bool:
    """Return whether a value is a conversation in a usual spelling."""
    return thread_in(value) is not None


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    if isinstance(value, Mapping) and isinstance(value.get("log"), Mapping):
        entry = Entry(entry.place, {**value, **value["log"], "log": None})
    return read_thread(entry, wanted)


read = per_entry(_read)
