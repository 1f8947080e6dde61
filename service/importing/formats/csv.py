"""CSV with a message a row."""

import csv as tables
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..entries import Entry, Fault
from ..format import Format, Limit, Line
from ..imported import Imported, OptionError, Wanted
from ..reading.documents import Kind
from ..rows.groups import KEYS, ORDERS
from ..rows.messages import read_rows
from ..talk import items, labels, messages, speakers, times
from ..talk.labels import MAPPED
from ..talk.messages import is_message


def _fits(value: Any) -> bool:
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


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    entries = [
        replace(entry, value=_spelt(entry.value)) if isinstance(entry.value, Mapping) else entry
        for entry in entries
    ]
    first = next((entry for entry in entries if isinstance(entry.value, Mapping)), None)
    if first is not None and not any(_fits(entry.value) for entry in entries):
        columns = ", ".join(map(str, first.value)) or "none"
        told = f"{first.place} has no column that says who speaks, or none that says what; it has {columns}."
        raise OptionError("map", f"{told} Say which they are: role=THEIRS, content=THEIRS.")
    yield from read_rows(entries, wanted, faults)


def _sample(said: Sequence[Line]) -> str:
    written = io.StringIO()
    table = tables.writer(written, lineterminator="\n")
    columns = (
        f"conversation role content recommendations system created_at {MAPPED}overall rater mood".split()
    )
    table.writerow(columns)
    for number, (role, text) in enumerate(said):
        shown = "" if role == "user" else "Paper Lanterns (2009)|PS, I Wander (2001)"
        words = "user" if role == "user" else "bot", text, shown
        time = f"2026-03-01T10:{number % 60:02}:00Z"
        table.writerow(["c1", *words, "our-crs", time, "" if number else 4, "anna", "calm"])
    return written.getvalue()


FORMAT = Format(
    name="csv",
    reads=(
        "CSV with a message a row: columns such as `conversation`, `role`, `content`, perhaps `recommendations` (separated by \\|), "
        "`system`, `domain`, `created_at`, `rater`, `label:<factor>`; commas, semicolons, tabs or bars between them; UTF-8, UTF-16 or "
        "Windows-1252"
    ),
    described="https://www.rfc-editor.org/rfc/rfc4180",
    fits=_fits,
    read=_read,
    sample=_sample,
    kinds=(Kind.TABLE,),
    general=True,
    limits=frozenset({Limit.ONE_LINE}),
)
