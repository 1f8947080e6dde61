"""Chats as most teams log them, and logs of our own."""

from typing import Any

from ..format import per_entry
from ..talk.threads import read_thread, thread_in


def fits(value: Any) -> bool:
    """Return whether a value is a conversation in a usual spelling."""
    return thread_in(value) is not None


read = per_entry(read_thread)
