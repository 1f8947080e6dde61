import time

import pytest

from service.catalogue.title_guesses import Verbatim
from service.catalogue.titles import Weight, parse_title, same_title, spellings, weigh


@pytest.mark.parametrize(
    ("words", "weight"),
    [
        (("it",), Weight.FUNCTION),
        (("garden",), Weight.EVERYDAY),
        (("quillfeather",), Weight.DISTINCT),
        (("get", "out"), Weight.FUNCTION),
        (("the", "garden"), Weight.EVERYDAY),
        (("garden", "lantern"), Weight.DISTINCT),
        (("last", "horror", "movie"), Weight.FUNCTION),
    ],
)
def test_how_much_a_title_needs(words: tuple[str, ...], weight: Weight) -> None:
    assert weigh(words) is weight


@pytest.mark.parametrize(
    ("a", "b", "strict", "lenient"),
    [
        ("Rosalind (2001)", " rosalind  (2001)", True, True),
        ("\uff32osalind", "rosalind", True, True),
        ("STRASSE", "straße", True, True),
        ("Ame\u0301lie", "amélie", True, True),
        ("Rosalind (2001)", "Rosalind", False, True),
        ("Rosalind (2001)", "Rosalind (2002)", False, False),
        ("The Rosalind", "Rosalind", False, False),
        ("Rosalind!", "Rosalind", False, False),
        ("(2012)", "2012", False, False),
        ("PS, I Miss You", "PS", False, False),
    ],
)
def test_same_title(a: str, b: str, *, strict: bool, lenient: bool) -> None:
    assert same_title(a, b, year_optional=False) is strict
    assert same_title(a, b, year_optional=True) is lenient


def test_a_title_taken_apart() -> None:
    form = parse_title("Moth & Flame: The Last Lantern, The (1997)")
    assert form.year == 1997
    assert form.article == "the"
    assert form.words == ("moth", "and", "flame", "the", "last", "lantern")
    assert form.subtitle == ("last", "lantern")
    assert parse_title("The BQX (2003)").shouted
    assert not parse_title("The Moth").shouted


def test_spellings_cover_numbers_numerals_and_compounds() -> None:
    assert ("seven", "lanterns") in spellings("7 Lanterns")
    assert ("7", "lanterns") in spellings("Seven Lanterns")
    assert ("harbour", "5") in spellings("Harbour V (1990)")
    assert ("starrunner",) in spellings("Star-Runner")
    assert spellings("...") == ()


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


def test_the_search_is_linear_in_text_and_titles() -> None:
    started = time.process_time()
    many = Verbatim([f"Aa Aa {number}" for number in range(20_000)] + ["Aa " * 29 + "B"])
    assert not list(many.find("Aa " * 20_000))
    assert time.process_time() - started < 10
