import pytest

from service.simulators.guard import names, remove_leaks


@pytest.mark.parametrize(
    ("title", "text", "named"),
    [
        ("Paper Comets (2015)", "I want Paper Comets, please.", True),
        ("Paper Comets (2015)", "i want paper comets please", True),
        ("Paper Comets (2015)", "It is called PAPER COMETS (2015).", True),
        ("Paper Comets (2015)", "I think of “Paper Comet\u2019s”, you know?", True),
        ("Paper Comets (2015)", "the paper commets one", True),
        ("Paper Comets (2015)", "I like paper and comets.", False),
        ("Paper Comets (2015)", "Comets made of paper.", False),
        ("Paper Comets (2015)", "Papers", False),
        ("Paper Comets (2015)", "", False),
        # A short title must be written as a name.
        ("It (2017)", "It is raining, and I like it.", False),
        ("It (2017)", "Have you seen It by any chance?", True),
        ("Heat (2001)", "We could meet in the theater, beat the heat and eat.", False),
        ("Heat (2001)", "Did you think of Heat for me?", True),
        ("Heat (2001)", "Heat is what I want.", True),
        # An article and a subtitle may be left off.
        ("The Salt Cartographers", "salt cartographers", True),
        ("Salt Roads: The Second Journey", "the one called Salt Roads", True),
        ("It: Chapter Two", "I want it now.", False),
    ],
)
def test_a_title_is_named_in_any_spelling(title: str, text: str, named: bool) -> None:
    assert names(title, text) is named


def test_certainty_asks_every_single_word_to_be_written_as_a_name() -> None:
    assert names("Gravity (2013)", "There is little gravity up there.")
    assert not names("Gravity (2013)", "There is little gravity up there.", certain=True)
    assert names("Gravity (2013)", "Try Gravity tonight.", certain=True)


@pytest.mark.parametrize(
    ("text", "title", "left", "removed"),
    [
        (
            "I want something dark. It is Heat, by the way! Any idea?",
            "Heat (2001)",
            "I want something dark. Any idea?",
            "It is Heat, by the way!",
        ),
        (
            "Something playful. I mean Dr. Moth of course. Thanks.",
            "Dr. Moth (1991)",
            "Something playful. Thanks.",
            "I mean Dr. Moth of course.",
        ),
        ("Paper Comets!", "Paper Comets (2015)", "", "Paper Comets!"),
    ],
)
def test_leaking_sentences_are_removed_and_reported(text: str, title: str, left: str, removed: str) -> None:
    guarded = remove_leaks(text, [title])
    assert (guarded.text, guarded.removed) == (left, (removed,))
