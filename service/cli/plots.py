"""Plots as SVG, without a library: the same numbers give the same bytes. They are readable without colour, and a page's style sheet
may recolour what has a class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from .tabulating.summary import Summary

Interval = tuple[float, float]
INK, RULE, BLUE = "#222222", "#e3e6ea", "#2f6db5"
COLOURS = (BLUE, "#c2571a", "#2e7d32", "#7b3fa0", "#8a6d00", "#b3264d", "#00798c", "#5a5f66")


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
    step, wide = 26, 420
    left, height = 24 + 7 * max((len(row.name) for row in rows), default=0), step * len(rows) + 64

    def x(value: float) -> float:
        return left + wide * (min(max(value, ends[0]), ends[1]) - ends[0]) / ((ends[1] - ends[0]) or 1.0)

    parts = [_text(10, 18, title)]
    for value, kind, name in lines:
        parts.append(_line((x(value), 32), (x(value), height - 28), RULE if kind == "grid" else INK, kind))
        parts.append(_text(x(value), height - 10, name, "middle", kind="end"))
    for index, row in enumerate(rows):
        y = 44 + step * index
        parts.append(_text(left - 12, y + 4, row.name, "end"))
        if row.interval:
            low, high = row.interval
            parts.append(_line((x(low), y), (x(high), y), BLUE, "interval"))
        if row.value is not None:
            parts.append(_dot(x(row.value), y, BLUE, "mean"))
            parts.append(_text(left + wide + 14, y + 4, row.text))
    return _plot(left + wide + 90, height, title, parts)


def chart(summary: Summary, low: float, high: float) -> str:
    """Each factor's mean of each system with its interval, on one scale."""
    rows = [
        PlotRow(f"{factor}, {system}", found.mean, found.interval, f"{found.mean:z.2f}")
        for factor in summary.factors
        for system in summary.systems
        if (found := summary.cells.get((system, factor))) is not None
    ]
    ticks = (low + (high - low) * tick / 4 for tick in range(5))
    return interval_plot(summary.title, rows, (low, high), [(tick, "grid", f"{tick:g}") for tick in ticks])


def lines(title: str, series: Mapping[str, Sequence[float | None]], label: str) -> str:
    """Shares (0-1) over steps 1, 2, ...; a line a series."""
    left, top, wide, tall = 60.0, 50.0 + 18 * len(series), 420.0, 240.0
    steps = max((len(values) for values in series.values()), default=1)

    def x(step: int) -> float:
        return left + (wide * step / (steps - 1) if steps > 1 else wide / 2)

    parts = [_text(10, 18, title)]
    for tick in range(5):
        y = top + tall * (1 - tick / 4)
        parts.append(_line((left, y), (left + wide, y), RULE, "grid"))
        parts.append(_text(left - 8, y + 4, f"{tick / 4:g}", "end"))
    parts += [_text(x(step), top + tall + 18, str(step + 1), "middle") for step in range(steps)]
    parts.append(_text(left + wide / 2, top + tall + 42, label, "middle"))
    for place, (name, values) in enumerate(series.items()):
        colour = COLOURS[place % len(COLOURS)]
        parts.append(_dot(left, 38 + 18.0 * place, colour))
        parts.append(_text(left + 12, 42 + 18.0 * place, name))
        known = [
            (x(step), top + tall * (1 - share)) for step, share in enumerate(values) if share is not None
        ]
        parts += [_line(start, end, colour) for start, end in pairwise(known)]
        parts += [_dot(*at, colour) for at in known]
    return _plot(left + wide + 30, top + tall + 60, title, parts)


def heat_map(title: str, names: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    """A square of -1 to 1: blue above 0, grey below, empty where undefined."""
    left, top, cell = 190.0, 50.0, 46.0
    bottom = top + cell * len(names)
    parts = [_text(10, 18, title)]
    for row, name in enumerate(names):
        parts.append(_text(left - 8, top + cell * row + 28, name, "end"))
        x, y = left + cell * row + 26, bottom + 12
        parts.append(f'<g transform="rotate(-45 {x:.1f} {y:.1f})">{_text(x, y, name, "end")}</g>')
        for column, value in enumerate(values[row]):
            if value is not None:
                x, y = left + cell * column, top + cell * row
                size = f'width="{cell - 2}" height="{cell - 2}"'
                parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{_shade(value)}"/>')
                parts.append(_text(x + cell / 2 - 1, y + 28, f"{value:.2f}", "middle", fill=INK))
    return _plot(left + cell * len(names) + 20, bottom + 120, title, parts)


def _shade(value: float) -> str:
    """White at 0, towards blue at 1 and towards grey at -1."""
    ends = (47, 109, 181) if value >= 0 else (120, 126, 134)
    strength = min(1.0, abs(value)) * 0.8
    return "#" + "".join(f"{round(255 + (end - 255) * strength):02x}" for end in ends)


def _plot(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    look = f'class="plot" fill="{INK}" font-family="sans-serif" font-size="12"'
    paper = '<rect class="paper" width="100%" height="100%" fill="white"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look} role="img">'
    return "\n".join([f"{head}<title>{escape(title)}</title>{paper}", *parts, "</svg>", ""])


def _text(x: float, y: float, content: str, anchor: str = "start", *, kind: str = "", fill: str = "") -> str:
    more = "".join(f' {name}="{value}"' for name, value in (("class", kind), ("fill", fill)) if value)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(content)}</text>'


def _line(start: Interval, end: Interval, colour: str, kind: str = "") -> str:
    points = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {points} class="{kind}" stroke="{colour}"/>'


def _dot(x: float, y: float, colour: str, kind: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="{kind}" fill="{colour}"/>'
