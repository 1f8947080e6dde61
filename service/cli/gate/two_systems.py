"""Two systems on the same conversations: both means, their difference with its interval, and a test of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ...importing.entries import plain_name
from ..configuration import GateSettings
from ..file_formats import json_text, markdown
from ..scores import ANSWERED, MEAN, MEAN_OF_FACTORS, NO_SYSTEM, OVERALL, Run
from ..tables import figures_table
from ..tabulating.formats import StudyTable, as_markdown
from ..tabulating.summary import FEWEST_PAIRS, Measured, Summary, summarise
from .judgement import RunComparison
from .paired import Scores
from .rules import fault_shares

FEW_PAIRS = 30
_LABELS = {MEAN: MEAN_OF_FACTORS, ANSWERED: "requests answered (share)"}
_NOTE = (
    "p: two-sided, from a test that flips the signs of the paired differences. p, Holm: corrected for all rows of the table. "
    "n: pairs."
)


@dataclass(frozen=True)
class SystemComparison:
    """Two systems under the names of their columns, on factors and on faults. Differences are second minus first."""

    first: str
    second: str
    factors: Summary
    faults: Summary
    remarks: Sequence[str]

    def sheets(self) -> list[StudyTable]:
        """Return the tables, faults last. Tables without rows are left out."""
        return [self._sheet(name) for name in ("factors", "faults") if getattr(self, name).differences]

    def _sheet(self, name: str) -> StudyTable:
        summary: Summary = getattr(self, name)
        rows = []
        for one in summary.differences:
            means = (summary.cells[side, one.factor].mean for side in ("first", "second"))
            bounds = f"[{one.low:z.2f}, {one.high:z.2f}]" if one.low is not None else None
            tests = (f"{one.p:.2g}", f"{one.adjusted:.2g}", one.users)
            rows.append([one.factor, *means, one.difference, bounds, *tests])
        columns = (name[:-1], self.first, self.second, "difference", "95 % interval", "p", "p, Holm", "n")
        title = f"{summary.title}. Difference: {self.second} minus {self.first}"
        return StudyTable(name, title, columns, rows, _NOTE)

    def as_json(self) -> str:
        tables = {"factors": _json_rows(self.factors), "faults": _json_rows(self.faults)}
        return json_text(
            {"first": self.first, "second": self.second, **tables, "remarks": list(self.remarks)}
        )

    def as_markdown(self) -> str:
        return "\n".join(
            [*map(as_markdown, self.sheets()), *(f"{markdown(remark)}\n" for remark in self.remarks)]
        )

    def print(self, console: Console) -> None:
        for sheet in reversed(self.sheets()):
            console.print(figures_table(sheet.title, sheet.columns, sheet.texts))
        for line in (_NOTE, *self.remarks):
            console.print(line, style="dim", markup=False)


WRITERS = {
    ".json": SystemComparison.as_json,
    ".md": SystemComparison.as_markdown,
}


def compare_systems(first: Run, second: Run, gate: GateSettings) -> SystemComparison:
    """Compare two runs on the conversations that both have: second minus first. Raises CommandError where they were not judged alike."""
    compared = RunComparison.of(first, second, gate)
    scores, remarks = compared.scores, list(compared.notes())
    slugs = [slug for slug in second.factors if slug in first.factors]
    names = [*slugs, *((MEAN, OVERALL) if len(slugs) != 1 else ()), ANSWERED]
    factors = _summary("Scores", scores, names)
    rows = {one.factor: one.users for one in factors.differences}
    if missing := [slug for slug in slugs if slug not in rows]:
        remarks.append(
            f"Not compared, because fewer than {FEWEST_PAIRS} pairs have a score: {', '.join(missing)}."
        )
    if rows and min(rows.values()) < FEW_PAIRS:
        remarks.append(f"With fewer than {FEW_PAIRS} pairs a small difference may not show.")
    shares = fault_shares(first, second, compared.alike, gate)
    found = [fault for fault in shares[0] if any(any(side[fault].values()) for side in shares)]
    faults = _summary("Faults, by the share of conversations with them", shares, found)
    return SystemComparison(*_column_names(first, second), factors, faults, remarks)


def _summary(title: str, scores: tuple[Scores, Scores], rows: Sequence[str]) -> Summary:
    """Summarise the pairs of each row that has two or more."""
    sides = dict(zip(("first", "second"), scores, strict=True))
    measured = []
    for row in rows:
        pairs = [name for name in sides["first"][row] if name in sides["second"][row]]
        if len(pairs) >= FEWEST_PAIRS:
            label = _LABELS.get(row, row)
            measured += [
                Measured(side, label, name, sides[side][row][name]) for side in sides for name in pairs
            ]
    return summarise(title, measured, ("second", "first"))  # differences are second minus first


def _json_rows(summary: Summary) -> list[dict[str, object]]:
    return [
        {
            "name": one.factor,
            **{side: summary.cells[side, one.factor].mean for side in ("first", "second")},
            **{name: getattr(one, name) for name in ("difference", "low", "high", "p")},
            "p_adjusted": one.adjusted,
            "n": one.users,
        }
        for one in summary.differences
    ]


def _column_names(first: Run, second: Run) -> tuple[str, str]:
    """Return the systems where each run names one of its own, else the names of the files."""
    systems = [list(run.by_system) for run in (first, second)]
    if all(len(one) == 1 and one != [NO_SYSTEM] for one in systems) and systems[0] != systems[1]:
        return systems[0][0], systems[1][0]
    files = [plain_name(Path(run.name)).stem for run in (first, second)]
    return (files[0], files[1]) if files[0] != files[1] else (first.name, second.name)
