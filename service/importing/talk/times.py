"""The time at which a message was written, as text: ISO 8601 for numbers that count seconds since 1970."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

FIELDS = (
    "created_at", "createdAt", "timestamp", "time", "ts", "datetime", "date", "create_time", "created", "sent_at",
    "sentAt", "timestamp_ms", "start_time", "startTime", "Timestamp",
)  # fmt: skip
_SCALES = (1, 1_000, 1_000_000, 1_000_000_000)
_LAST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()
_FIRST = datetime(1980, 1, 1, tzinfo=UTC).timestamp()
_LARGEST = _LAST * _SCALES[-1]
_LONGEST = 20


def time_field(message: Mapping[str, Any]) -> str | None:
    """The field that says when; None where no field does."""
    return next((name for name in FIELDS if as_time(message.get(name)) is not None), None)


def moment_of(message: Mapping[str, Any]) -> float | None:
    """Seconds since 1970 at which a message was written; None where no field says so."""
    name = time_field(message)
    return None if name is None else moment(as_time(message[name]))


def as_time(value: Any) -> str | None:
    """The text of a time; None for what is none. Numbers are seconds, or thousandths, millionths, billionths of one."""
    if isinstance(value, str) and value.strip():
        plain = value.strip()
        return as_time(float(plain)) or plain if is_number(plain.replace(".", "", 1)) else plain
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return None
    for scale in _SCALES:
        if _FIRST <= value / scale <= _LAST:
            return datetime.fromtimestamp(value / scale, UTC).isoformat()
    return None


def is_number(text: str) -> bool:
    """Return whether a text is a whole number in digits, as long as those are that count time or places."""
    return len(text) <= _LONGEST and text.isascii() and text.isdigit()


def moment(text: str | None) -> float | None:
    """Seconds since 1970 of a time in ISO 8601; None for any other text. A time without a zone is taken for UTC."""
    try:
        read = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
