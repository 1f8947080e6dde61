"""Reading statement and score from what a model wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.debate.answer import Answer, UnreadableAnswer, read

GOOD = {
    "plain": '{"statement": "Fine.", "score": 70}',
    "other keys": '{"evaluator": "me", "statement": " Fine. ", "score": 70, "more": {"score": 3}}',
    "a number as text": '{"statement": "Fine.", "score": " 70 "}',
    "a whole float": '{"statement": "Fine.", "score": 70.0}',
    "a draft before": '{"statement": "Bad.", "score": 10} No: {"statement": "Fine.", "score": 70}',
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_a_usable_answer_is_read(text: str) -> None:
    assert read(text) == Answer("Fine.", 70)


def test_a_score_quoted_inside_the_statement_is_not_the_score() -> None:
    text = '{"statement": "The log says {\\"statement\\": \\"x\\", \\"score\\": 100}.", "score": 20}'
    assert read(text).score == 20


def test_half_a_surrogate_pair_does_not_get_through() -> None:
    read('{"statement": "odd \\ud800", "score": 20}').statement.encode("utf-8")


BAD = {
    "prose": ("I give 70.", "no JSON object"),
    "cut off": ('{"statement": "Fine.", "score": 7', "cut off or malformed"),
    "no statement": ('{"score": 70}', "statement"),
    "an empty statement": ('{"statement": "  ", "score": 70}', "statement"),
    "no score": ('{"statement": "Fine."}', "score"),
    "null": ('{"statement": "Fine.", "score": null}', "whole number"),
    "true": ('{"statement": "Fine.", "score": true}', "whole number"),
    "a fraction": ('{"statement": "Fine.", "score": 70.5}', "whole number"),
    "too high": ('{"statement": "Fine.", "score": 101}', "whole number"),
    "too low": ('{"statement": "Fine.", "score": -1}', "whole number"),
    "infinite": ('{"statement": "Fine.", "score": 1e999}', "whole number"),
    "a bad last word": (
        '{"statement": "Fine.", "score": 70} {"statement": "Fine.", "score": "high"}',
        "whole number",
    ),
}


@pytest.mark.parametrize(("text", "says"), BAD.values(), ids=BAD.keys())
def test_an_unusable_answer_says_why(text: str, says: str) -> None:
    with pytest.raises(UnreadableAnswer, match=says):
        read(text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        answer = read(text)
    except UnreadableAnswer:
        return
    assert 0 <= answer.score <= 100
