"""The results of a run, the papers that it follows, and both as one HTML file, a methods paragraph and references."""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ... import __version__
from ...llm.repair import WARMER
from ..file_formats import plain_page
from ..inputs import Json
from ..records import Record, judge_text
from ..tabulating.formats import StudyTable, as_html, chart, table_of
from ..tabulating.summary import Measured, summarise
from .study import BUILTIN

_HERE = Path(__file__).parent


@dataclass
class Findings:
    """A study's results: tables and figures (SVG by file name) in the report's order, what was left out, and methods sentences."""

    sheets: list[StudyTable] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Parts of the paper that the run could not have, and why."""
    methods: list[str] = field(default_factory=list)

    def add(self, sheet: StudyTable, figure: str | None = None) -> None:
        """Add a table, and the figure of the same name."""
        self.sheets.append(sheet)
        if figure is not None:
            self.figures[sheet.name] = figure

    def tabulate(
        self,
        name: str,
        title: str,
        numbers: Iterable[Measured],
        factors: Sequence[str],
        *,
        systems: Sequence[str] | None = None,
        note: str = "",
        shares: bool = False,
    ) -> None:
        """Add a table of systems by factors, and a figure of those that are `shares`."""
        summary = summarise(title, numbers, systems, factors)
        self.add(table_of(name, summary, note), chart(summary, 0, 1) if shares else None)

    def leave_out(self, part: str, why: str) -> None:
        self.left_out.append((part, why))


def methods(keys: Sequence[str], findings: Findings) -> str:
    """The paragraph for a paper, with the keys of its references."""
    followed = [papers()[key] for key in keys]
    cited = "; ".join(f"{paper['name']}, {paper['cite']}, {paper['id']}" for paper in followed)
    made = f"The evaluation follows {cited}, as crs-eval {__version__} implements it."
    return "\n".join(["# Methods", "", " ".join([made, *findings.methods]), ""])


def references(keys: Sequence[str]) -> str:
    """BibTeX of the papers that the study follows, and of this software."""
    own = f"@software{{crs_eval,\n  title = {{crs-eval}},\n  version = {{{__version__}}}\n}}"
    return "\n\n".join([*(papers()[key]["bibtex"] for key in keys), own]) + "\n"


def page(name: str, keys: Sequence[str], findings: Findings, configuration: Mapping[str, Any]) -> str:
    """The report: methods, tables, figures, what was left out, the configuration. It fetches and runs nothing."""
    text = methods(keys, findings).split("\n", 2)[2].strip()
    parts = [f"<h2>Methods</h2><p>{escape(text)}</p>", "<h2>Tables</h2>"]
    for sheet in findings.sheets:
        table = as_html(sheet)
        folded = f"<details><summary>{escape(sheet.title)}</summary>{table}</details>"
        parts.append(folded if sheet.folded else table)
    if findings.figures:
        parts.append("<h2>Figures</h2>")
    for figure, svg in findings.figures.items():
        parts.append(f'<figure id="{escape(figure)}" class="scroll" tabindex="0">{svg}</figure>')
    if findings.left_out:
        rows = "".join(
            f"<tr><td>{escape(part)}</td><td>{escape(why)}</td></tr>" for part, why in findings.left_out
        )
        parts.append(f"<h2>Left out</h2><table><tbody>{rows}</tbody></table>")
    settings = json.dumps(configuration, ensure_ascii=False, indent=1, sort_keys=True)
    parts.append(f"<h2>Configuration</h2><pre>{escape(settings)}</pre>")
    parts.append(f"<h2>References</h2><pre>{escape(references(keys))}</pre>")
    return plain_page(f"crs-eval study {name}", parts)


def sampling(records: Iterable[Record]) -> list[str]:
    """Sentences of a methods paragraph: each model's temperature, and the models that take no seed."""
    judged: dict[str, list[Json]] = {}
    seedless = set()
    for record in records:
        for verdict in (one for whole in record.verdicts for one in whole.get("panel") or [whole]):
            if verdict["judge"]["name"] != BUILTIN and verdict["status"] == "scored":
                judged.setdefault(judge_text(verdict["judge"]), []).append(verdict)
        player = (record.answer or {}).get("judge")
        if player and any(warning["code"] == "seed_not_taken" for warning in record.warnings):
            seedless.add(judge_text(player))
    return [
        *(drawn(name, verdicts) for name, verdicts in judged.items()),
        *(f"{name} takes no seed: users of it differ by draw alone." for name in sorted(seedless)),
    ]


def drawn(name: str, verdicts: Sequence[Json]) -> str:
    """The sentences on a judge's temperature, and on the parameters that the operator adds."""

    def flagged(code: str) -> int:
        return sum(any(flag["code"] == code for flag in verdict["flags"]) for verdict in verdicts)

    asked = sorted({1 if verdict["samples"]["requested"] > 1 else 0 for verdict in verdicts})
    at = f"temperature {' or '.join(map(str, asked))}"
    flags = [flag for verdict in verdicts for flag in verdict["flags"]]
    added = {flag["detail"].partition(": ")[2] for flag in flags if flag["code"] == "extra_parameters"}
    again = f" Its requests carried {' or '.join(sorted(added))}." if added else ""
    if raised := flagged("temperature_raised"):
        again += f" {raised} of {len(verdicts)} answers were cut off and asked for again at temperature {WARMER:g} with another seed."
    bare = flagged("temperature_not_taken")
    if bare == len(verdicts):
        return f"{name} takes no temperature and was asked at its server's own.{again}"
    if bare:
        return f"{name} was asked at {at}, for {bare} of {len(verdicts)} verdicts at its server's own temperature.{again}"
    return f"{name} was asked at {at}.{again}"


@cache
def papers() -> dict[str, dict[str, str]]:
    """All papers by key: the `name` of the protocol, how a text may `cite` it, its `id` (DOI or arXiv number) and `bibtex` entry."""
    return tomllib.loads((_HERE / "papers.toml").read_text(encoding="utf-8"))


@cache
def published(paper: str) -> dict[str, Any]:
    """Figures of a paper, as `published/<paper>.toml` holds them."""
    return tomllib.loads((_HERE / "published" / f"{paper}.toml").read_text(encoding="utf-8"))


def source(paper: str, name: str) -> str:
    """The place of published figures: `CoRE, arXiv:2501.09493, table 22`."""
    return _place(paper, published(paper)[name]["place"])


def _place(paper: str, place: str) -> str:
    found = papers()[paper]
    return f"{found['name']}, {found['id']}, {place}"


def of_plot(paper: str, name: str) -> tuple[str, str]:
    """Return the words of a paper's text on a figure that is a plot, and their place."""
    found = published(paper)["plots"][name]
    return f"Published: {found['text']}.", _place(paper, found["place"])


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
