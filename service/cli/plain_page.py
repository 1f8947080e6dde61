"""A page that shows where a CI server forbids scripts to artifacts: it has none, and needs no other file. Its plots are SVG."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

Interval = tuple[float, float]
_ROW, _LEFT, _WIDTH, _RIGHT = 30, 210, 420, 90
STYLE = Path(__file__).parent / "plain_page.css"


def plain_page(title: str, parts: Iterable[str]) -> str:
    """The whole document of these parts, which are HTML."""
    # Log text cannot fetch or run anything, even if some escape were forgotten.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    style = STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main><h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>\n"
    )


@dataclass(frozen=True)
class PlotRow:
    """A named value with its interval."""

    name: str
    value: float | None
    interval: Interval | None
    text: str


def interval_plot(
    title: str, rows: Sequence[PlotRow], ends: Interval, lines: Sequence[tuple[float, str, str]]
) -> str:
    """Draw a row a value between `ends`. `lines` are upright ones: where, of which class, and the name below."""
    height = _ROW * len(rows) + 40

    def x(value: float) -> float:
        return _LEFT + _WIDTH * (value - ends[0]) / ((ends[1] - ends[0]) or 1.0)

    parts = []
    for value, kind, name in lines:
        parts.append(line(x(value), 6, x(value), height - 28, kind))
        parts.append(text(x(value), height - 10, name, "end middle"))
    for index, row in enumerate(rows):
        y = 20 + _ROW * index
        parts.append(text(_LEFT - 12, y + 4, row.name, "right"))
        if row.interval:
            parts.append(line(x(row.interval[0]), y, x(row.interval[1]), y, "interval"))
        if row.value is not None:
            parts.append(f'<circle cx="{x(row.value):.1f}" cy="{y}" r="5" class="mean"/>')
            parts.append(text(_LEFT + _WIDTH + 14, y + 4, row.text, ""))
    return plot(_LEFT + _WIDTH + _RIGHT, height, title, parts)


def plot(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """The drawing of these elements."""
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    return f'<svg class="plot" {size} role="img"><title>{escape(title)}</title>{"".join(parts)}</svg>'


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    """A straight line of a class."""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def text(x: float, y: float, content: str, kind: str) -> str:
    """A line of text of a class."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(content)}</text>'
