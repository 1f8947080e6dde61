"""An exam on a terminal."""

import io

from rich.console import Console

from ..tables import figures_table
from .results import PAIRED, ExamResults, TakenExam, headline, paired_cells, share, trust, with_interval

COLUMNS = ("home factor", "fault", "pairs", "n/a", "sees (95 %)", "names", "alarms", "trust")


def print_exam(console: Console, results: ExamResults) -> None:
    """Print each judge's report, and the comparison of the first judge with the others."""
    for one in results.exams:
        _print_judge(console, one, results)
    for other, found in results.paired:
        title = f"{results.exams[0].judge} and {other} on the same pairs"
        console.print(figures_table(title, PAIRED, map(paired_cells, found), PAIRED[:2]))


def _print_judge(console: Console, one: TakenExam, results: ExamResults) -> None:
    from ...exam.report import ExamPart
    from ...faults import load_faults

    faults = load_faults()
    rows = []
    for by in (ExamPart.FACTOR, ExamPart.FAULT):
        for name in results.names(by):
            if (row := one.report.row(by, name)) is not None:
                places = (name, "all") if by is ExamPart.FACTOR else (faults[name].home, name)
                figures = (with_interval(row.sensitivity), share(row.detected), share(row.false_alarms))
                gaps = str(row.not_assessable + row.failed or "")
                rows.append((*places, str(row.pairs), gaps, *figures, trust(row.sensitivity)))
    console.print(figures_table(f"Exam of {one.judge}", COLUMNS, rows, COLUMNS[:2]))
    for line in headline(one):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def table_text(results: ExamResults) -> str:
    """Return the same as plain text."""
    console = Console(file=io.StringIO(), width=120)
    with console.capture() as captured:
        print_exam(console, results)
    return captured.get()
