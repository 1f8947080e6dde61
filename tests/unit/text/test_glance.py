"""A glance rules out only what cannot match, however it looks."""

import re

import pytest

from service.text import patterns as glance
from service.text.patterns import Finder, Glance, demands_of

PATTERNS = (
    r"\bhow about\b",
    r"\b(?:comed\w+|dramas?) (?:by|with) (?:her|him)\b",
    r"(?<!not )\bwhat(?:'s| is) it\?",
    r"[^\W\d_]{24,}",
    r"(?-i:[a-z]{3}[A-Z])",
    r"(?:very )?good|great",
)
TEXTS = (
    "how about a comedy by her?",
    "dramas with him, and what is it? very good",
    "a" * 30,
    "well, it isQuite GREAT",
    "how\x00about \ud800 it, what's it?",
    "Wie wäre es mit Amélie? İyi",
    "",
)


@pytest.mark.parametrize("many", [0, 1_000], ids=["in one pass", "one by one"])
@pytest.mark.parametrize("text", TEXTS)
def test_what_can_match_is_possible(text: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glance, "MANY", many)
    small = text.lower()
    possible = Glance([demands_of(pattern) for pattern in PATTERNS]).possible(small)
    flags = re.IGNORECASE | re.MULTILINE
    assert {i for i, pattern in enumerate(PATTERNS) if re.search(pattern, small, flags)} <= set(possible)
    assert possible == sorted(set(possible))


def test_what_lacks_one_of_its_demands_is_ruled_out() -> None:
    found = Glance([demands_of(pattern) for pattern in PATTERNS])
    assert 1 not in found.possible("a comedy of errors"), "by nobody"
    assert 1 in found.possible("a comedy by her")
    assert 0 not in found.possible("about how it was")


def test_long_texts_and_short_ones_are_looked_at_alike() -> None:
    finder = Finder(
        *(rf"\bhow about (?:a|the) {kind}\b" for kind in ("film", "play", "book", "song")), r"\bwould\b"
    )
    said = "i would not. how about a film, how about the book? "
    short = [match.group() for match in finder.finditer(said)]
    assert short == ["would", "how about a film", "how about the book"]
    assert len(said * 60) > glance.LONG > len(said)
    assert [match.group() for match in finder.finditer(said * 60)] == short * 60


def test_without_letters_to_go_by_everything_is_possible() -> None:
    assert Glance([demands_of(r"\d+"), demands_of(r"\w")]).possible("x") == [0, 1]
    assert Glance([]).possible("x") == []
    assert Finder(r"\d+").search("7")
