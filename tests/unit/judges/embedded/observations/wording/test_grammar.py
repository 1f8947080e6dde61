from itertools import pairwise

import pytest

from service.judges.embedded.observations.wording.language import find_errors
from service.text.words import Span


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("It is a interesting film.", "article"),
        ("Here is an book for you.", "article"),
        ("It is a movies about love.", "article"),
        ("She have made many films.", "agreement"),
        ("They was very good.", "agreement"),
        ("One of the best movie ever.", "agreement"),
        ("I can recommended it.", "verb"),
        ("He did not liked it.", "verb"),
        ("Have you see it?", "verb"),
        ("It is more better.", "comparison"),
        ("I could of told you.", "words"),
        ("You should definately see it.", "spelling"),
        ("It is the the best.", "doubled"),
        ("is a great movie.", "gap"),
        ("Have you seen ?", "gap"),
        ("I would like to show you the", "unfinished"),
    ],
)
def test_obvious_errors_are_found(text: str, kind: str) -> None:
    assert kind in {error.kind for error in find_errors(text, [])}


@pytest.mark.parametrize(
    "text",
    [
        "I would love to help you find something.",
        "An hour later a European unit left a university in a one-horse town.",
        "An honest man, an MP and an FBI agent meet.",
        "Is it a comedy? It is, and a good one.",
        "I've seen a few movies like it, and so many movie titles sound alike.",
        "Did she have a favourite? Let it go.",
        "What can I help you with",
        "There are lots of people who like this. Tell me more.",
        "im not sure, dont worry, its fine",
        "A union of a few old friends uses a unique plan.",
        "If it were up to me, I would see it again.",
    ],
)
def test_sound_text_raises_no_alarm(text: str) -> None:
    assert find_errors(text, []) == []


def test_titles_are_never_errors() -> None:
    text = "Have you seen The The House?"
    assert find_errors(text, [])
    assert find_errors(text, [Span(14, 27, "title")]) == []


def test_errors_do_not_overlap() -> None:
    errors = find_errors("a a a movies is is was the the", [])
    assert all(first.end <= second.start for first, second in pairwise(errors))
