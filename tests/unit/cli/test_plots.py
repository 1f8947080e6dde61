"""Plots: well-formed, with the numbers where they belong."""

from xml.etree import ElementTree

from service.cli.plots import heat_map

SVG = "{http://www.w3.org/2000/svg}"


def texts(document: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(document).iter(f"{SVG}text")]


def test_heat_map_leaves_undefined_cells_empty() -> None:
    drawn = texts(heat_map("t", ["x", "y <z>"], [[1.0, None], [None, -0.3]]))
    assert {"x", "y <z>", "1.00", "-0.30"} <= set(drawn)
    assert len([text for text in drawn if text.endswith(".00")]) == 1
