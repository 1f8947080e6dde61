"""Figures of a study as SVG."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..svg import Drawing
from ..tabulating.summary import Summary

COLOURS = ("#2f6db5", "#c2571a", "#2e7d32", "#7b3fa0", "#8a6d00", "#b3264d", "#00798c", "#5a5f66")
_LEFT, _WIDE, _TALL = 210.0, 430.0, 14.0


def chart(summary: Summary, low: float, high: float) -> str:
    """Each factor's mean of each system as a dot with its interval, on one scale."""
    systems, factors = summary.systems, summary.factors
    block = _TALL * len(systems) + 10
    top = 40 + 18.0 * len(systems)
    drawing = Drawing(_LEFT + _WIDE + 40, top + block * len(factors) + 40, summary.title)
    drawing.text(10, 22, summary.title, size=14)
    for place, system in enumerate(systems):
        drawing.dot(_LEFT, 40 + 18.0 * place, COLOURS[place % len(COLOURS)])
        drawing.text(_LEFT + 12, 44 + 18.0 * place, system)

    def x(value: float) -> float:
        return _LEFT + _WIDE * (min(max(value, low), high) - low) / (high - low)

    for tick in range(5):
        value = low + (high - low) * tick / 4
        drawing.line((x(value), top), (x(value), top + block * len(factors)), "#e3e6ea")
        drawing.text(x(value), top + block * len(factors) + 18, f"{value:g}", "middle", 11)
    for row, factor in enumerate(factors):
        y = top + block * row
        drawing.text(_LEFT - 10, y + block / 2 + 2, factor, "end", 12)
        for place, system in enumerate(systems):
            if (found := summary.cells.get((system, factor))) is None:
                continue
            at, colour = y + _TALL * place + 8, COLOURS[place % len(COLOURS)]
            if found.low is not None and found.high is not None:
                drawing.line((x(found.low), at), (x(found.high), at), colour)
            drawing.dot(x(found.mean), at, colour)
    return drawing.render()


def lines(title: str, series: Mapping[str, Sequence[float | None]], label: str) -> str:
    """Shares (0-1) over steps 1, 2, ...; a line a series."""
    left, top, wide, tall = 60.0, 50.0 + 18 * len(series), 420.0, 240.0
    steps = max((len(values) for values in series.values()), default=1)
    drawing = Drawing(left + wide + 30, top + tall + 60, title)
    drawing.text(10, 22, title, size=14)

    def x(step: int) -> float:
        return left + (wide * step / (steps - 1) if steps > 1 else wide / 2)

    for tick in range(5):
        y = top + tall * (1 - tick / 4)
        drawing.line((left, y), (left + wide, y), "#e3e6ea")
        drawing.text(left - 8, y + 4, f"{tick / 4:g}", "end", 11)
    for step in range(steps):
        drawing.text(x(step), top + tall + 18, str(step + 1), "middle", 11)
    drawing.text(left + wide / 2, top + tall + 42, label, "middle")
    for place, (name, values) in enumerate(series.items()):
        colour = COLOURS[place % len(COLOURS)]
        drawing.dot(left, 38 + 18.0 * place, colour)
        drawing.text(left + 12, 42 + 18.0 * place, name)
        known = [
            (x(step), top + tall * (1 - value)) for step, value in enumerate(values) if value is not None
        ]
        for start, end in pairwise(known):
            drawing.line(start, end, colour)
        for at in known:
            drawing.dot(*at, colour)
    return drawing.render()
