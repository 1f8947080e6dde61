"""Charts: the same bytes each time, whatever systems are called."""

from collections.abc import Callable
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from service.cli.tabulating.formats import chart, heat_map, lines
from service.cli.tabulating.summary import Measured, summarise

NAMES = ("<b>x</b> & $\\frac$", "_old", "中文")


def texts(svg: str) -> list[str | None]:
    root = ElementTree.fromstring(svg)
    return [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("kind", ["chart", "lines", "heat map"])
def test_names_are_shown_as_they_are(kind: str) -> None:
    numbers = [Measured(name, "coherence", user, 1.0) for name in NAMES for user in "uv"]
    charts: dict[str, Callable[[], str]] = {
        "chart": lambda: chart(summarise("T", numbers), 0, 4),
        "lines": lambda: lines("T", {name: [0.1, None, 0.5] for name in NAMES}, "turn"),
        "heat map": lambda: heat_map("T", NAMES, [[1.0, 0.5, None]] * 3),
    }
    svg = charts[kind]()
    assert svg == charts[kind]()
    assert mpl.rcParams["svg.hashsalt"] is None  # settings of a notebook around are left alone
    shown = [f"coherence, {name}" for name in NAMES] if kind == "chart" else list(NAMES)
    assert set(shown) <= set(texts(svg))


def test_a_study_without_a_session_has_an_empty_chart() -> None:
    assert "T" in texts(chart(summarise("T", []), 0, 1))
    assert "turn" in texts(lines("T", {}, "turn"))
