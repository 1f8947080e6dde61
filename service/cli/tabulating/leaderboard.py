"""Tables as one HTML page that begins with the systems in their order."""

from collections.abc import Sequence
from html import escape

from ..plain_page import plain_page
from ..plain_plots import PlotRow, interval_plot
from .summary import Summary


def leaderboard(tables: Sequence[Summary], parts: Sequence[str], note: str) -> str:
    """The whole document: for each table its leading column as a drawing, then all tables."""
    drawn = [board(table) for table in tables]
    return plain_page("Leaderboard", [*drawn, *parts, f'<p class="dim">{escape(note)}</p>'])


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
