"""Figures as SVG, drawn without a library so that a report needs nothing but itself."""

from collections.abc import Sequence
from html import escape

from .overview import FactorRow

LEVEL_COLOURS = ("#b3261e", "#d9730d", "#c9a227", "#7a9a2e", "#2e7d32")
_ROW, _LEFT, _WIDTH = 26, 190, 420


def means(rows: Sequence[FactorRow]) -> str:
    """Each factor's mean as a point on its scale, with its interval as a bar."""
    height = _ROW * len(rows) + 34
    parts = [_open(_LEFT + _WIDTH + 90, height, "Mean of each factor with its 95 % interval")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = _LEFT + share * _WIDTH
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="6" y2="{height - 24}" class="grid"/>')
    for index, row in enumerate(rows):
        y = 18 + _ROW * index
        parts.append(_label(row.factor, y))
        if row.mean is None:
            parts.append(f'<text x="{_LEFT + 6}" y="{y + 4}" class="none">not assessed</text>')
            continue
        x = _x(row, row.mean)
        if row.interval:
            low, high = (_x(row, bound) for bound in row.interval)
            parts.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" class="interval"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" class="mean"/>')
        told = f"{row.mean:.2f} of {row.high:g}"
        parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{told}</text>')
    parts.append(f'<text x="{_LEFT}" y="{height - 6}" class="end">lowest</text>')
    parts.append(f'<text x="{_LEFT + _WIDTH}" y="{height - 6}" class="end right">highest</text></svg>')
    return "".join(parts)


def levels(rows: Sequence[FactorRow]) -> str:
    """How many conversations lie at each level, a bar a factor, the lowest level first."""
    height = _ROW * len(rows) + 12
    parts = [_open(_LEFT + _WIDTH + 90, height, "Conversations at each level, by factor")]
    for index, row in enumerate(rows):
        y = 8 + _ROW * index
        parts.append(_label(row.factor, y + 9))
        x = float(_LEFT)
        for level, count in enumerate(row.levels):
            width = _WIDTH * count / max(row.n, 1)
            if count:
                colour = LEVEL_COLOURS[round(level / max(len(row.levels) - 1, 1) * (len(LEVEL_COLOURS) - 1))]
                told = f"{count} conversations at level {row.low + level:g}"
                parts.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" fill="{colour}"><title>{told}</title></rect>'
                )
                if width > 24:
                    parts.append(f'<text x="{x + 5:.1f}" y="{y + 13}" class="in">{row.low + level:g}</text>')
            x += width
        parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 13}">n = {row.n}</text>')
    return "".join([*parts, "</svg>"])


def differences(rows: Sequence[tuple[str, float, tuple[float, float] | None]], margin: float) -> str:
    """Each factor's change from baseline to candidate with its interval; the margin is dashed."""
    widest = max([margin * 1.5, *(abs(b) for _, d, i in rows for b in (d, *(i or ())))]) or 1.0
    height = _ROW * len(rows) + 34

    def place(value: float) -> float:
        return _LEFT + _WIDTH * (value + widest) / (2 * widest)

    parts = [_open(_LEFT + _WIDTH + 90, height, "Change of each factor with its 95 % interval")]
    for value, kind in ((0.0, "zero"), (-margin, "margin")):
        parts.append(
            f'<line x1="{place(value):.1f}" x2="{place(value):.1f}" y1="6" y2="{height - 24}" class="{kind}"/>'
        )
    for index, (name, difference, interval) in enumerate(rows):
        y = 18 + _ROW * index
        parts.append(_label(name, y))
        if interval:
            low, high = map(place, interval)
            parts.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" class="interval"/>')
        parts.append(f'<circle cx="{place(difference):.1f}" cy="{y}" r="5" class="mean"/>')
        parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{difference:+.2f}</text>')
    parts.append(f'<text x="{place(-margin):.1f}" y="{height - 6}" class="end right">margin</text>')
    parts.append(f'<text x="{place(0) + 3:.1f}" y="{height - 6}" class="end">no change</text></svg>')
    return "".join(parts)


def _open(width: int, height: int, title: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img"><title>{escape(title)}</title>'


def _label(text: str, y: float) -> str:
    return f'<text x="{_LEFT - 10}" y="{y + 4}" class="right">{escape(text)}</text>'


def _x(row: FactorRow, value: float) -> float:
    return _LEFT + _WIDTH * (value - row.low) / (row.high - row.low)
