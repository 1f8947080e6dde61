"""Messages one a row or line, brought together by the name of their conversation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..entries import Entry, Fault
from ..imported import UnreadableError
from ..reading.tables import Row
from ..talk import times
from ..talk.leftovers import as_name, as_text

KEYS = (
    "conversation", "conversation_id", "conversationId", "conv_id", "conversation ID", "session_id", "sessionId", "session",
    "dialogue_id", "dialog_id", "dialogue", "dialog", "thread_id", "threadId", "chat_id", "chatId", "thread", "chat", "group_id",
    "trace_id", "traceId",
)  # fmt: skip
"""Fields that name the conversation of a row."""
ORDERS = (
    "turn", "turn_id", "turn_index", "turn_number", "turn_ind", "index", "position", "seq", "sequence", "order", "step",
    "message_index", "msg_index", "utterance_index",
)  # fmt: skip
"""Fields that number the rows of a conversation."""


@dataclass(frozen=True)
class Group:
    """The rows of one conversation in order, with the place of the first one. `name` is None where no row names any."""

    place: str
    name: str | None
    key: str | None
    """The field that names it."""
    rows: Sequence[Mapping[str, Any]]


def groups(
    entries: Sequence[Entry],
    faults: list[Fault],
    check: Callable[[Mapping[str, Any]], object],
    key: str | None = None,
) -> Iterator[Group]:
    """The conversations that rows make. A conversation with a row that cannot be read, or that `check` finds unreadable, is
    left out: half of one would be judged as if it were whole. Rows of a file without names are one conversation."""
    key = key or _key(entries)
    found: dict[str | None, list[Entry]] = {}
    broken: set[str | None] = set()
    for entry in entries:
        name = None if key is None else _name(entry.value, key)
        wrong = _wrong(entry, key, name, check)
        if wrong is not None:
            left = f"; {name!r} is left out" if name else ""
            faults.append(Fault(entry.place, f"{wrong}{left}", wrong.names))
            broken.add(name)
        else:
            found.setdefault(name, []).append(entry)
    for name, rows in found.items():
        if name not in broken:
            ordered = in_order([row.value for row in rows])
            yield Group(rows[0].place, name, key, ordered)


def are_named(entries: Sequence[Entry]) -> bool:
    """Return whether any row names its conversation."""
    return _key(entries) is not None


def _key(entries: Sequence[Entry]) -> str | None:
    """The first of the fields that name conversations that any row has."""
    return next((key for key in KEYS if any(_given(entry.value, key) for entry in entries)), None)


def _name(row: Any, key: str) -> str | None:
    return as_name(row.get(key)) if isinstance(row, Mapping) else None


def _given(row: Any, key: str) -> bool:
    return isinstance(row, Mapping) and row.get(key) not in (None, "", [], {})


def _wrong(
    entry: Entry, key: str | None, name: str | None, check: Callable[[Mapping[str, Any]], object]
) -> UnreadableError | None:
    if isinstance(entry, Row) and entry.wrong:
        return UnreadableError(entry.wrong)
    if not isinstance(entry.value, Mapping):
        return UnreadableError("no object")
    if key is not None and name is None:
        return UnreadableError(f"{key} is no name" if _given(entry.value, key) else f"no {key}")
    try:
        check(entry.value)
    except UnreadableError as error:
        return error
    return None


def in_order(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Rows by the number that each has, else by the time that each has, else as they stand: exports often run backwards.
    Rows of equal number or time stay as they stand."""
    for key in ORDERS:
        numbers = [_number(row.get(key)) for row in rows]
        if all(number is not None for number in numbers) and len(set(numbers)) > 1:
            return _by(rows, numbers)
    moments = [times.moment(times.as_time(row.get(times.time_field(row) or ""))) for row in rows]
    if all(moment is not None for moment in moments) and len(set(moments)) > 1:
        return _by(rows, moments)
    return rows


def _by(rows: Sequence[Mapping[str, Any]], keys: Sequence[float | None]) -> Sequence[Mapping[str, Any]]:
    order = sorted(range(len(rows)), key=lambda at: keys[at] or 0)
    return [rows[at] for at in order]


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) or value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def split_constant(
    rows: Sequence[Mapping[str, Any]], read: Sequence[str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The fields that say the same in every row of a conversation, once; and the rows without them. Fields in `read`
    stay in the rows."""
    first = rows[0]
    constant = {
        name: value
        for name, value in first.items()
        if len(rows) > 1
        and name not in read
        and all(name in row and as_text(row[name]) == as_text(value) for row in rows)
    }
    return constant, [{name: value for name, value in row.items() if name not in constant} for row in rows]
