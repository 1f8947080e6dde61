"""An exam as one HTML file without scripts: a heat map of faults by judges, and every figure."""

from html import escape
from typing import TYPE_CHECKING

from ..plain_page import plain_page, table
from .results import FIGURES, PAIRED, ExamResults, headline, paired_cells, row_cells, share, with_interval

if TYPE_CHECKING:
    from ...exam.report import ExamFigure

_HUE = "47,109,181"


def exam_page(results: ExamResults) -> str:
    """Return the whole document."""
    from ...exam.report import ExamPart

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
    from ...exam.report import ExamPart
    from ...faults import load_faults

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


def _cell(figure: "ExamFigure") -> str:
    if figure.value is None:
        return '<td class="dim">not assessable</td>'
    shade = f"background:rgba({_HUE},{0.75 * figure.value:.2f})"
    return f'<td style="{shade}" title="{with_interval(figure)}">{share(figure)} ({figure.n})</td>'
