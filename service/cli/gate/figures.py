"""A figure as SVG, drawn without a library so that the page needs nothing but itself."""

from collections.abc import Sequence
from html import escape

from .paired import signed

_ROW, _LEFT, _WIDTH = 26, 190, 420


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
        parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{signed(difference, 2)}</text>')
    parts.append(f'<text x="{place(-margin):.1f}" y="{height - 6}" class="end right">margin</text>')
    parts.append(f'<text x="{place(0) + 3:.1f}" y="{height - 6}" class="end">no change</text></svg>')
    return "".join(parts)


def _open(width: int, height: int, title: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img"><title>{escape(title)}</title>'


def _label(text: str, y: float) -> str:
    return f'<text x="{_LEFT - 10}" y="{y + 4}" class="right">{escape(text)}</text>'
