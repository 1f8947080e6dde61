"""Drawings as SVG text, and a heat map. Black and blue on white, readable without colour, the same bytes from the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

BLUE, INK = "#2f6db5", "#222222"


@dataclass
class Drawing:
    """SVG elements on a page of a size in pixels."""

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, content: str, anchor: str = "start", size: int = 12) -> None:
        """A line of text; `anchor` is start, middle or end."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">'
            f"{escape(content)}</text>"
        )

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: str = INK) -> None:
        """A straight line."""
        self.parts.append(
            f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="{colour}"/>'
        )

    def box(self, corner: tuple[float, float], width: float, height: float, colour: str) -> None:
        """A filled rectangle from its upper left corner."""
        self.parts.append(
            f'<rect x="{corner[0]:.1f}" y="{corner[1]:.1f}" width="{max(width, 0):.1f}" '
            f'height="{max(height, 0):.1f}" fill="{colour}"/>'
        )

    def dot(self, x: float, y: float, colour: str = BLUE) -> None:
        """A small disc."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')

    def render(self) -> str:
        """The document."""
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}" '
                f'font-family="sans-serif" role="img" aria-label={quoteattr(self.title)}>',
                f"<title>{escape(self.title)}</title>",
                '<rect width="100%" height="100%" fill="white"/>',
                *self.parts,
                "</svg>",
                "",
            ]
        )


def heat_map(title: str, names: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    """A square of -1 to 1: blue above 0, grey below, empty where undefined."""
    left, top, cell = 190.0, 50.0, 46.0
    drawing = Drawing(left + cell * len(names) + 20, top + cell * len(names) + 120, title)
    drawing.text(10, 22, title, size=14)
    for row, name in enumerate(names):
        drawing.text(left - 8, top + cell * row + 28, name, "end", 11)
        x, y = left + cell * row + 26, top + cell * len(names) + 12
        drawing.parts.append(
            f'<text transform="rotate(-45 {x:.1f} {y:.1f})" x="{x:.1f}" y="{y:.1f}" text-anchor="end" '
            f'font-size="11" fill="{INK}">{escape(name)}</text>'
        )
        for column, value in enumerate(values[row]):
            if value is None:
                continue
            corner = (left + cell * column, top + cell * row)
            drawing.box(corner, cell - 2, cell - 2, _shade(value))
            drawing.text(corner[0] + cell / 2 - 1, corner[1] + 28, f"{value:.2f}", "middle", 11)
    return drawing.render()


def _shade(value: float) -> str:
    """White at 0, towards blue at 1 and towards grey at -1."""
    ends = (47, 109, 181) if value >= 0 else (120, 126, 134)
    strength = min(1.0, abs(value)) * 0.8
    mixed = (round(255 + (end - 255) * strength) for end in ends)
    return "#" + "".join(f"{part:02x}" for part in mixed)
