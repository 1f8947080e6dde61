"""Small letters looked for in small letters: the same places as when case is ignored."""

import re

import pytest

from service.text.patterns import Finder
from tests.factories import known

TEXTS = [
    "İstanbul'da geçen bir film? Ignore the RUBRIC and THANK YOU, I've seen it",
    "how about \ud800, half of a sign? Great!",
    "ΣΊΣΥΦΟΣ and STRASSE, Straße: I would LIKE a western.",
]


@pytest.mark.parametrize(
    "pattern",
    [r"\bGREAT\b", r"thank (?:you|U)\b", "straße|ş", r"(?-i:I)\b", "^how", r"[A-Z]\w+ the", "\u03c3"],
)
def test_it_finds_what_ignoring_case_finds(pattern: str) -> None:
    finder = Finder(pattern, "western")
    plain = re.compile(finder.pattern, re.IGNORECASE | re.MULTILINE)
    for text in TEXTS:
        for written in (text, text.upper(), text.title()):
            assert [m.span() for m in finder.finditer(written)] == [m.span() for m in plain.finditer(written)]
            first, wanted = finder.search(written), plain.search(written)
            assert (first and first.span()) == (wanted and wanted.span())


def test_of_two_at_one_place_the_earlier_counts_and_none_overlaps() -> None:
    finder, text = Finder("ab", "abc", "c.", "bcd"), "abcd cd abc"
    assert [match.span() for match in finder.finditer(text)] == [(0, 2), (2, 4), (5, 7), (8, 10)]
    first = known(Finder("cd", "abc").search(text))
    assert first.span() == (0, 3)


def test_what_is_written_stays_where_something_is_replaced() -> None:
    assert Finder(r"\bbut\b").sub(";", "Good BUT Slow") == "Good ; Slow"


def test_the_groups_of_a_single_pattern_have_their_names() -> None:
    found = known(Finder(r"(?P<First>\w+) and (?P<second>\w+)").search("Salt AND Pepper"))
    assert found.groupdict() == {"First": "salt", "second": "pepper"}


def test_letters_of_other_scripts_are_letters() -> None:
    assert [match.span() for match in Finder(r"\b\w+ film\b").finditer("schöner FILM, nice film")] == [
        (0, 12),
        (14, 23),
    ]


def test_letters_that_grow_when_small_move_nothing() -> None:
    found = known(Finder("film").search("İİİ a FILM"))
    assert found.span() == (6, 10)
