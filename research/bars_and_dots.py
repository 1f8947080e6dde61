"""Two kinds of plot as SVG text: bars with whiskers, and dots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from service.cli.svg import BLUE, INK, Drawing

LINE, NAME = 13.0, 120.0
"""The distance that two names need, down or across, to be readable."""


@dataclass(frozen=True)
class Bar:
    """A value with its interval, and a mark to compare it with."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    mark: float | None = None


def bars(title: str, rows: Sequence[Bar], mark: str = "") -> str:
    """Horizontal bars up to 1, from 0 or the quarter below the least value; `mark` names the ticks."""
    left, wide, tall = 280.0, 420.0, 24.0
    numbers = [n for row in rows for n in (row.value, row.low, row.mark) if n is not None]
    least = min(0.0, math.floor(min(numbers, default=0.0) * 4) / 4)
    drawing = Drawing(left + wide + 60, 70 + tall * len(rows), title)

    def at(value: float) -> float:
        return left + wide * (value - least) / (1 - least)

    drawing.text(10, 22, title, size=14)
    for tick in range(round(least * 4), 5):
        x = at(tick / 4)
        drawing.line((x, 36), (x, 40 + tall * len(rows)), "#e3e6ea")
        drawing.text(x, 56 + tall * len(rows), f"{tick / 4:g}", "middle", 11)
    for index, row in enumerate(rows):
        y = 40 + tall * index
        drawing.text(left - 8, y + 16, row.label, "end")
        if row.value is None:
            drawing.text(at(0) + 4, y + 16, "undefined", size=11)
            continue
        drawing.box((min(at(0), at(row.value)), y + 4), abs(at(row.value) - at(0)), tall - 9, BLUE)
        if row.low is not None and row.high is not None:
            middle = y + tall / 2
            drawing.line((at(row.low), middle), (at(row.high), middle))
            for end in (row.low, row.high):
                drawing.line((at(end), middle - 4), (at(end), middle + 4))
        if row.mark is not None:
            drawing.box((at(row.mark) - 1.5, y + 1), 3, tall - 3, INK)
        drawing.text(left + wide + 8, y + 16, f"{row.value:.2f}")
    if mark:
        drawing.text(left + wide, 22, f"black tick: {mark}", "end", 11)
    return drawing.render()


def dots(title: str, points: Sequence[tuple[str, float, float]], axes: tuple[str, str]) -> str:
    """Named points; both axes reach from 0 to 1."""
    left, top, side = 70.0, 60.0, 380.0
    drawing = Drawing(left + side + 170, top + side + 60, title)
    drawing.text(10, 22, title, size=14)
    drawing.line((left, top), (left, top + side))
    drawing.line((left, top + side), (left + side, top + side))
    drawing.text(left + side / 2, top + side + 44, axes[0], "middle")
    drawing.text(10, top - 14, axes[1], size=12)
    for tick in range(5):
        share = tick / 4
        drawing.text(left + side * share, top + side + 18, f"{share:g}", "middle", 11)
        drawing.text(left - 8, top + side * (1 - share) + 4, f"{share:g}", "end", 11)
    taken: list[tuple[float, float]] = []
    for name, x, y in sorted(points, key=lambda point: -point[2]):
        across, down = left + side * x, top + side * (1 - y)
        drawing.dot(across, down)
        while any(abs(down - other[1]) < LINE and abs(across - other[0]) < NAME for other in taken):
            down += LINE / 4
        taken.append((across, down))
        drawing.text(across + 8, down + 4, name, size=11)
    return drawing.render()
