"""Figures of a calibration."""

from collections import Counter
from collections.abc import Sequence

from ..inputs import Json
from ..plain_plots import Interval, PlotRow, interval_plot, line, plot, text
from .sentences import score

Point = tuple[float, float]
"""A labelled conversation: the judge's score, and people's mean."""

_SIDE, _EDGE, _TOP = 360, 52, 26


def means(rows: Sequence[Json]) -> str:
    """A row a system: what people would give with its interval, what the labels alone say (thin), and the judge alone."""
    ends = _scale(rows[0]["scale"])
    lines = [(level, "grid", f"{level:g}") for level in _levels(*ends)]
    return interval_plot("Means on people's scale", [_mean(row) for row in rows], ends, lines)


def _mean(row: Json) -> PlotRow:
    name, judge = str(row["system"] or "all"), row["judge_mean"]
    if row["mean"] is None:
        return PlotRow(name, None, None, "", diamond=judge)
    bounds, plain = ((one["low"], one["high"]) for one in (row["interval"], row["plain"]["interval"]))
    return PlotRow(name, row["mean"], bounds, score(row["mean"], row), plain, judge)


def judge_against_people(one: Json, points: Sequence[Point]) -> str:
    """Each labelled conversation by the judge's score and people's; the map with the interval of a single verdict, and a
    dashed line where both would say the same."""
    worst, best = _scale(one["scales"]["judge"])
    least, most = _scale(one["scales"]["people"])

    def x(value: float) -> float:
        return _EDGE + _SIDE * (value - worst) / (best - worst)

    def y(value: float) -> float:
        return _TOP + _SIDE * (most - value) / (most - least)

    parts = []
    for level in _levels(worst, best):
        parts.append(line(x(level), _TOP, x(level), _TOP + _SIDE, "grid"))
        parts.append(text(x(level), _TOP + _SIDE + 18, f"{level:g}", "end middle"))
    for level in _levels(least, most):
        parts.append(line(_EDGE, y(level), _EDGE + _SIDE, y(level), "grid"))
        parts.append(text(_EDGE - 8, y(level) + 4, f"{level:g}", "end right"))
    parts.append(line(x(worst), y(least), x(best), y(most), "same"))
    knots = _spread(one["knots"], worst, best)
    banded = [knot for knot in knots if knot["low"] is not None]
    if banded:
        upper = [(x(knot["score"]), y(knot["high"])) for knot in banded]
        lower = [(x(knot["score"]), y(knot["low"])) for knot in reversed(banded)]
        parts.append(f'<polygon points="{_path([*upper, *lower])}" class="band"/>')
    for (f, given), count in Counter((round(f, 2), round(given, 2)) for f, given in points).items():
        parts.append(f'<circle cx="{x(f):.1f}" cy="{y(given):.1f}" r="{3 * count**0.5:.1f}" class="label"/>')
    parts.append(f'<polyline points="{_path([(x(k["score"]), y(k["value"])) for k in knots])}" class="map"/>')
    parts.append(text(_EDGE + _SIDE / 2, _TOP + _SIDE + 40, "judge", "middle"))
    parts.append(text(12, 10, "people", "end"))
    return plot(_SIDE + _EDGE + 20, _TOP + _SIDE + 50, f"{one['factor']}: judge against people", parts)


def _spread(knots: Sequence[Json], low: float, high: float) -> list[Json]:
    """The knots with the ends of the judge's scale, where the last one holds."""
    first, last = knots[0], knots[-1]
    before = [{**first, "score": low}] if first["score"] > low else []
    after = [{**last, "score": high}] if last["score"] < high else []
    return [*before, *knots, *after]


def _scale(ends: Json) -> Interval:
    return float(ends["min"]), float(ends["max"])


def _levels(low: float, high: float) -> list[float]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / step <= 10)
    return [float(level) for level in range(int(low), int(high) + 1, step)]


def _path(points: Sequence[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
