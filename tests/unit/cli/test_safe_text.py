"""Log text in Markdown, spreadsheets and XML is only ever text."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.cli.safe_text import cell, markdown, xml


def test_markdown_calls_nobody_and_opens_nothing() -> None:
    text = markdown("@team see [x](http://evil.example) <img src=x>\n| a | `b` <!-- -->")
    assert "@team" not in text
    assert "http://" not in text
    assert "<img" not in text
    assert "<!--" not in text
    assert "\n" not in text
    assert r"\|" in text
    assert r"\[x\]" in text


def test_long_text_is_cut() -> None:
    assert len(markdown("word " * 200, longest=50)) == 50


def test_a_cell_is_no_formula() -> None:
    assert cell('=HYPERLINK("x")') == '\'=HYPERLINK("x")'
    assert cell("\n=1+1") == "'\n=1+1"
    assert cell("\r\n@SUM(A1)").startswith("'")
    assert cell("plain") == "plain"


@pytest.mark.slow
@given(st.text())
def test_xml_holds_any_text(text: str) -> None:
    element = ElementTree.Element("a", {"b": xml(text)})
    element.text = xml(text)
    ElementTree.fromstring(ElementTree.tostring(element, "unicode"))
