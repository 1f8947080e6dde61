"""Tables as one HTML page that begins with the systems in their order."""

from collections.abc import Sequence
from html import escape

from ..plain_page import plain_page
from .summary import Cell, Summary

WIDTH, ROW = 640, 30
_LEFT, _RIGHT = 180, 70


def leaderboard(tables: Sequence[Summary], parts: Sequence[str], note: str) -> str:
    """The whole document: for each table its leading column as a drawing, then all tables."""
    drawn = [board(table) for table in tables]
    return plain_page("Leaderboard", [*drawn, *parts, f'<p class="dim">{escape(note)}</p>'])


def board(table: Summary) -> str:
    """The systems by the last factor of a table, which is its overall one, the best first."""
    if not table.factors:
        return ""
    factor = table.factors[-1]
    ranked = sorted(
        (
            (system, table.cells[system, factor])
            for system in table.systems
            if (system, factor) in table.cells
        ),
        key=lambda pair: (-pair[1].mean, pair[0]),
    )
    return f"<h2>{escape(table.title)}: {escape(factor)}</h2>{_drawing(ranked)}" if ranked else ""


def _drawing(ranked: Sequence[tuple[str, Cell]]) -> str:
    ends = [end for _, c in ranked for end in (c.mean, c.low, c.high) if end is not None]
    low, high = min(0.0, *ends), max(*ends, 0.0)
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * (value - low) / span, 1)

    lines = []
    for place, (system, found) in enumerate(ranked):
        y = ROW * place + 18
        lines.append(f'<text class="right" x="{_LEFT - 10}" y="{y + 4}">{place + 1}. {escape(system)}</text>')
        lines.append(f'<line class="grid" x1="{x(low)}" x2="{x(high)}" y1="{y}" y2="{y}"/>')
        if found.low is not None and found.high is not None:
            lines.append(
                f'<line class="interval" x1="{x(found.low)}" x2="{x(found.high)}" y1="{y}" y2="{y}"/>'
            )
        lines.append(f'<circle class="mean" cx="{x(found.mean)}" cy="{y}" r="5"/>')
        lines.append(f'<text x="{WIDTH - _RIGHT + 12}" y="{y + 4}">{found.mean:z.2f}</text>')
    return f'<svg class="plot" role="img" viewBox="0 0 {WIDTH} {ROW * len(ranked) + 8}" width="{WIDTH}">{"".join(lines)}</svg>'
