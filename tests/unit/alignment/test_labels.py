"""Labels read from what a model answered."""

import json

import pytest

from service.alignment.labels import read_labels
from service.alignment.strategies import StrategyName as S


def answer(*entries: dict[str, object]) -> str:
    return json.dumps({"replies": entries})


def entry(number: int, strategy: str, second: str | None = None) -> dict[str, object]:
    return {"reply": number, "reason": "it asks", "strategy": strategy, "second": second}


def test_labels_are_read_with_their_reasons() -> None:
    found = read_labels(answer(entry(1, "opinion_inquiry", "offer_help"), entry(2, "no_strategy")), 2)
    assert found.problem is None
    assert found.readings[1].strategies == (S.OPINION_INQUIRY, S.OFFER_HELP)
    assert found.readings[1].reason == "it asks"
    assert found.readings[2].strategies == (S.NO_STRATEGY,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I cannot say", 'no JSON object with "replies"'),
        (answer(entry(1, "small_talk")), 'reply 1: "strategy" is none of the labels'),
        (answer({**entry(1, "credibility"), "reason": " "}), 'reply 1: "reason"'),
        (answer(entry(2, "credibility")), "no entry for reply 1"),
        ('{"replies": [{"reply": 1, "reason": "x", "strat', 'no JSON object with "replies"'),
        ('{"replies": ' + "[" * 100_000, 'no JSON object with "replies"'),
    ],
)
def test_what_cannot_be_used_is_named(text: str, problem: str) -> None:
    assert problem in str(read_labels(text, 1).problem)


def test_a_second_label_that_says_nothing_more_is_dropped() -> None:
    text = answer(entry(1, "credibility", "credibility"), entry(2, "credibility", "no_strategy"))
    assert all(reading.strategies == (S.CREDIBILITY,) for reading in read_labels(text, 2).readings.values())
