"""Charts of studies as SVG by matplotlib. Each draws a table of its study."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from .tabulating.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLE = {
    "axes.grid": True,
    "font.sans-serif": ["DejaVu Sans", "sans-serif"],
    "grid.color": "#e3e6ea",
    # The same ids in each run, texts as texts, and names of systems as they are: `$` begins no formula.
    "svg.hashsalt": "crs-eval",
    "svg.fonttype": "none",
    "text.parse_math": False,
}


def chart(summary: Summary, low: float, high: float) -> str:
    """Draw each factor's mean of each system with its interval, on one scale."""
    cells = [
        (f"{factor}, {system}", found)
        for factor in summary.factors
        for system in summary.systems
        if (found := summary.cells.get((system, factor))) is not None
    ]

    def draw(axes: "Axes") -> None:
        for place, (_, found) in enumerate(cells):
            if found.interval:
                axes.plot(found.interval, (place, place), color="C0", alpha=0.5, linewidth=3)
            axes.plot(found.mean, place, "o", color="C0")
            axes.text(1.02, place, f"{found.mean:z.2f}", transform=axes.get_yaxis_transform(), va="center")
        axes.set_yticks(range(len(cells)), [name for name, _ in cells])
        axes.set_ylim(len(cells), -1)
        axes.set_xlim(low - (high - low) / 50, high + (high - low) / 50)

    return _svg(summary.title, 0.27 * (len(cells) + 1), draw)


def lines(title: str, series: Mapping[str, Sequence[float | None]], label: str) -> str:
    """Draw shares (0-1) over steps 1, 2, ...; a line for each series, with a gap where a share is undefined."""
    import numpy as np

    def draw(axes: "Axes") -> None:
        for values in series.values():
            axes.plot(range(1, len(values) + 1), np.array(values, dtype=float), "o-")
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel(label)
        axes.set_ylim(-0.02, 1.02)
        # Named here: as labels of lines, names with a leading underscore would be left out.
        axes.legend(axes.lines, list(series), loc="upper left", bbox_to_anchor=(1, 1))

    return _svg(title, 3.0, draw)


def heat_map(title: str, names: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    """Draw a square of -1 to 1: blue above 0, red below, empty where undefined."""
    import numpy as np

    def draw(axes: "Axes") -> None:
        axes.grid(visible=False)
        # Beyond the ends the colours are too dark for a text.
        axes.pcolormesh(np.array(values, dtype=float), cmap="RdBu", vmin=-1.6, vmax=1.6)
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                if value is not None:
                    axes.text(x + 0.5, y + 0.5, f"{value:.2f}", ha="center", va="center")
        middles = [place + 0.5 for place in range(len(names))]
        axes.set_xticks(middles, names, rotation=45, ha="right")
        axes.set_yticks(middles, names)
        axes.invert_yaxis()

    return _svg(title, 0.42 * len(names), draw)


def _svg(title: str, height: float, draw: Callable[["Axes"], None]) -> str:
    """Draw on axes of a height in inches."""
    from matplotlib.figure import Figure
    from matplotlib.style import context

    with context(STYLE, after_reset=True), warnings.catch_warnings():
        # A script that matplotlib's font lacks is drawn by the reader's fonts.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure = Figure(figsize=(5, height))
        draw(figure.add_axes((0, 0, 1, 1), title=title))
        text = StringIO()
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Title": title, "Date": None})
    # Without the document's head it can be part of a page.
    return "<svg" + text.getvalue().partition("<svg")[2]
