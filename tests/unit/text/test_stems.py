"""Looking for any of many words at a glance finds what looking for each finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.text.patterns import Stems

WORDS = ("grad", "grade", "rate ", " ai ", "rating", "re asked", "score")
SIGNS = ("<", "[inst", "---", "}]")


@given(st.lists(st.sampled_from([*WORDS, *SIGNS, "x", "ai", " ", ".", "gra", "inst", "-"])).map("".join))
def test_any_is_found_where_one_is(text: str) -> None:
    words = any(
        re.search(rf"\b{re.escape(word.strip() if word[0] == ' ' else word)}", text) for word in WORDS
    )
    assert Stems(*WORDS, *SIGNS).in_any(text) == (words or any(sign in text for sign in SIGNS))


@pytest.mark.parametrize(
    ("text", "found"), [("upgraded", False), ("he graded it", True), ("the <log>", True), ("", False)]
)
def test_words_are_found_at_their_beginning_and_signs_anywhere(text: str, found: bool) -> None:
    assert Stems("grad", "<").in_any(text) is found
