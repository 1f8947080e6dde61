"""An exam on a terminal."""

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .results import ExamResults, TakenExam, headline, share, trust, with_interval


def print_exam(console: Console, results: ExamResults) -> None:
    """Print each judge's report, and the comparison of the first judge with the others."""
    for one in results.exams:
        _print_judge(console, one, results)
    for other, rows in results.paired:
        table = _table(f"{results.exams[0].judge} and {other} on the same pairs", ("part", "name"))
        for name in ("pairs", "both see", "only first", "only second", "neither", "p"):
            table.add_column(name, justify="right")
        for row in rows:
            counts = (row.n, row.both, row.only_first, row.only_second, row.neither)
            table.add_row(row.by.value, row.name, *map(str, counts), f"{row.p:.3f}")
        console.print(table)


def _print_judge(console: Console, one: TakenExam, results: ExamResults) -> None:
    from ...exam.report import Part
    from ...faults import load_faults

    faults = load_faults()
    table = _table(f"Exam of {one.judge}", ("home factor", "fault"))
    for name in ("pairs", "n/a", "sees (95 %)", "names", "alarms", "trust"):
        table.add_column(name, justify="right", no_wrap=True)
    for by, home in ((Part.FACTOR, "all"), (Part.FAULT, "")):
        for name in results.names(by):
            row = one.report.row(by, name)
            if row is None:
                continue
            places = (name, "all") if home else (faults[name].home, name)
            figures = (with_interval(row.sensitivity), share(row.detected), share(row.false_alarms))
            gaps = str(row.not_assessable + row.failed or "")
            table.add_row(*places, str(row.pairs), gaps, *figures, trust(row.sensitivity))
        table.add_section()
    console.print(table)
    for line in headline(one):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _table(title: str, names: tuple[str, ...]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for name in names:
        table.add_column(name, no_wrap=True)
    return table


def table_text(results: ExamResults) -> str:
    """Return the same as plain text."""
    console = Console(file=io.StringIO(), width=120)
    with console.capture() as captured:
        print_exam(console, results)
    return captured.get()
