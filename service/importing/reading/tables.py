"""Rows of a table as objects: CSV with any usual delimiter, one row of names first."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import Any

from ..entries import Entry, bad_byte
from ..imported import UnreadableError

DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 50
_RULE = re.compile(":?-*+:?")
"""A cell of the line under the header of a table in Markdown."""
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")


@dataclass(frozen=True, slots=True)
class Row(Entry):
    """A row by the names of its columns. `wrong` says why it cannot be read."""

    wrong: str | None = None


def delimiter_of(text: str) -> str | None:
    """The delimiter that gives the first rows the same number of values, the one with most; None where there is no table."""
    found = [(columns, delimiter) for delimiter in DELIMITERS if (columns := _columns(text, delimiter)) > 1]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _columns(text: str, delimiter: str) -> int:
    """Return how many columns the header has, where most of the first rows have as many; else 0."""
    try:
        rows = [row for row in islice(_reader(text, delimiter), _LOOKED_AT) if row]
    except csv.Error:
        return 0
    rows = list(dropwhile(_is_title, rows))
    if len(rows) < 2:
        return 0
    alike = sum(len(row) == len(rows[0]) for row in rows[1:])
    return len(rows[0]) if alike >= (len(rows) - 1) / 2 else 0


def titles_in(text: str, delimiter: str) -> int:
    """Return how many rows stand before the header, which have one value at most: a title, an empty line, the `sep=;` of Excel."""
    rows = list(islice(_reader(text, delimiter), _LOOKED_AT))
    titles = len(rows) - len(list(dropwhile(_is_title, rows)))
    return titles if titles < len(rows) else 0


def _is_title(row: Sequence[str]) -> bool:
    return sum(bool(cell.strip()) for cell in row) < 2


def _reader(text: str, delimiter: str, *, strict: bool = False) -> Any:
    """Return a reader of table rows. It cuts lines one by one: a file in memory takes four bytes a
    character."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    lines = (line[0] for line in _LINE.finditer(text))
    spaced = f'{delimiter} "' in text
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=spaced)


def _named(header: Sequence[str]) -> list[str]:
    """Return unique column names: an unnamed column is named by its place, a duplicate gets a number."""
    named: dict[str, None] = {}
    for place, column in enumerate(header, 1):
        plain = column.strip() or f"column {place}"
        named[plain if plain not in named else f"{plain} ({1 + place})"] = None
    return list(named)


def rows_of(name: str, text: str, delimiter: str, titles: int = 0) -> Iterator[Row]:
    """Every row with its line in the file, after so many titles and the header. A row that is too short or too long keeps the values that it has. Raises
    UnreadableError for a quote out of place: nobody knows which rows it swallows."""
    reader = _reader(text, delimiter, strict=True)
    for _ in range(titles):
        _next(reader, 1)
    header = _named(_next(reader, 1) or [])
    begins = reader.line_num + 1
    while (values := _next(reader, begins)) is not None:
        values = [value.strip() for value in values] if delimiter == "|" else values
        wrong = next(filter(None, map(bad_byte, values)), None)
        if len(values) != len(header):
            wrong = f"{len(values)} values, where the header has {len(header)}"
        if values and not all(_RULE.fullmatch(value.strip()) for value in values):
            yield Row(f"{name}:{begins}", dict(zip(header, values, strict=False)), wrong)
        begins = reader.line_num + 1


def _next(reader: Any, line: int) -> list[str] | None:
    """The next row, which begins in this line; None after the last."""
    try:
        return next(reader, None)
    except csv.Error:
        reason = f"the row of line {line} has a quote that is not closed, or not doubled inside a value; nothing of this file is read"
        raise UnreadableError(reason) from None
