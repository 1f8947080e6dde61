"""Files and tables in the formats that several commands write."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from .exits import CommandError

Writer = TypeVar("Writer")


def by_suffix(path: Path, writers: Mapping[str, Writer]) -> Writer:
    """Return the writer of a file's format. Raises CommandError for a suffix that is unknown."""
    try:
        return writers[path.suffix.lower()]
    except KeyError:
        told = f"{path}: the suffix says the format, and there are {', '.join(writers)}."
        raise CommandError(told) from None


def json_text(value: Any) -> str:
    """A JSON value as a file for people and programs."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV. Columns that a row lacks are empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def markdown_lines(columns: Sequence[str], rows: Iterable[Sequence[object]], right: int = 0) -> list[str]:
    """A table of escaped cells as lines of Markdown; the last `right` columns are numbers."""
    rules = ["---"] * (len(columns) - right) + ["---:"] * right
    return [f"| {' | '.join(map(str, line))} |" for line in (columns, rules, *rows)]
