from service.domain.completion import ChatMessage, Completion, LLMRequest, Usage
from service.llm.failures import TruncatedCompletion, Unavailable
from service.llm.mending import LONGEST, mending

ASKED = LLMRequest("u", "http://x", "m", (ChatMessage("user", "judge"),), max_tokens=100)


def said(text: str) -> Completion:
    return Completion(text, "m", Usage())


def test_what_was_cut_off_gets_twice_the_room() -> None:
    again = mending(ASKED, TruncatedCompletion("cut"), lambda: "unused")
    assert again is not None
    assert (again.max_tokens, again.messages) == (200, ASKED.messages)


def test_what_cannot_be_read_goes_back_with_the_wish() -> None:
    again = mending(ASKED, said("x" * 9000 + " 7 of 4"), lambda: "mend it")
    assert again is not None
    asked, answer, wish = again.messages
    assert asked == ASKED.messages[0]
    assert (answer.role, len(answer.content), answer.content[-6:]) == ("assistant", LONGEST, "7 of 4")
    assert wish == ChatMessage("user", "mend it")


def test_an_empty_answer_is_not_sent_back_empty() -> None:
    again = mending(ASKED, said("  "), lambda: "mend it")
    assert again is not None
    assert again.messages[1].content == "(nothing)"


def test_asking_again_is_no_use_where_nothing_is_wrong_or_nobody_is_there() -> None:
    assert mending(ASKED, said("fine"), lambda: None) is None
    assert mending(ASKED, Unavailable("down"), lambda: "unused") is None
