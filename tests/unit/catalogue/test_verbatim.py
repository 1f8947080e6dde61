"""Titles of a log's own lists, found word for word."""

import time

import pytest

from service.catalogue.verbatim import Verbatim

LISTED = ("Sony WH-1000XM5", "The Way Back (2010)", "Delta Road and Omega Wind", "Delta Road", "Heat (1995)",
          "wireless mouse", "It", "Drama")  # fmt: skip


def found(text: str) -> list[str]:
    places = list(Verbatim(LISTED).find(text))
    assert all(text[place.start : place.end] == place.surface for place, _ in places)
    return [place.surface for place, _ in places]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("The Sony WH-1000XM5 would suit you.", ["Sony WH-1000XM5"]),
        ("I'd go for the Way Back.", ["the Way Back"]),
        (
            "Delta Road and Omega Wind is one; Delta Road is another.",
            ["Delta Road and Omega Wind", "Delta Road"],
        ),
        ("take a wireless mouse", ["wireless mouse"]),
        ("Watch Heat tonight, or Heat (1995).", ["Heat", "Heat"]),
        ("Heat Wave, Heat (1986) and Heat 2 are others.", []),
        ("It is a Drama. There is a way back on the delta road.", []),
        ("", []),
    ],
)
def test_titles_are_found_as_the_list_writes_them(text: str, titles: list[str]) -> None:
    assert found(text) == titles


def test_the_title_as_given_comes_with_its_place() -> None:
    assert [title for _, title in Verbatim(LISTED).find("I like the Way Back")] == ["The Way Back (2010)"]


def test_the_search_is_linear_in_text_and_titles() -> None:
    started = time.process_time()
    many = Verbatim([f"Aa Aa {number}" for number in range(20_000)] + ["Aa " * 29 + "B"])
    assert not list(many.find("Aa " * 20_000))
    assert time.process_time() - started < 10
