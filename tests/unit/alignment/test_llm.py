"""Labels by a language model: what is asked, how answers are joined, what a failure does."""

import json
import math
from collections.abc import Callable

import pytest

from service.alignment.implicit import normalise
from service.alignment.llm import LLMLabeller, read_labels
from service.alignment.strategies import StrategyName as S
from service.alignment.wording import bleu, wording
from service.domain.completion import Call, Completion, LLMRequest, Usage
from service.domain.verdict import JudgeName
from service.llm.failures import Answer, Unavailable
from tests.factories import Scripted
from tests.unit.alignment.making import said

Script = Callable[[LLMRequest], Answer | str]


def labeller(script: Script) -> tuple[LLMLabeller, Scripted]:
    def answered(request: LLMRequest) -> Answer:
        found = script(request)
        return Completion(found, "model-1", Usage(10, 5)) if isinstance(found, str) else found

    models = Scripted(answered)
    return LLMLabeller(models, JudgeName("up", "m"), "http://x"), models


def log_of(request: LLMRequest) -> str:
    return request.messages[1].content


def answer(*strategies: str) -> str:
    return entries(*(entry(number, strategy) for number, strategy in enumerate(strategies, 1)))


async def test_an_unusable_answer_is_mended_once() -> None:
    judge, models = labeller(
        lambda request: answer("small_talk") if len(request.messages) == 2 else answer("credibility")
    )
    found = await judge.judge([said("fact", "fact too")], Call())
    assert len(models.asked) == 4
    assert "none of the labels" in models.asked[-1].messages[-1].content
    assert (found.judged[0].aligned, found.failures) == (True, ())
    assert found.usage.output_tokens == 20


async def test_what_was_read_of_a_broken_answer_is_kept() -> None:
    judge, _ = labeller(lambda request: answer("credibility", "nothing", "credibility"))
    found = await judge.judge([said("a", "b", "d", n) for n in (1, 2, 3)], Call())
    assert [one.aligned for one in found.judged] == [True, None, True]
    assert "No label" in found.judged[1].rationale
    assert found.failures == ("unreadable", "unreadable")


async def test_the_most_frequent_label_of_several_samples_counts() -> None:
    drawn = ("similarity", "credibility", "credibility", "similarity")
    judge, models = labeller(lambda request: answer(drawn[request.draw]))
    found = await judge.judge([said("fact", "q?", "d", 2)], Call(), samples=4)
    assert {(one.temperature, one.seed) for one in models.asked} == {(1.0, draw) for draw in range(4)}
    assert (found.calls, found.judged[0].aligned) == (8, True)
    label = found.judged[0].candidate
    assert label is not None
    assert (label.strategy, label.shares) == (S.SIMILARITY, (0.5,))  # the first of equal ones
    judge, _ = labeller(lambda request: Unavailable("down") if request.draw < 2 else answer("credibility"))
    found = await judge.judge([said("fact", "q?", "d", 2)], Call(), samples=3)
    assert (found.judged[0].aligned, len(found.failures)) == (True, 4)


async def test_a_side_that_fails_leaves_its_pairs_without_a_verdict() -> None:
    judge, _ = labeller(
        lambda request: Unavailable("down") if "fact" in log_of(request) else answer("opinion_inquiry")
    )
    found = await judge.judge([said("fact", "q?", "d", 2)], Call())
    (one,) = found.judged
    assert (one.aligned, one.candidate) == (None, None)
    assert "down" in str(one.failure)
    assert found.failures == ("upstream_unavailable",)


def test_bleu_by_hand() -> None:
    # Unigrams 4 of 5 (the second "the" has no partner), bigrams 2 of 4, trigrams 1 of 3, none of 2.
    found = bleu([("the cat saw the bird", "the cat saw a bird")])
    assert found[:3] == pytest.approx((4 / 5, math.sqrt(4 / 5 * 2 / 4), (4 / 5 * 2 / 4 * 1 / 3) ** (1 / 3)))
    assert found[3] == 0


def test_short_candidates_pay_a_penalty() -> None:
    # Two words for four: e^(1 - 4/2).
    assert bleu([("one two", "one two three four")])[0] == pytest.approx(math.exp(-1))


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


def entries(*entries: dict[str, object]) -> str:
    return json.dumps({"replies": entries})


def entry(number: int, strategy: str, second: str | None = None) -> dict[str, object]:
    return {"reply": number, "reason": "it asks", "strategy": strategy, "second": second}


def test_labels_are_read_with_their_reasons() -> None:
    found, problem = read_labels(
        entries(entry(1, "opinion_inquiry", "offer_help"), entry(2, "no_strategy")), 2
    )
    assert problem is None
    assert found[1].strategies == (S.OPINION_INQUIRY, S.OFFER_HELP)
    assert found[1].reason == "it asks"
    assert found[2].strategies == (S.NO_STRATEGY,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I cannot say", "no JSON object"),
        (entries(entry(1, "small_talk")), 'reply 1: "strategy" is none of the labels'),
        (entries({**entry(1, "credibility"), "reason": " "}), 'reply 1: "reason"'),
        (entries(entry(2, "credibility")), "no entry for reply 1"),
        ('{"replies": [{"reply": 1, "reason": "x", "strat', "cut off or malformed"),
        ('{"replies": ' + "[" * 100_000, "no JSON object"),
    ],
)
def test_what_cannot_be_used_is_named(text: str, problem: str) -> None:
    assert problem in str(read_labels(text, 1)[1])
