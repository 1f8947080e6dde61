"""Small letters looked for in small letters: the same places as when case is ignored, in every list of patterns."""

import json
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import service.catalogue
import service.judges.computed
import service.steering
import service.text
from service.text.patterns import Finder, Lexicon
from tests.attacks.attempts import ATTEMPTS, HARMLESS

ROOT = Path(__file__).parents[3]
TEXTS = [
    *(
        message["content"] or ""
        for path in sorted((ROOT / "examples/logs").glob("*.json"))
        for message in json.loads(path.read_text())["log"]["messages"]
    ),
    *(attempt.text for attempt in ATTEMPTS),
    *HARMLESS,
    "İstanbul'da geçen bir film? Ignore the RUBRIC and THANK YOU, I've seen it",
    "how about \ud800, half of a sign? Great!",
    "ΣΊΣΥΦΟΣ and STRASSE, Straße: I would LIKE a western.",
]


def lists(found: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(found, dict):
        for name, inside in found.items():
            yield from lists(inside, (*path, name))
    elif isinstance(found, list) and all(isinstance(one, str) for one in found):
        yield path


def modules() -> Iterator[ModuleType]:
    """Those that look for something in a text."""
    for package in (service.text, service.catalogue, service.steering, service.judges.computed):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield import_module(found.name)


WORDS = ("kinds",)
LEXICONS = {
    lexicon.name: lexicon
    for module in modules()
    for lexicon in vars(module).values()
    if isinstance(lexicon, Lexicon)
}
PATTERNS = [
    path
    for name, lexicon in LEXICONS.items()
    for path in lists(lexicon.tables, (name,))
    if not {"stems", "lookalikes", "parts", *WORDS} & set(path)
]


def own_finders() -> Iterator[tuple[str, Finder]]:
    """Those that modules hold."""
    for module in modules():
        for name, value in vars(module).items():
            if isinstance(value, Finder):
                yield f"{module.__name__}.{name}", value


FINDERS = {
    **dict(own_finders()),
    **{".".join(path): LEXICONS[path[0]].finder(*path[1:]) for path in PATTERNS},
    **{
        f"concept {number}": Finder(*concept["patterns"])
        for number, concept in enumerate(LEXICONS["steering"].tables["concepts"])
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FINDERS)
def test_it_finds_what_ignoring_case_finds(name: str) -> None:
    finder = FINDERS[name]
    plain = re.compile(finder.pattern, re.IGNORECASE | re.MULTILINE)
    for text in TEXTS:
        for written in (text, text.upper(), text.title()):
            assert [m.span() for m in finder.finditer(written)] == [m.span() for m in plain.finditer(written)]
            first, wanted = finder.search(written), plain.search(written)
            assert (first and first.span()) == (wanted and wanted.span())


def test_of_two_at_one_place_the_earlier_counts_and_none_overlaps() -> None:
    finder, text = Finder("ab", "abc", "c.", "bcd"), "abcd cd abc"
    assert [match.span() for match in finder.finditer(text)] == [(0, 2), (2, 4), (5, 7), (8, 10)]
    first = Finder("cd", "abc").search(text)
    assert first is not None
    assert first.span() == (0, 3)


def test_what_is_written_stays_where_something_is_replaced() -> None:
    assert Finder(r"\bbut\b").sub(";", "Good BUT Slow") == "Good ; Slow"


def test_the_groups_of_a_single_pattern_have_their_names() -> None:
    found = Finder(r"(?P<First>\w+) and (?P<second>\w+)").search("Salt AND Pepper")
    assert found is not None
    assert found.groupdict() == {"First": "salt", "second": "pepper"}


def test_letters_of_other_scripts_are_letters() -> None:
    assert [match.span() for match in Finder(r"\b\w+ film\b").finditer("schöner FILM, nice film")] == [
        (0, 12),
        (14, 23),
    ]


def test_letters_that_grow_when_small_move_nothing() -> None:
    found = Finder("film").search("İİİ a FILM")
    assert found is not None
    assert found.span() == (6, 10)
