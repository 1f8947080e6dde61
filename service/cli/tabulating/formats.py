"""Tables for papers as Markdown, CSV, LaTeX and HTML, and charts as SVG by matplotlib."""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

from ..exits import STUDIES, need_extra
from ..file_formats import cell as spreadsheet_text
from ..file_formats import markdown, markdown_lines, plain_page
from .summary import Summary, SummaryCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

NOTE = (
    "Mean (standard deviation over conversations) [95 % interval; it resamples whole users]. n: conversations with a score; a cell "
    "with another n states it. Bold: better than every other system. "
    "Underlined and italic: second and third, better than every system behind. Each of these differences is statistically "
    "significant: p < .05 in a permutation test over users, after Holm's correction over all pairs and factors of the table."
)
COLUMNS = ("table", "system", "factor", "mean", "sd", "low", "high", "n", "users", "best", "place")
_TEX = str.maketrans({sign: f"\\{sign}" for sign in "&%$#_{}"}) | str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
_NUMBERS = re.compile(r"[\d.,()\[\]: n=-]*+")
"""Cells of our own making: nothing in them is a sign of Markdown."""
DIFFERENCES = (
    "Difference: first minus second, over the users that both have. Its 95 % bootstrap interval resamples users. p: a permutation "
    "test that flips the signs of the differences. p, Holm: corrected for all rows of the table. Effect: the mean difference divided "
    "by its standard deviation (Cohen's d for pairs). Systems that share fewer than two users are compared as two samples, without "
    "interval and effect."
)
MARKS = {
    ".md": ("{}", "**{}**", "<ins>{}</ins>", "*{}*"),
    ".tex": ("{}", r"\textbf{{{}}}", r"\underline{{{}}}", r"\textit{{{}}}"),
    ".html": ("{}", "<b>{}</b>", "<u>{}</u>", "<i>{}</i>"),
}
"""Marks of a cell without a rank, and of the best, second and third."""
Value = str | float | int | None
STYLE = {
    "axes.grid": True,
    "font.sans-serif": ["DejaVu Sans", "sans-serif"],
    "grid.color": "#e3e6ea",
    # The same ids in each run, texts as texts, and names of systems as they are: `$` begins no formula.
    "svg.hashsalt": "crs-eval",
    "svg.fonttype": "none",
    "text.parse_math": False,
}


@dataclass(frozen=True)
class StudyTable:
    """A table under its file's name. `rows` hold as many values as there are columns; `ranks` are 1 to 3, by row and
    column: bold, underlined, italic. `source` says where published figures stand."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    note: str = ""
    source: str = ""
    digits: int = 2
    ranks: Mapping[tuple[int, int], int] = field(default_factory=dict)
    summary: Summary | None = None
    """The values that the rows were made of, in full precision."""
    folded: bool = False
    """A table that the report shows when asked for."""

    @property
    def texts(self) -> list[list[str]]:
        """Return the values for people."""
        return [[self._text(one) for one in row] for row in self.rows]

    def _text(self, value: Value) -> str:
        if not isinstance(value, float):
            return "" if value is None else str(value)
        # A small p would be shown as 0.
        small = 1e-4 <= abs(value) < 0.5 / 10**self.digits
        return f"{value:.1g}" if small else f"{value:z.{self.digits}f}"


def table_of(name: str, summary: Summary, note: str = "") -> StudyTable:
    """Lay out a summary as a sheet: factors down, systems across, each with its number of conversations."""
    systems, cells = summary.systems, summary.cells
    ranks = {
        (row, 1 + systems.index(system)): rank
        for row, factor in enumerate(summary.factors)
        for rank, system in enumerate(summary.podium(factor), 1)
    }
    most = {
        one: max((cell.n for (system, _), cell in cells.items() if system == one), default=0)
        for one in systems
    }
    rows = [
        [factor, *(cell_text(found, most[one]) if (found := cells.get((one, factor))) else None for one in systems)]
        for factor in summary.factors
    ]  # fmt: skip
    columns = ("factor", *(f"{one}, n = {most[one]}" for one in systems))
    return StudyTable(
        name, summary.title, columns, rows, f"{note} {NOTE}".strip(), ranks=ranks, summary=summary
    )


def differences_of(name: str, summary: Summary) -> StudyTable:
    """The systems of a table in pairs, on each factor."""
    rows = [
        [one.factor, one.first, one.second, one.difference, one.low, one.high, one.p, one.adjusted, one.effect, one.users]
        for one in summary.differences
    ]  # fmt: skip
    columns = ("factor", "first", "second", "difference", "low", "high", "p", "p, Holm", "effect", "users")
    title = f"Differences: {summary.title}"
    return StudyTable(f"differences-{name}", title, columns, rows, DIFFERENCES, digits=3, folded=True)


def with_note(sheet: StudyTable, note: str) -> StudyTable:
    """A table with a further note below it, unless it holds published figures alone."""
    if sheet.name.startswith("published"):
        return sheet
    return replace(sheet, note=f"{sheet.note} {note}".strip())


def as_csv(sheet: StudyTable) -> str:
    """The values in full precision."""
    columns, rows = sheet.columns, sheet.rows
    if sheet.summary is not None:
        columns, rows = COLUMNS, _values(sheet.summary)
    safe = [[spreadsheet_text(value) if isinstance(value, str) else value for value in row] for row in rows]
    text: str = _frame(map(spreadsheet_text, columns), safe).to_csv(index=False, lineterminator="\r\n")
    return text


def _values(table: Summary) -> list[Sequence[Value]]:
    rows: list[Sequence[Value]] = []
    for factor in table.factors:
        ranks = {system: rank for rank, system in enumerate(table.podium(factor), 1)}
        for system in table.systems:
            if (found := table.cells.get((system, factor))) is not None:
                rank = ranks.get(system)
                rows.append((table.title, system, factor, *astuple(found), int(rank == 1), rank))
    return rows


def _frame(columns: Iterable[str], rows: Sequence[Sequence[Value]]) -> "DataFrame":
    need_extra(*STUDIES)
    from pandas import DataFrame

    # As objects: a column of whole numbers with a gap would become one of floats.
    return DataFrame(rows, columns=list(columns), dtype=object)


def as_markdown(sheet: StudyTable) -> str:
    """The table under its title, with its note and its source."""
    columns = [*map(_markdown, sheet.columns)]
    lines = markdown_lines(columns, _cells(sheet, _markdown, MARKS[".md"]), len(columns) - 1)
    return "\n".join(
        [f"## {markdown(sheet.title)}", "", *lines, "", *(f"{part}\n" for part in _notes(sheet))]
    )


def _markdown(text: str) -> str:
    return text if _NUMBERS.fullmatch(text) else markdown(text)


def as_latex(sheet: StudyTable) -> str:
    """A `table` with booktabs' rules."""
    frame = _frame(map(tex, sheet.columns), _cells(sheet, tex, MARKS[".tex"]))
    text: str = frame.style.hide(axis="index").to_latex(
        hrules=True,
        position_float="centering",
        caption=tex(" ".join([f"{sheet.title}.", *_notes(sheet)])),
        column_format="l" + "r" * (len(sheet.columns) - 1),
    )
    return "% Needs \\usepackage{booktabs}.\n" + text


def tex(text: str) -> str:
    """Text that LaTeX sets as it stands, on one line."""
    return " ".join(text.split()).translate(_TEX)


def as_html(sheet: StudyTable) -> str:
    """The table as a part of a page. Columns of words are set as the first one is."""
    frame = _frame(map(escape, sheet.columns), _cells(sheet, escape, MARKS[".html"]))
    numbers = [
        place
        for place, cells in enumerate(zip(*sheet.texts, strict=True))
        if place and all(map(_NUMBERS.fullmatch, cells))
    ]
    right = "text-align: right; white-space: nowrap"
    styles = [{"selector": f".col{place}", "props": right} for place in numbers]
    # The id is the same in each run, and no other table of a page has it.
    table = frame.style.hide(axis="index").set_uuid(sheet.name.encode().hex()).set_table_styles(styles)
    notes = "".join(f'<p class="dim">{escape(note)}</p>' for note in _notes(sheet))
    return f'<h3>{escape(sheet.title)}</h3><div class="scroll" tabindex="0">{table.to_html()}</div>{notes}'


def _cells(sheet: StudyTable, safe: Callable[[str], str], marks: Sequence[str]) -> list[list[str]]:
    """The values for people, in a format's spelling and with its marks."""
    return [
        [marks[sheet.ranks.get((number, place), 0)].format(safe(text)) for place, text in enumerate(row)]
        for number, row in enumerate(sheet.texts)
    ]


def _notes(sheet: StudyTable) -> list[str]:
    return [part for part in (sheet.note, f"Source: {sheet.source}." if sheet.source else "") if part]


def system_sheets(summary: Summary) -> list[StudyTable]:
    """The table of systems by factors, and their differences where any two systems share users."""
    sheets = [table_of("systems", summary)]
    if any(one.paired for one in summary.differences):
        sheets.append(differences_of("systems", summary))
    return sheets


def cell_text(found: SummaryCell, n: int) -> str:
    """A cell for people: `3.20 (0.84) [2.90, 3.50]`, and its number of conversations where that is not `n`."""
    spread = "" if found.sd is None else f" ({found.sd:.2f})"
    bounds = "" if found.low is None or found.high is None else f" [{found.low:z.2f}, {found.high:z.2f}]"
    return f"{found.mean:z.2f}{spread}{bounds}{'' if found.n == n else f', n = {found.n}'}"


WRITERS: Mapping[str, Callable[[StudyTable], str]] = {
    ".md": as_markdown,
    ".csv": as_csv,
    ".tex": as_latex,
    ".html": as_html,
}

SHEET_WRITERS: Mapping[str, Callable[[Sequence[StudyTable]], str]] = {
    ".md": lambda sheets: "\n".join(map(as_markdown, sheets)),
    ".csv": lambda sheets: as_csv(sheets[0]),
    ".tex": lambda sheets: "\n".join(map(as_latex, sheets)),
    ".html": lambda sheets: plain_page("Systems", map(as_html, sheets)),
}
"""Writers of several tables into one file; a CSV holds the first."""


def chart(summary: Summary, low: float, high: float) -> str:
    """Draw each factor's mean of each system with its interval, on one scale."""
    cells = [
        (f"{factor}, {system}", found)
        for factor in summary.factors
        for system in summary.systems
        if (found := summary.cells.get((system, factor))) is not None
    ]

    def draw(axes: "Axes") -> None:
        for place, (_, found) in enumerate(cells):
            if found.low is not None and found.high is not None:
                axes.plot((found.low, found.high), (place, place), color="C0", alpha=0.5, linewidth=3)
            axes.plot(found.mean, place, "o", color="C0")
            axes.text(1.02, place, f"{found.mean:z.2f}", transform=axes.get_yaxis_transform(), va="center")
        axes.set_yticks(range(len(cells)), [name for name, _ in cells])
        axes.set_ylim(len(cells), -1)
        axes.set_xlim(low - (high - low) / 50, high + (high - low) / 50)

    return _svg(summary.title, 0.27 * (len(cells) + 1), draw)


def lines(title: str, series: Mapping[str, Sequence[float | None]], label: str) -> str:
    """Draw shares (0-1) over steps 1, 2, ...; a line for each series, with a gap where a share is undefined."""
    import numpy as np

    def draw(axes: "Axes") -> None:
        for values in series.values():
            axes.plot(range(1, len(values) + 1), np.array(values, dtype=float), "o-")
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel(label)
        axes.set_ylim(-0.02, 1.02)
        # Named here: as labels of lines, names with a leading underscore would be left out.
        axes.legend(axes.lines, list(series), loc="upper left", bbox_to_anchor=(1, 1))

    return _svg(title, 3.0, draw)


def heat_map(title: str, names: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    """Draw a square of -1 to 1: blue above 0, red below, empty where undefined."""
    import numpy as np

    def draw(axes: "Axes") -> None:
        axes.grid(visible=False)
        # Beyond the ends the colours are too dark for a text.
        axes.pcolormesh(np.array(values, dtype=float), cmap="RdBu", vmin=-1.6, vmax=1.6)
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                if value is not None:
                    axes.text(x + 0.5, y + 0.5, f"{value:.2f}", ha="center", va="center")
        middles = [place + 0.5 for place in range(len(names))]
        axes.set_xticks(middles, names, rotation=45, ha="right")
        axes.set_yticks(middles, names)
        axes.invert_yaxis()

    return _svg(title, 0.42 * len(names), draw)


def _svg(title: str, height: float, draw: Callable[["Axes"], None]) -> str:
    """Draw on axes of a height in inches."""
    from matplotlib.figure import Figure
    from matplotlib.style import context

    with context(STYLE, after_reset=True), warnings.catch_warnings():
        # A script that matplotlib's font lacks is drawn by the reader's fonts.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure = Figure(figsize=(5, height))
        draw(figure.add_axes((0, 0, 1, 1), title=title))
        text = StringIO()
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Title": title, "Date": None})
    # Without the document's head it can be part of a page.
    return "<svg" + text.getvalue().partition("<svg")[2]
