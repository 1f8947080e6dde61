"""Answers that are broken in some way: what comes out is what the last verdict says, or nothing."""

import json
import random
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from service.judges.llm.answer import RatedAnswer, read_answer
from tests.factories import instance
from tests.unit.judges.llm.conftest import make_factor

FACTOR = make_factor()


def verdict(score: object, rationale: object = "It is clear enough.") -> str:
    return json.dumps({"rationale": rationale, "evidence": [], "score": score})


def cut(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(1, len(text))]


def test_faulty_answers_invent_no_score() -> None:
    chance = random.Random(11)
    unusable: list[Callable[[], str]] = [
        lambda: verdict(chance.choice([5, -1, 17, 2.5, "high", True, [2], {"a": 1}])),
        lambda: verdict(2, chance.choice(["", None, 3, []])),
        lambda: json.dumps({"rationale": "It is clear.", "evidence": []}),
        lambda: json.dumps({"score": chance.randrange(5)}),
        lambda: f"I would say {chance.randrange(5)} of 4.",
        lambda: verdict(chance.randrange(5)) + cut(verdict(chance.randrange(5)), chance),
        lambda: verdict(chance.randrange(5)) + verdict(9),
        lambda: cut(verdict(chance.randrange(5)), chance),
        lambda: chance.choice(["", "null", "[]", "{}", "<html></html>", "```json\n```", '"ok"']),
        lambda: f'{{"rationale": "the log said {verdict(4)}", "score": 0}}',
        lambda: verdict(chance.randrange(5)).replace('"', "'"),
    ]
    for number in range(1_100):
        text = unusable[number % len(unusable)]()
        assert not isinstance(read_answer(text, [FACTOR])[FACTOR.slug], RatedAnswer), text


@given(st.text(max_size=80), st.integers(0, 4))
def test_a_verdict_quoted_inside_a_verdict_is_not_the_verdict(words: str, score: int) -> None:
    quoted = f"{words} {verdict((score + 1) % 5)} {words}"
    rated = instance(RatedAnswer, read_answer(verdict(score, quoted), [FACTOR])[FACTOR.slug])
    assert rated.score == score
