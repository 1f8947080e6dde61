"""CSV with a message a row."""

import csv as tables
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..entries import Entry, Fault
from ..format import Format, Limit, Line
from ..imported import Imported, OptionError, Wanted
from ..reading.documents import Kind
from ..rows.messages import LABEL, read_rows
from ..talk.messages import is_message


def _fits(value: Any) -> bool:
    return isinstance(value, Mapping) and is_message(value)


def _read(entries: Sequence[Entry], wanted: Wanted, faults: list[Fault]) -> Iterator[Imported]:
    first = next((entry for entry in entries if isinstance(entry.value, Mapping)), None)
    if first is not None and not any(_fits(entry.value) for entry in entries):
        columns = ", ".join(map(str, first.value)) or "none"
        told = f"{first.place} has no column that says who speaks, or none that says what; it has {columns}."
        raise OptionError("map", f"{told} Say which they are: role=THEIRS, content=THEIRS.")
    yield from read_rows(entries, wanted, faults)


def _sample(said: Sequence[Line]) -> str:
    written = io.StringIO()
    table = tables.writer(written, lineterminator="\n")
    columns = [
        "conversation",
        "role",
        "content",
        "recommendations",
        "system",
        "created_at",
        f"{LABEL}overall",
        "rater",
        "mood",
    ]
    table.writerow(columns)
    for number, (role, text) in enumerate(said):
        shown, speaker = (
            ("", "user") if role == "user" else ("Paper Lanterns (2009)|PS, I Wander (2001)", "bot")
        )
        score = 4 if number == 0 else ""
        table.writerow(
            [
                "c1",
                speaker,
                text,
                shown,
                "our-crs",
                f"2026-03-01T10:{number % 60:02}:00Z",
                score,
                "anna",
                "calm",
            ]
        )
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
