"""A table of systems by factors as Markdown, CSV, LaTeX and HTML."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape

from ..file_formats import csv_text, markdown_lines
from ..plain_page import plain_page
from ..plain_plots import PlotRow, interval_plot
from ..safe_text import cell as spreadsheet_text
from ..safe_text import markdown
from .summary import Summary, SummaryCell

NOTE = (
    "Mean (standard deviation over conversations) [95 % interval, whole users resampled]. Bold: better than every "
    "other system by a difference that holds. The test is a permutation over users, p < .05 after Holm's correction over all "
    "pairs and factors of the table."
)
COLUMNS = ("table", "system", "factor", "mean", "sd", "low", "high", "n", "users", "best")
_TEX = re.compile(r"[\\&%$#_{}~^]")
_TEX_WORDS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def as_markdown(tables: Sequence[Summary]) -> str:
    """Each table under its title, factors down and systems across."""
    return "\n".join([_markdown(table) for table in tables] + [NOTE, ""])


def _markdown(table: Summary) -> str:
    rows = [
        (markdown(factor), *(_shown(table, system, factor, "**{}**".format) for system in table.systems))
        for factor in table.factors
    ]
    columns = ("factor", *map(markdown, table.systems))
    lines = markdown_lines(columns, rows, right=len(table.systems))
    return "\n".join([f"## {markdown(table.title)}", "", *lines, ""])


def as_csv(tables: Sequence[Summary]) -> str:
    """A row for each system and factor, in full precision."""
    return csv_text(COLUMNS, (row for table in tables for row in _csv_rows(table)))


def _csv_rows(table: Summary) -> Iterator[Mapping[str, object]]:
    for factor in table.factors:
        best = table.best(factor)
        for system in table.systems:
            if (found := table.cells.get((system, factor))) is not None:
                yield {
                    "table": spreadsheet_text(table.title),
                    "system": spreadsheet_text(system),
                    "factor": spreadsheet_text(factor),
                    **asdict(found),
                    "best": int(system == best),
                }


def as_latex(tables: Sequence[Summary]) -> str:
    """Each table as a `tabular` with booktabs' rules."""
    return "% Needs \\usepackage{booktabs}.\n" + "\n".join(_latex(table) for table in tables)


def _latex(table: Summary) -> str:
    rows = [
        [tex(factor), *(_shown(table, system, factor, r"\textbf{{{}}}".format) for system in table.systems)]
        for factor in table.factors
    ]
    return latex_table(f"{table.title}. {NOTE}", ["Factor", *table.systems], rows)


def latex_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A `table` with booktabs' rules. Cells are LaTeX already."""
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{tex(caption)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
            r"\toprule",
            rf"{' & '.join(map(tex, columns))} \\",
            r"\midrule",
            *(rf"{' & '.join(row)} \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def tex(text: str) -> str:
    """Text that LaTeX sets as it stands, on one line."""
    return _TEX.sub(lambda sign: _TEX_WORDS.get(sign[0], rf"\{sign[0]}"), " ".join(text.split()))


def html_table(table: Summary) -> str:
    """The table as a part of a page."""
    head = "".join(f'<th scope="col" class="number">{escape(system)}</th>' for system in table.systems)
    rows = "".join(
        f'<tr><th scope="row">{escape(factor)}</th>'
        + "".join(
            f'<td class="number">{_shown(table, system, factor, "<b>{}</b>".format)}</td>'
            for system in table.systems
        )
        + "</tr>"
        for factor in table.factors
    )
    return (
        f'<h2>{escape(table.title)}</h2><div class="scroll" tabindex="0"><table><thead><tr>'
        f'<th scope="col">factor</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def as_html(tables: Sequence[Summary]) -> str:
    """A page with a leaderboard and the tables, which fetches nothing and runs nothing."""
    parts = [*map(board, tables), *map(html_table, tables), f'<p class="dim">{escape(NOTE)}</p>']
    return plain_page("Leaderboard", parts)


def board(table: Summary) -> str:
    """The systems by the last factor of a table, which is its overall one, the best first."""
    factor = table.factors[-1] if table.factors else ""
    found = [
        (system, table.cells[system, factor]) for system in table.systems if (system, factor) in table.cells
    ]
    if not found:
        return ""
    found.sort(key=lambda pair: (-pair[1].mean, pair[0]))
    rows = [
        PlotRow(
            f"{place}. {system}",
            cell.mean,
            None if cell.low is None or cell.high is None else (cell.low, cell.high),
            f"{cell.mean:z.2f}",
        )
        for place, (system, cell) in enumerate(found, 1)
    ]
    ends = [end for row in rows for end in (row.value or 0.0, *(row.interval or ()))]
    low, high = min(0.0, *ends), max(0.0, *ends)
    title = f"{table.title}: {factor}"
    lines = [(end, "grid", f"{end:.3g}") for end in dict.fromkeys((low, high))]
    return f"<h2>{escape(title)}</h2>{interval_plot(title, rows, (low, high), lines)}"


def _shown(table: Summary, system: str, factor: str, bold: Callable[[str], str]) -> str:
    found = table.cells.get((system, factor))
    if found is None:
        return ""
    text = cell_text(found)
    return bold(text) if table.best(factor) == system else text


def cell_text(found: SummaryCell) -> str:
    """A cell for people: `3.20 (0.84) [2.90, 3.50]`."""
    spread = "" if found.sd is None else f" ({found.sd:.2f})"
    bounds = "" if found.low is None or found.high is None else f" [{found.low:z.2f}, {found.high:z.2f}]"
    return f"{found.mean:z.2f}{spread}{bounds}"


FORMATS: Mapping[str, Callable[[Sequence[Summary]], str]] = {
    ".md": as_markdown,
    ".csv": as_csv,
    ".tex": as_latex,
    ".html": as_html,
}
