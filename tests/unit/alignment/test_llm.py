"""Labels by a language model: what is asked, how answers are joined, what a failure does."""

import json
from collections.abc import Callable

from service.alignment.llm import MOST_REPLIES, LLMLabeller
from service.alignment.pair import pairs_of_logs
from service.alignment.strategies import STRATEGIES
from service.alignment.strategies import StrategyName as S
from service.domain.completion import Call, Completion, LLMRequest, Usage
from service.domain.conversation import ConversationLog, Message, Role
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


def answer(*strategies: str, second: str | None = None) -> str:
    entries = [
        {"reply": number, "reason": f"because {number}", "strategy": strategy, "second": second}
        for number, strategy in enumerate(strategies, 1)
    ]
    return json.dumps({"replies": entries})


def by_side(request: LLMRequest) -> str:
    """Candidates are facts, references are questions."""
    text = log_of(request)
    strategy = "credibility" if "fact" in text else "opinion_inquiry"
    return answer(*[strategy] * text.count("[reply "))


async def test_a_dialogue_is_one_call_for_each_side() -> None:
    judge, models = labeller(by_side)
    pairs = [said(f"fact {n}", f"question {n}?", "d", n) for n in (1, 2, 3)] + [said("fact", "fact", "e", 2)]
    found = await judge.judge(pairs, Call())
    assert (found.calls, len(models.asked)) == (4, 4)
    assert [one.aligned for one in found.judged] == [False, False, False, True]
    assert found.models == ("model-1",)
    assert found.usage.input_tokens == 40
    assert "because 1" in found.judged[0].rationale


async def test_the_prompt_names_all_strategies_and_numbers_replies_after_their_context() -> None:
    judge, models = labeller(by_side)
    log = ConversationLog(
        tuple(
            Message(Role.USER if index % 2 == 0 else Role.ASSISTANT, text)
            for index, text in enumerate(["hi", "fact one", "what else?", "fact two"])
        )
    )
    await judge.judge(pairs_of_logs(log, log), Call())
    request = models.asked[0]
    assert all(strategy.slug.value in request.messages[0].content for strategy in STRATEGIES)
    assert log_of(request).splitlines() == [
        "<log>",
        "[before] user: hi",
        "[reply 1] recommender: fact one",
        "[before] user: what else?",
        "[reply 2] recommender: fact two",
        "</log>",
    ]
    assert request.temperature == 0


async def test_a_second_label_makes_turns_share_one() -> None:
    judge, _ = labeller(
        lambda request: (
            answer("credibility", second="opinion_inquiry")
            if "fact" in log_of(request)
            else answer("opinion_inquiry")
        )
    )
    (one,) = (await judge.judge([said("fact", "q?")], Call())).judged
    assert (one.aligned, one.aligned_any) == (False, True)
    assert one.candidate is not None
    assert one.candidate.strategies == (S.CREDIBILITY, S.OPINION_INQUIRY)


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


async def test_a_side_that_fails_leaves_its_pairs_without_a_verdict() -> None:
    judge, _ = labeller(
        lambda request: Unavailable("down") if "fact" in log_of(request) else by_side(request)
    )
    found = await judge.judge([said("fact", "q?", "d", 2)], Call())
    (one,) = found.judged
    assert (one.aligned, one.candidate) == (None, None)
    assert "down" in str(one.failure)
    assert found.failures == ("upstream_unavailable",)


async def test_a_long_dialogue_takes_several_calls() -> None:
    judge, models = labeller(by_side)
    pairs = [said(f"fact {n}", "q?", "d", n) for n in range(1, MOST_REPLIES + 2)]
    found = await judge.judge(pairs, Call())
    assert len(models.asked) == 4
    assert all(one.aligned is False for one in found.judged)
