"""CSV with a message a row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..entries import Entry, Fault
from ..imported import Imported, OptionError, Wanted
from ..rows.groups import KEYS, ORDERS
from ..rows.messages import read_rows
from ..talk import items, labels, messages, speakers, times
from ..talk.messages import is_message


def fits(value: Any) -> bool:
    """Return whether a row says who speaks and what."""
    return isinstance(value, Mapping) and is_message(_spelt(value))


def _spelt(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row under the names of columns that are known, however their capitals and blanks are: `Conversation ID`."""
    spelt = {name: name if name in _COLUMNS.values() else _COLUMNS.get(_bare(name), name) for name in row}
    return {
        name if list(spelt.values()).count(spelt[name]) > 1 else spelt[name]: value
        for name, value in row.items()
    }


def _bare(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


_COLUMNS = {
    _bare(name): name
    for name in reversed((*KEYS, *ORDERS, *messages.TEXTS, *speakers.FIELDS, *items.FIELDS, *times.FIELDS, *labels.FIELDS,
                          "system", "domain", "rater", "thoughts", "id"))
}  # fmt: skip
"""Names of columns by their letters."""


def read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    """Read rows under the names of columns that are known. Raises OptionError where no column says who speaks, or what."""
    entries = [
        replace(entry, value=_spelt(entry.value)) if isinstance(entry.value, Mapping) else entry
        for entry in entries
    ]
    first = next((entry for entry in entries if isinstance(entry.value, Mapping)), None)
    if first is not None and not any(fits(entry.value) for entry in entries):
        columns = ", ".join(map(str, first.value)) or "none"
        told = f"{first.place} has no column that says who speaks, or none that says what; it has {columns}."
        raise OptionError("map", f"{told} Say which they are: role=THEIRS, content=THEIRS.")
    yield from read_rows(entries, wanted, faults)
