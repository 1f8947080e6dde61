from dataclasses import replace

import pytest

from service.domain.completion import ChatMessage, Completion, LLMRequest, Usage
from service.llm.failures import (
    ContextTooLong,
    LoopingCompletion,
    ProviderError,
    TruncatedCompletion,
    Unavailable,
)
from service.llm.repair import LONGEST_SHOWN, repair_request

ASKED = LLMRequest("u", "http://x", "m", (ChatMessage("user", "judge"),), max_tokens=100)


def said(text: str) -> Completion:
    return Completion(text, "m", Usage())


def test_an_answer_that_was_cut_off_is_asked_for_in_another_way() -> None:
    asked = replace(ASKED, temperature=0.0, seed=3)
    again = repair_request(asked, TruncatedCompletion("cut"), lambda: "unused")
    assert again is not None
    assert (again.max_tokens, again.messages[0], len(again.messages)) == (100, asked.messages[0], 2)
    assert again.seed != asked.seed
    assert (again.temperature or 0) > 0


@pytest.mark.parametrize(
    "answer", [LoopingCompletion("loop"), ContextTooLong("full"), Unavailable("down"), said("fine")]
)
def test_what_nothing_mends_is_not_paid_for_twice(answer: ProviderError | Completion) -> None:
    assert repair_request(ASKED, answer, lambda: None) is None


def test_what_cannot_be_read_goes_back_with_the_wish() -> None:
    again = repair_request(ASKED, said("x" * 9000 + " 7 of 4"), lambda: "mend it")
    assert again is not None
    asked, answer, wish = again.messages
    assert asked == ASKED.messages[0]
    assert (answer.role, len(answer.content), answer.content[-6:]) == ("assistant", LONGEST_SHOWN, "7 of 4")
    assert wish == ChatMessage("user", "mend it")


def test_an_empty_answer_is_not_sent_back_empty() -> None:
    again = repair_request(ASKED, said("  "), lambda: "mend it")
    assert again is not None
    assert again.messages[1].content == "(nothing)"
