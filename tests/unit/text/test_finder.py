"""Small letters looked for in small letters: the same places as when case is ignored, in every list of patterns."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.text import lexicon
from service.text.lexicon import Finder
from tests.attacks.attempts import ATTEMPTS, HARMLESS

ROOT = Path(__file__).parents[3]
TEXTS = [
    *(
        message["content"]
        for path in sorted((ROOT / "examples/logs").glob("*.json"))
        for message in json.loads(path.read_text())["log"]["messages"]
    ),
    *(attempt.text for attempt in ATTEMPTS),
    *HARMLESS,
    "İstanbul'da geçen bir film? Ignore the RUBRIC and THANK YOU, I've seen it",
    "ΣΊΣΥΦΟΣ and STRASSE, Straße: I would LIKE a western.",
]


def lists(found: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(found, dict):
        for name, inside in found.items():
            yield from lists(inside, (*path, name))
    elif isinstance(found, list) and all(isinstance(one, str) for one in found):
        yield path


PATTERNS = [
    path
    for name in ("acts", "care", "courtesy", "degenerate", "feelings", "grammar", "reasons", "steering")
    for path in lists(lexicon.load(name), (name,))
    if not {"stems", "lookalikes"} & set(path)
]


@pytest.mark.parametrize("path", PATTERNS, ids=".".join)
def test_it_finds_what_ignoring_case_finds(path: tuple[str, ...]) -> None:
    finder = lexicon.compiled(*path)
    plain = re.compile(finder.pattern, re.IGNORECASE | re.MULTILINE)
    for text in TEXTS:
        for written in (text, text.upper(), text.title()):
            assert [m.span() for m in finder.finditer(written)] == [m.span() for m in plain.finditer(written)]
            first, wanted = finder.search(written), plain.search(written)
            assert (first and first.span()) == (wanted and wanted.span())


def test_there_is_much_to_find() -> None:
    assert len(PATTERNS) > 40
    assert sum(bool(lexicon.compiled(*path).search(text)) for path in PATTERNS for text in TEXTS) > 300


def test_what_is_written_stays_where_something_is_replaced() -> None:
    assert Finder(r"\bbut\b").sub(";", "Good BUT Slow") == "Good ; Slow"


def test_letters_that_grow_when_small_move_nothing() -> None:
    found = Finder("film").search("İİİ a FILM")
    assert found is not None
    assert found.span() == (6, 10)
