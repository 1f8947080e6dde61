"""The papers, and the figures that they published."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..tabulating.formats import StudyTable

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Paper:
    """A paper: the name of its protocol, how a text cites it, its DOI or arXiv number, its BibTeX entry."""

    name: str
    cite: str
    id: str
    bibtex: str


@cache
def papers() -> dict[str, Paper]:
    """All papers by key."""
    found = tomllib.loads((_HERE / "papers.toml").read_text(encoding="utf-8"))
    return {key: Paper(**entry) for key, entry in found.items()}


@cache
def published(paper: str) -> dict[str, Any]:
    """Figures of a paper, as `published/<paper>.toml` holds them."""
    return tomllib.loads((_HERE / "published" / f"{paper}.toml").read_text(encoding="utf-8"))


def source(paper: str, name: str) -> str:
    """The place of published figures: `CoRE, arXiv:2501.09493, table 22`."""
    return _place(paper, published(paper)[name]["place"])


def _place(paper: str, place: str) -> str:
    found = papers()[paper]
    return f"{found.name}, {found.id}, {place}"


def of_plot(paper: str, name: str) -> tuple[str, str]:
    """Return the words of a paper's text on a figure that is a plot, and their place."""
    found = published(paper)["plots"][name]
    return f"Published: {found['text']}.", _place(paper, found["place"])


def pictures(paper: str) -> StudyTable | None:
    """A paper's figures without printed values, and what it says of them; None where all its values are in print."""
    if (found := published(paper).get("pictures")) is None:
        return None
    rows = [[f"figure {one['figure']}", one["shows"], one["text"]] for one in found["rows"]]
    title = f"Published figures of {papers()[paper].name} that are pictures"
    columns = ("figure", "it shows", "published values")
    return StudyTable(f"published-pictures-{paper}", title, columns, rows, "", papers()[paper].id)


def published_table(
    paper: str,
    name: str,
    title: str,
    labels: Sequence[str],
    *,
    printed: Mapping[str, Any] | None = None,
    **looks: Any,
) -> StudyTable:
    """A paper's own figures under the names of their first columns: those called `name` unless others are `printed`."""
    printed = printed or published(paper)[name]
    columns = (*labels, *printed["columns"])
    padded = [[*row, *[None] * (len(columns) - len(row))] for row in _rows(printed["rows"])]
    place, note = _place(paper, printed["place"]), printed.get("note", "")
    return StudyTable(f"published-{name}", title, columns, padded, note, place, **looks)


def _rows(found: Any) -> list[list[Any]]:
    """Rows as they are, or by their first columns."""
    if isinstance(found, Mapping):
        return [[label, *row] for label, rows in found.items() for row in _rows(rows)]
    return found if isinstance(found[0], list) else [found]
