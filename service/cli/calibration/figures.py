"""Figures of a calibration as SVG, drawn without a library so that the page needs nothing but itself."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from ...statistics.shares import wilson
from ..inputs import Json
from .sentences import score

Point = tuple[float, float]
"""A labelled conversation: the judge's score, and people's mean."""

_ROW, _LEFT, _WIDTH = 30, 210, 420
_SIDE, _EDGE, _TOP = 360, 52, 26
_PARTS = 3
"""Parts of the judge's scores over which coverage is shown."""


def means(rows: Sequence[Json]) -> str:
    """A row a system: what people would give with its interval, what the labels alone say (thin), and the judge alone."""
    low, high = _scale(rows[0]["scale"])
    height = _ROW * len(rows) + 40

    def place(value: float) -> float:
        return _LEFT + _WIDTH * (value - low) / (high - low)

    parts = [_open(_LEFT + _WIDTH + 60, height, "Means on people's scale")]
    parts += [_line(place(level), 6, place(level), height - 28, "grid") for level in _levels(low, high)]
    parts += [_text(place(level), height - 10, f"{level:g}", "end middle") for level in _levels(low, high)]
    for index, row in enumerate(rows):
        y = 20 + _ROW * index
        parts.append(_text(_LEFT - 12, y + 4, str(row["system"] or "all"), "right"))
        if row["mean"] is not None:
            plain, interval = row["plain"]["interval"], row["interval"]
            parts.append(_line(place(plain["low"]), y + 7, place(plain["high"]), y + 7, "plain"))
            parts.append(_line(place(interval["low"]), y, place(interval["high"]), y, "interval"))
            parts.append(f'<circle cx="{place(row["mean"]):.1f}" cy="{y}" r="5" class="mean"/>')
            parts.append(_text(_LEFT + _WIDTH + 14, y + 4, score(row["mean"], row), ""))
        x = place(row["judge_mean"])
        parts.append(f'<path d="M{x:.1f} {y - 6}l6 6l-6 6l-6 -6z" class="judge"/>')
    return "".join([*parts, "</svg>"])


def judge_against_people(one: Json, points: Sequence[Point]) -> str:
    """Each labelled conversation by the judge's score and people's; the map with the interval of a single verdict, and a
    dashed line where both would say the same."""
    worst, best = _scale(one["scales"]["judge"])
    least, most = _scale(one["scales"]["people"])

    def x(value: float) -> float:
        return _EDGE + _SIDE * (value - worst) / (best - worst)

    def y(value: float) -> float:
        return _TOP + _SIDE * (most - value) / (most - least)

    parts = [_open(_SIDE + _EDGE + 20, _TOP + _SIDE + 50, f"{one['factor']}: judge against people")]
    for level in _levels(worst, best):
        parts += [
            _line(x(level), _TOP, x(level), _TOP + _SIDE, "grid"),
            _text(x(level), _TOP + _SIDE + 18, f"{level:g}", "end middle"),
        ]
    for level in _levels(least, most):
        parts += [
            _line(_EDGE, y(level), _EDGE + _SIDE, y(level), "grid"),
            _text(_EDGE - 8, y(level) + 4, f"{level:g}", "end right"),
        ]
    parts.append(_line(x(worst), y(least), x(best), y(most), "same"))
    knots = _spread(one["knots"], worst, best)
    banded = [knot for knot in knots if knot["low"] is not None]
    if banded:
        edge = [(x(k["score"]), y(k["high"])) for k in banded] + [
            (x(k["score"]), y(k["low"])) for k in reversed(banded)
        ]
        parts.append(f'<polygon points="{_path(edge)}" class="band"/>')
    for (f, given), count in Counter((round(f, 2), round(given, 2)) for f, given in points).items():
        parts.append(f'<circle cx="{x(f):.1f}" cy="{y(given):.1f}" r="{3 * count**0.5:.1f}" class="label"/>')
    parts.append(f'<polyline points="{_path([(x(k["score"]), y(k["value"])) for k in knots])}" class="map"/>')
    parts.append(_text(_EDGE + _SIDE / 2, _TOP + _SIDE + 40, "judge", "middle"))
    parts.append(_text(12, 10, "people", "end"))
    return "".join([*parts, "</svg>"])


def coverage(one: Json, points: Sequence[Point]) -> str:
    """The share of labels inside the intervals of their verdicts, in parts of the judge's scores; dashed, what is aimed at."""
    rows = coverage_rows(one, points)
    height = _ROW * len(rows) + 40

    def place(share: float) -> float:
        return _LEFT + _WIDTH * share

    parts = [_open(_LEFT + _WIDTH + 60, height, f"{one['factor']}: labels inside their intervals")]
    parts.append(_line(place(one["level"]), 6, place(one["level"]), height - 28, "same"))
    parts += [_text(place(share), height - 10, f"{share:.0%}", "end middle") for share in (0.0, 0.5, 1.0)]
    for index, (name, share, low, high) in enumerate(rows):
        y = 20 + _ROW * index
        parts += [_text(_LEFT - 12, y + 4, name, "right"), _line(place(low), y, place(high), y, "interval")]
        parts.append(f'<circle cx="{place(share):.1f}" cy="{y}" r="5" class="mean"/>')
        parts.append(_text(_LEFT + _WIDTH + 14, y + 4, f"{share:.0%}", ""))
    return "".join([*parts, "</svg>"])


def coverage_rows(one: Json, points: Sequence[Point]) -> list[tuple[str, float, float, float]]:
    """Name, share and its interval (Wilson, 95 %) for all labels and for each part of the judge's scores."""
    inside = [
        (f, low - 1e-9 <= given <= high + 1e-9)
        for f, given in sorted(points)
        for low, high in [bounds(one, f)]
    ]
    cuts = [round(part * len(inside) / _PARTS) for part in range(_PARTS + 1)]
    rows = [("all labels", *_share([hit for _, hit in inside]))]
    for start, end in pairwise(cuts):
        if part := inside[start:end]:
            rows.append((f"judge {part[0][0]:.2f} to {part[-1][0]:.2f}", *_share([hit for _, hit in part])))
    return rows


def bounds(one: Json, given: float) -> tuple[float, float]:
    """The interval of a verdict with this score: the wider of those of the two knots beside it."""
    knots = one["knots"]
    after = bisect_left([knot["score"] for knot in knots], given)
    near = [knots[min(max(place, 0), len(knots) - 1)] for place in (after - 1, after)]
    if after < len(knots) and knots[after]["score"] == given:
        near = near[1:]
    return min(knot["low"] for knot in near), max(knot["high"] for knot in near)


def _share(hits: Sequence[bool]) -> tuple[float, float, float]:
    bounds = wilson(sum(hits), len(hits))
    return sum(hits) / len(hits), bounds.low, bounds.high


def _spread(knots: Sequence[Json], low: float, high: float) -> list[Json]:
    """The knots with the ends of the judge's scale, where the last one holds."""
    first, last = knots[0], knots[-1]
    before = [{**first, "score": low}] if first["score"] > low else []
    after = [{**last, "score": high}] if last["score"] < high else []
    return [*before, *knots, *after]


def _scale(ends: Json) -> tuple[float, float]:
    return float(ends["min"]), float(ends["max"])


def _levels(low: float, high: float) -> list[float]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / step <= 10)
    return [float(level) for level in range(int(low), int(high) + 1, step)]


def _open(width: float, height: float, title: str) -> str:
    return f'<svg class="plot" viewBox="0 0 {width} {height}" width="{width}" role="img"><title>{escape(title)}</title>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
