"""BLEU and distinct-n against figures worked out by hand."""

import math

import pytest

from service.alignment.utterance import normalise
from service.alignment.wording import bleu, wording


def test_identical_replies_have_a_bleu_of_one() -> None:
    assert bleu([("one two three four", "One two three four!")]) == pytest.approx((1, 1, 1, 1))


def test_bleu_by_hand() -> None:
    # Unigrams 4 of 5 (the second "the" has no partner), bigrams 2 of 4, trigrams 1 of 3, none of 2.
    found = bleu([("the cat saw the bird", "the cat saw a bird")])
    assert found[:3] == pytest.approx((4 / 5, math.sqrt(4 / 5 * 2 / 4), (4 / 5 * 2 / 4 * 1 / 3) ** (1 / 3)))
    assert found[3] == 0


def test_short_candidates_pay_a_penalty() -> None:
    # Two words for four: e^(1 - 4/2).
    assert bleu([("one two", "one two three four")])[0] == pytest.approx(math.exp(-1))


def test_counts_are_pooled_over_replies() -> None:
    # 2 + 1 of 2 + 2 unigrams.
    assert bleu([("a b", "a b"), ("c d", "c e")])[0] == pytest.approx(3 / 4)


def test_what_cannot_be_counted_is_none() -> None:
    assert bleu([]) == (None, None, None, None)
    assert bleu([("one two", "one two")])[2:] == (None, None)


def test_distinct_by_hand() -> None:
    found = wording(["a b a b", "a"])
    assert (found.words, found.distinct_1, found.distinct_2) == (5, 2 / 5, 2 / 3)
    assert wording([""]).distinct_1 is None


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("  Have you SEEN\nit? ", "have you seen it?"),
        ("It\u2019s \u201cgood\u201d\u2026", 'it\'s "good"...'),
        ("I donâ€™t know", "i don't know"),
        ("Amélie", "amélie"),
        ("AmÃ©lie", "amélie"),
        ("Max\ufffd\ufffds brother", "max's brother"),
        ("a couples\ufffd trip", "a couples trip"),
        ("the QUOTATION_MARKfutureQUOTATION_MARK", 'the "future"'),
        ("Glass Harvest (2018) is fine", "glass harvest is fine"),
        ("Have you seen @12345?", "have you seen that movie?"),
        ("", ""),
        ("\ufffd", ""),
    ],
)
def test_spelling(text: str, spelled: str) -> None:
    assert normalise(text) == spelled
