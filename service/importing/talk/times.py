"""The time at which a message was written, as text (ISO 8601 for numbers that count seconds since 1970), and the order of messages."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any

FIELDS = (
    "created_at", "createdAt", "timestamp", "time", "ts", "datetime", "date", "create_time", "created", "sent_at",
    "sentAt", "timestamp_ms", "start_time", "startTime", "Timestamp",
)  # fmt: skip
ORDERS = (
    "turn", "turn_id", "turn_index", "turn_number", "turn_ind", "index", "position", "seq", "sequence", "order", "step",
    "message_index", "msg_index", "utterance_index", "turn_position",
)  # fmt: skip
"""Fields that number the rows of a conversation."""
_SCALES = (1, 1_000, 1_000_000, 1_000_000_000)
_LAST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()
_FIRST = datetime(1980, 1, 1, tzinfo=UTC).timestamp()
_LARGEST = _LAST * _SCALES[-1]
_LONGEST = 20
_LOCAL = re.compile(
    r"(\d{1,4})[./-](\d{1,2})[./-](\d{1,4}),?[ T](\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:[ \u202f]?([ap])\.?m\.?)?",
    re.IGNORECASE,
)


def time_field(message: Mapping[str, Any]) -> str | None:
    """The field that says when; None where no field does."""
    return next((name for name in FIELDS if as_time(message.get(name)) is not None), None)


def moments(messages: Sequence[Any]) -> list[float] | None:
    """Seconds since 1970 at which messages were written; None where one of them does not say so. Days that may be months, and times
    with a zone beside others without, can leave their order open: that is None, too."""
    objects = [one for one in messages if isinstance(one, Mapping)]
    texts = [as_time(one.get(time_field(one) or "")) for one in objects]
    ways = [[_read(text, day_first=day_first) for text in texts] for day_first in (True, False)]
    read = [[one for one in way if one is not None] for way in ways]
    whole = [
        way for way in read if len(way) == len(messages) and len({one.tzinfo is None for one in way}) == 1
    ]
    known = [[_seconds(one) for one in way] for way in whole]
    orders = {tuple(sorted(range(len(way)), key=way.__getitem__)) for way in known}
    return known[0] if len(orders) == 1 else None


def as_time(value: Any) -> str | None:
    """The text of a time; None for what is none. Numbers are seconds, or thousandths, millionths, billionths of one."""
    if isinstance(value, Mapping):  # MongoDB's
        return as_time(value.get("$date", value.get("$numberLong")))
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
    """Seconds since 1970 of a time; None for any other text. A time without a zone is taken for UTC."""
    read = _read(text)
    return None if read is None else _seconds(read)


def _seconds(read: datetime) -> float:
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _read(text: str | None, *, day_first: bool = False) -> datetime | None:
    """A time in ISO 8601, as a spreadsheet writes it (`3/1/2026 10:05 AM`), or as in a mail's header."""
    plain = (text or "").strip().removesuffix(" UTC")
    with suppress(ValueError):
        return datetime.fromisoformat(plain)
    found = _LOCAL.fullmatch(plain)
    with suppress(ValueError, TypeError, OverflowError):
        if found is None:
            return parsedate_to_datetime(plain)
        first, second, third, hour, minute = map(int, found.group(1, 2, 3, 4, 5))
        year, month, day = (third, second, first) if day_first else (third, first, second)
        if first > 31:
            year, month, day = first, second, third
        half = {"a": hour % 12, "p": hour % 12 + 12}.get((found[7] or "").lower(), hour)
        year = year + 2000 if year < 100 else year
        return datetime.fromisoformat(f"{year}-{month:02}-{day:02}T{half:02}:{minute:02}:{found[6] or '00'}")
    return None


def in_order(rows: Sequence[Any], *, by_time: bool = True) -> Sequence[Any]:
    """Return messages by the number that each has, else by the time that each has, else as they stand: exports often run backwards.
    Those of equal number or time stay as they stand."""
    numbers = (
        [_number(row.get(key)) if isinstance(row, Mapping) else None for row in rows] for key in ORDERS
    )
    when: list[float | None] = [*((moments(rows) if by_time else None) or ())]
    for keys in chain(numbers, [when]):
        known = [key for key in keys if key is not None]
        if len(known) == len(rows) and len({*known}) > 1:
            return [rows[at] for at in sorted(range(len(rows)), key=known.__getitem__)]
    return rows


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) or value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
