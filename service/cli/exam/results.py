"""Finished exams of one judge or several: on a terminal, as an HTML page, and as JSON, CSV and JUnit XML."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pydantic import TypeAdapter
from rich.console import Console

from ...domain.plurals import counted
from ...exams.outcome import PairOutcome
from ...exams.report import ExamFigure, ExamPart, ExamReport, ExamRow
from ...exams.versus import PairedRow, versus
from ...faults import load_faults
from ..file_formats import (
    JUnitCase,
    by_suffix,
    cell,
    csv_text,
    json_text,
    junit_suite,
    plain_page,
    table,
    xml_text,
)
from ..inputs import Json
from ..judge_commands import console, print_lines
from ..records import write_atomically
from ..tables import figures_table

HALF = 0.5
MEASURES = (
    "sensitivity", "detected", "right_factors", "others_moved", "false_alarms", "overall_falls", "overall_drop",
)  # fmt: skip
PAIRED = ("part", "name", "pairs", "both see", "only first", "only second", "neither", "p (McNemar, exact)")
RATED = ("absolute_error", "rank_correlation", "awful_score")
FIGURES = ("pairs", "n/a", "sees (95 %)", "names", "alarms", "trust")
COLUMNS = ("judge", "by", "name", "measure", "value", "n", "low", "high")


@dataclass(frozen=True)
class TakenExam:
    """A judge by the name that was asked for, the estimate, and the report."""

    judge: str
    estimate: Json
    report: ExamReport

    @property
    def answer(self) -> Json:
        """The answer that `/exam` gives to the whole: CRS_EVAL_EXAMS reads it."""
        report = TypeAdapter(ExamReport).dump_python(self.report, mode="json")
        return {"estimate": self.estimate, "report": report}


@dataclass(frozen=True)
class ExamResults:
    """Exams of several judges on the same pairs. The first is compared with each other one."""

    exams: Sequence[TakenExam]

    @cached_property
    def paired(self) -> Sequence[tuple[str, Sequence[PairedRow]]]:
        """The other judges, each with the rows that compare the first one with it."""
        first = self.exams[0].report
        return [(one.judge, versus(first, one.report, load_faults())) for one in self.exams[1:]]

    def names(self, by: ExamPart) -> list[str]:
        """Return the names of the rows of any judge, faults in the order of their home factors."""
        names = {row.name for one in self.exams for row in one.report.rows if row.by is by}
        faults = load_faults()
        return sorted(names, key=lambda name: (faults[name].home if name in faults else "", name))


def row_cells(row: ExamRow) -> tuple[str, ...]:
    """Return the figures of a row in the order of `FIGURES`."""
    gaps = str(row.not_assessable + row.failed or "")
    figures = (with_interval(row.sensitivity), share(row.detected), share(row.false_alarms))
    return str(row.pairs), gaps, *figures, trust(row.sensitivity)


def paired_cells(row: PairedRow) -> tuple[str, ...]:
    """Return a row of two judges in the order of `PAIRED`."""
    counts = (row.n, row.both, row.only_first, row.only_second, row.neither)
    return row.by.value, row.name, *map(str, counts), f"{row.p:.3f}"


def trust(sensitivity: ExamFigure) -> str:
    """Return `yes` where a judge surely sees more than half of the faults, `no` where it surely sees fewer, else `unclear`."""
    if sensitivity.low is None or sensitivity.high is None:
        return ""
    return "yes" if sensitivity.low > HALF else "no" if sensitivity.high < HALF else "unclear"


def share(figure: ExamFigure) -> str:
    """Return a share for people: 0.85, empty without cases."""
    return "" if figure.value is None else f"{figure.value:z.2f}"


def with_interval(figure: ExamFigure) -> str:
    """Return a figure with its interval: 0.85 (0.70-0.93)."""
    if figure.low is None or figure.high is None:
        return share(figure)
    return f"{share(figure)} ({figure.low:z.2f}-{figure.high:z.2f})"


def headline(one: TakenExam) -> Iterator[str]:
    """Yield a judge's figures over the whole exam, a sentence each."""
    row, rated, sitting = one.report.row(ExamPart.ALL), one.report.absolute, one.report.sitting
    if row is not None:
        yield from _of_pairs(row)
    if rated.absolute_error.n:
        yield (
            f"Overall score of {rated.absolute_error.n} rated conversations: absolute error "
            f"{with_interval(rated.absolute_error)}, rank correlation {with_interval(rated.rank_correlation)}."
        )
    if rated.awful_score.n:
        yield f"Mean score of {counted(rated.awful_score.n, 'awful conversation')}: {with_interval(rated.awful_score)} of 4."
    usage = sitting.usage
    cost = "" if usage.cost is None else f", cost {usage.cost:.4g}"
    yield f"Tokens: {usage.input_tokens + usage.output_tokens:,}{cost}. Time: {sitting.seconds:.0f} s."


def _of_pairs(row: ExamRow) -> Iterator[str]:
    yield f"Sees {with_interval(row.sensitivity)} of the faults of {counted(row.sensitivity.n, 'pair')}."
    if row.not_assessable or row.failed:
        yield f"Not assessable: {counted(row.not_assessable, 'pair', of=row.pairs)}. Failed: {row.failed}."
    if row.detected.n:
        yield f"Names the fault in {with_interval(row.detected)} of {counted(row.detected.n, 'bad version')}."
        yield f"Reports a fault in {with_interval(row.false_alarms)} of {counted(row.false_alarms.n, 'good version')}."
    else:
        yield "Reported no fault in any version, so there are no names and no alarms to count."
    yield f"Factors that should fall: {with_interval(row.right_factors)} do. Others that move: {share(row.others_moved)}."
    yield f"The overall score falls in {with_interval(row.overall_falls)} of the pairs, by {share(row.overall_drop)} on average."


def print_exam(console: Console, results: ExamResults) -> None:
    """Print each judge's report, and the comparison of the first judge with the others."""
    for one in results.exams:
        _print_judge(console, one, results)
    for other, found in results.paired:
        title = f"{results.exams[0].judge} and {other} on the same pairs"
        console.print(figures_table(title, PAIRED, map(paired_cells, found), PAIRED[:2]))


def _print_judge(console: Console, one: TakenExam, results: ExamResults) -> None:
    faults = load_faults()
    rows = []
    for by in (ExamPart.FACTOR, ExamPart.FAULT):
        for name in results.names(by):
            if (row := one.report.row(by, name)) is not None:
                places = (name, "all") if by is ExamPart.FACTOR else (faults[name].home, name)
                rows.append((*places, *row_cells(row)))
    words = ("home factor", "fault")
    console.print(figures_table(f"Exam of {one.judge}", (*words, *FIGURES), rows, words))
    print_lines(*headline(one), to=console)


def exam_page(results: ExamResults) -> str:
    """Return the whole document."""
    parts = []
    for one in results.exams:
        lines = "".join(f"<li>{escape(line)}</li>" for line in headline(one))
        parts.append(f"<h2>{escape(one.judge)}</h2><ul>{lines}</ul>")
    parts += [
        "<h2>Faults that each judge sees</h2>",
        '<p class="dim">Share of pairs in which the home factor falls; the number of pairs is in brackets.</p>',
        _heat_map(results),
    ]
    for by in ExamPart:
        rows = [(one, row) for one in results.exams for row in one.report.rows if row.by is by]
        cells = [(one.judge, row.name, *row_cells(row)) for one, row in rows]
        parts.append(f"<h2>By {by.value}</h2>{table(('judge', 'name', *FIGURES), cells)}")
    for other, paired in results.paired:
        title = f"{results.exams[0].judge} and {other}"
        parts.append(f"<h2>{escape(title)}</h2>{table(PAIRED, map(paired_cells, paired))}")
    return plain_page("Exam of judges", parts)


def _heat_map(results: ExamResults) -> str:
    faults = load_faults()
    heads = "".join(f'<th scope="col">{escape(one.judge)}</th>' for one in results.exams)
    rows = []
    for name in results.names(ExamPart.FAULT):
        found = [one.report.row(ExamPart.FAULT, name) for one in results.exams]
        cells = "".join(_cell(row.sensitivity) if row else "<td></td>" for row in found)
        rows.append(
            f'<tr><td>{escape(faults[name].home)}</td><th scope="row">{escape(name)}</th>{cells}</tr>'
        )
    head = f'<tr><th scope="col">home factor</th><th scope="col">fault</th>{heads}</tr>'
    return f'<div class="scroll" tabindex="0"><table class="heat"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


def _cell(figure: ExamFigure) -> str:
    if figure.value is None:
        return '<td class="dim">not assessable</td>'
    shade = f"background:rgba(47,109,181,{0.75 * figure.value:.2f})"
    return f'<td style="{shade}" title="{with_interval(figure)}">{share(figure)} ({figure.n})</td>'


def exam_json(results: ExamResults) -> str:
    """Return the answer of `/exam` for one judge; for several, one answer each by `judge`, and the comparisons."""
    value: Any = results.exams[0].answer
    if results.paired:
        value = {
            "exams": [{"judge": one.judge, **one.answer} for one in results.exams],
            "paired": [
                {
                    "first": results.exams[0].judge, "second": other, **asdict(row), "neither": row.neither,
                    "p": round(row.p, 6),
                }
                for other, rows in results.paired
                for row in rows
            ],
        }  # fmt: skip
    return json_text(value)


def exam_csv(results: ExamResults) -> str:
    """Return one line per judge, row and measure."""
    lines = []
    for one in results.exams:
        parts = [(row.by.value, row.name, MEASURES, row) for row in one.report.rows]
        for by, name, measures, part in [*parts, ("absolute", "all", RATED, one.report.absolute)]:
            named = {"judge": cell(one.judge), "by": by, "name": cell(name)}
            lines += [{**named, "measure": each, **asdict(getattr(part, each))} for each in measures]
    return csv_text(COLUMNS, lines)


def junit(results: ExamResults) -> str:
    """Return a suite per judge and a test case per pair: a failure where the judge does not see the fault."""
    root = ElementTree.Element("testsuites", {"name": "crs-eval exam"})
    for one in results.exams:
        junit_suite(root, one.judge, [_case(pair) for pair in one.report.outcomes])
    return xml_text(root)


def _case(pair: PairOutcome) -> JUnitCase:
    home = load_faults()[pair.fault].home
    change = pair.change(home)
    good, bad = ("no score" if one is None else f"{one:.2f}" for one in (change.good, change.bad))
    kind = {True: None, False: "failure", None: "error" if change.failed else "skipped"}[change.fell]
    return JUnitCase(pair.id, f"{home}.{pair.fault}", kind, f"{home}: {good} before, {bad} with the fault")


WRITERS: Mapping[str, Callable[[ExamResults], str]] = {
    ".json": exam_json,
    ".html": exam_page,
    ".csv": exam_csv,
    ".xml": junit,
}


def write_report(results: ExamResults, out: Path | None) -> None:
    """Show a report, and write it to a file if one is named."""
    if out is None:
        print_exam(Console(width=None if sys.stdout.isatty() else 120, highlight=False), results)
        return
    write_atomically(out, by_suffix(out, WRITERS)(results))
    print_exam(console(), results)
    console().print(f"The report is in {out}.", markup=False)
