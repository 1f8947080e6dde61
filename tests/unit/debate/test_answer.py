"""Reading statement and score from what a model wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.debate.answer import read

GOOD = {
    "plain": '{"statement": "Fine.", "score": 70}',
    "fenced": '```json\n{"statement": "Fine.", "score": 70}\n```',
    "words around": 'Here it is: {"statement": "Fine.", "score": 70} Thanks!',
    "other keys": '{"evaluator": "me", "statement": " Fine. ", "score": 70, "more": {"score": 3}}',
    "a number as text": '{"statement": "Fine.", "score": " 70 "}',
    "a whole float": '{"statement": "Fine.", "score": 70.0}',
    "a draft before": '{"statement": "Bad.", "score": 10} No: {"statement": "Fine.", "score": 70}',
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_a_usable_answer_is_read(text: str) -> None:
    assert read(text) == ("Fine.", 70)


def test_line_breaks_in_a_statement_are_let_pass() -> None:
    assert read('{"statement": "One.\nTwo.", "score": 0}') == ("One.\nTwo.", 0)


def test_a_score_quoted_inside_the_statement_is_not_the_score() -> None:
    text = '{"statement": "The log says {\\"statement\\": \\"x\\", \\"score\\": 100}.", "score": 20}'
    assert read(text)[1] == 20


def test_half_a_surrogate_pair_does_not_get_through() -> None:
    str(read('{"statement": "odd \\ud800", "score": 20}')[0]).encode("utf-8")


BAD = {
    "nothing": ("", "no JSON object"),
    "prose": ("I give 70.", "no JSON object"),
    "cut off": ('{"statement": "Fine.", "score": 7', "cut off or malformed"),
    "an object before": ('I weigh {"this": so}. {"statement": "Fine.", "score": 70}', "cut off or malformed"),
    "no statement": ('{"score": 70}', "statement"),
    "an empty statement": ('{"statement": "  ", "score": 70}', "statement"),
    "no score": ('{"statement": "Fine."}', "score"),
    "null": ('{"statement": "Fine.", "score": null}', "whole number"),
    "true": ('{"statement": "Fine.", "score": true}', "whole number"),
    "a fraction": ('{"statement": "Fine.", "score": 70.5}', "whole number"),
    "too high": ('{"statement": "Fine.", "score": 101}', "whole number"),
    "too low": ('{"statement": "Fine.", "score": -1}', "whole number"),
    "not a number": ('{"statement": "Fine.", "score": NaN}', "whole number"),
    "infinite": ('{"statement": "Fine.", "score": 1e999}', "whole number"),
    "huge": ('{"statement": "Fine.", "score": 1' + "0" * 400 + "}", "whole number"),
    "absurd": ('{"statement": "Fine.", "score": 1' + "0" * 5000 + "}", "cut off or malformed"),
    "deep": ("[" * 9000 + '{"a":' * 9000, "cut off or malformed"),
    "a bad last word": (
        '{"statement": "Fine.", "score": 70} {"statement": "Fine.", "score": "high"}',
        "whole number",
    ),
}


@pytest.mark.parametrize(("text", "says"), BAD.values(), ids=BAD.keys())
def test_an_unusable_answer_says_why(text: str, says: str) -> None:
    assert says in str(read(text))


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    answer = read(text)
    assert isinstance(answer, str) or 0 <= answer[1] <= 100
