"""Plots: well-formed, with the numbers where they belong."""

from xml.etree import ElementTree

from research.bars_and_dots import Bar, bars, dots
from service.cli.svg import heat_map

SVG = "{http://www.w3.org/2000/svg}"


def texts(document: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(document).iter(f"{SVG}text")]


def widths(document: str, colour: str) -> list[float]:
    boxes = ElementTree.fromstring(document).iter(f"{SVG}rect")
    return [float(box.attrib["width"]) for box in boxes if box.attrib.get("fill") == colour]


def test_bars_are_as_long_as_their_values() -> None:
    drawn = bars("A & B", [Bar("one", 0.25), Bar("two", 0.5, 0.4, 0.6, mark=0.3), Bar("none", None)], "bar")
    short, long = widths(drawn, "#2f6db5")
    assert long == 2 * short
    assert {"A & B", "0.25", "0.50", "undefined", "black tick: bar"} <= set(texts(drawn))


def test_bars_below_zero_end_at_zero() -> None:
    negative, positive = widths(bars("t", [Bar("a", -0.5), Bar("b", 0.5)]), "#2f6db5")
    assert negative == positive


def test_heat_map_leaves_undefined_cells_empty() -> None:
    drawn = texts(heat_map("t", ["x", "y <z>"], [[1.0, None], [None, -0.3]]))
    assert {"x", "y <z>", "1.00", "-0.30"} <= set(drawn)
    assert len([text for text in drawn if text.endswith(".00")]) == 1


def test_dots_that_stand_higher_stand_further_right_here() -> None:
    drawn = ElementTree.fromstring(dots("t", [("low", 0.1, 0.1), ("high", 0.9, 0.9)], ("x", "y")))
    high, low = sorted(drawn.iter(f"{SVG}circle"), key=lambda dot: float(dot.attrib["cy"]))

    assert float(low.attrib["cx"]) < float(high.attrib["cx"])
