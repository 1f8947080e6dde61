"""JSON Lines with a message a line."""

from collections.abc import Mapping
from typing import Any

from ..rows.messages import read_rows as read
from ..talk.messages import is_message

__all__ = ["fits", "read"]


def fits(value: Any) -> bool:
    """Return whether a value is one message."""
    return isinstance(value, Mapping) and is_message(value)
