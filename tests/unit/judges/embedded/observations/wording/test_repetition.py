import pytest

from service.judges.embedded.observations.wording.language import find_stutters, loop_share, overlap
from service.text.words import word_spans, words


@pytest.mark.parametrize(
    ("text", "kind", "stretch"),
    [
        ("he wrote The The The Last Stand", "stutter", "The The The"),
        ("it is a a great film", "doubled", "a a"),
        ("a girl and a girl and a girl and", "stutter", "a girl and a girl and a girl and"),
        ("go to go to the sea", "stutter", "go to go to"),
    ],
)
def test_stutters_are_found_where_they_stand(text: str, kind: str, stretch: str) -> None:
    (found,) = find_stutters(word_spans(text))
    assert (found.kind, found.of(text)) == (kind, stretch)


@pytest.mark.parametrize(
    "text",
    [
        "so so good",
        "Hello! Hello there",
        "I had had enough",
        "bye bye",
        "ha ha ha",
        "1 1",
        "the same day again and again, and slowly",
        "on and on and never",
    ],
)
def test_doubles_that_people_write_are_left_alone(text: str) -> None:
    assert find_stutters(word_spans(text)) == []


def test_a_loop_repeats_its_phrases() -> None:
    assert loop_share(words("the man who saw the man who saw the man who saw the man who saw")) > 0.5
    assert loop_share(words("a quiet story of two sisters who run a small hotel by the sea in winter")) == 0


def test_overlap_of_nothing_is_nothing() -> None:
    assert overlap(frozenset(), frozenset()) == 0
    assert overlap(frozenset("ab"), frozenset("bc")) == pytest.approx(1 / 3)
