import pytest

from service.simulators.guard import mentions, names, remove_leaks


@pytest.mark.parametrize(
    "text",
    [
        "I want Paper Comets, please.",
        "i want paper comets please",
        "It is called PAPER COMETS (2015).",
        "I think of “Paper Comet\u2019s”, you know?",
        "the paper commets one",
    ],
)
def test_a_title_is_named_in_any_spelling(text: str) -> None:
    assert names("Paper Comets (2015)", text)


@pytest.mark.parametrize("text", ["I like paper and comets.", "Comets made of paper.", "Papers", ""])
def test_words_of_a_title_apart_from_one_another_name_nothing(text: str) -> None:
    assert not names("Paper Comets (2015)", text)


def test_a_short_title_must_be_written_as_a_name() -> None:
    assert not names("It (2017)", "It is raining, and I like it.")
    assert not names("Heat (2001)", "We could meet in the theater, beat the heat and eat.")
    assert names("Heat (2001)", "Did you think of Heat for me?")
    assert names("Heat (2001)", "Heat is what I want.")
    assert names("It (2017)", "Have you seen It by any chance?")


def test_certainty_asks_every_single_word_to_be_written_as_a_name() -> None:
    assert names("Gravity (2013)", "There is little gravity up there.")
    assert not names("Gravity (2013)", "There is little gravity up there.", certain=True)
    assert names("Gravity (2013)", "Try Gravity tonight.", certain=True)


def test_an_article_and_a_subtitle_may_be_left_off() -> None:
    assert names("The Salt Cartographers", "salt cartographers")
    assert names("Salt Roads: The Second Journey", "the one called Salt Roads")
    assert not names("It: Chapter Two", "I want it now.")


def test_leaking_sentences_are_removed_and_reported() -> None:
    guarded = remove_leaks("I want something dark. It is Heat, by the way! Any idea?", ["Heat (2001)"])
    assert guarded.text == "I want something dark. Any idea?"
    assert guarded.removed == ("It is Heat, by the way!",)


def test_a_title_with_a_full_stop_takes_every_sentence_it_stretches_over() -> None:
    guarded = remove_leaks("Something playful. I mean Dr. Moth of course. Thanks.", ["Dr. Moth (1991)"])
    assert "Moth" not in guarded.text
    assert guarded.text.startswith("Something playful.")
    assert guarded.text.endswith("Thanks.")
    assert guarded.removed == ("I mean Dr. Moth of course.",)


def test_a_message_that_is_all_leak_becomes_empty() -> None:
    guarded = remove_leaks("Paper Comets!", ["Paper Comets (2015)"])
    assert guarded.text == ""
    assert guarded.removed == ("Paper Comets!",)


def test_spans_point_at_the_title() -> None:
    text = "Maybe Paper Comets tonight"
    [(start, end)] = set(mentions("Paper Comets", text))
    assert text[start:end] == "Paper Comets"
