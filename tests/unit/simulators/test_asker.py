import re
from typing import Literal

import pytest
from pydantic import Field

from service.domain.completion import Call, ChatMessage, Completion, Usage
from service.domain.verdict import JudgeName
from service.errors import DeadlineExceeded, UpstreamFailed
from service.llm.failures import Answer, CacheMiss, Refused, TimedOut, Unavailable
from service.simulators.asker import SEED, LLMAsker, Unanswered
from service.simulators.form import Form, read
from tests.factories import Scripted, instance, known


class _Part(Form):
    number: int
    met: Literal["yes", "no"]


class _Whole(Form):
    message: str
    grade: int = Field(ge=1, le=5)
    parts: list[_Part]


GOOD = '{"message": " Hello ", "grade": 3, "parts": [{"number": 1, "met": "no"}], "more": 1}'
ASKED = [ChatMessage("user", "Speak.")]


def _said(text: str) -> Completion:
    return Completion(text, "model-1", Usage(input_tokens=7, output_tokens=1), lost=Usage(input_tokens=1))


def _asker(*answers: Answer) -> tuple[LLMAsker, Scripted]:
    provider = Scripted(answers)
    return LLMAsker(provider, JudgeName("openai", "gpt-4o-mini"), "http://local/v1"), provider


@pytest.mark.parametrize("text", [GOOD, f'{{"message": "draft"}} {GOOD}'])
def test_the_last_fitting_object_is_read(text: str) -> None:
    assert instance(_Whole, read(text, _Whole)).message == "Hello"
    assert instance(_Whole, read(text.replace(" Hello ", "a\\ud800b"), _Whole)).message == "a\ufffdb"


@pytest.mark.parametrize("text", ["Hello", '{"message": "x"}', GOOD.replace("3", "9"), '{"message": "x'])
def test_what_does_not_fit_is_an_error(text: str) -> None:
    found = instance(str, read(text, _Whole))
    assert re.search(r"no JSON object|cut off or malformed|\"\w+\": ", found)


async def test_the_draws_of_two_seeds_are_never_one() -> None:
    asked = []
    for seed in (None, 0, 1):
        provider = Scripted([_said(GOOD), _said(GOOD)])
        asker = LLMAsker(provider, JudgeName("openai", "gpt-4o-mini"), "http://local/v1", seed)
        for draw in (0, 1):
            await asker.ask(ASKED, _Whole, Call(), draw=draw)
        asked += [(request.seed, request.draw) for request in provider.asked]
    assert [seed for seed, _ in asked] == [SEED, SEED, 0, 0, 1, 1]
    assert len({draw for _, draw in asked}) == len(asked)


async def test_only_what_can_be_read_may_be_cached() -> None:
    asker, provider = _asker(_said(GOOD))
    await asker.ask(ASKED, _Whole, Call())
    accept = known(provider.calls[0].accept)
    assert accept(provider.asked[0], _said(GOOD))
    assert not accept(provider.asked[0], _said("no JSON"))


@pytest.mark.parametrize(
    ("answers", "code", "asked"),
    [([_said(""), _said("{}")], "unreadable", 2), ([Refused("no")], "refused", 1)],
)
async def test_no_answer_is_told_with_what_it_cost(answers: list[Answer], code: str, asked: int) -> None:
    asker, provider = _asker(*answers)
    answer = instance(Unanswered, await asker.ask(ASKED, _Whole, Call()))
    assert (answer.code, len(provider.asked)) == (code, asked)
    assert answer.usage.input_tokens == (16 if asked == 2 else 0)


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (Unavailable("down"), UpstreamFailed),
        (CacheMiss("unknown"), UpstreamFailed),
        (TimedOut("late"), DeadlineExceeded),
    ],
)
async def test_an_upstream_that_cannot_be_had_is_an_error(failure: Answer, error: type[Exception]) -> None:
    asker, _ = _asker(failure)
    with pytest.raises(error, match="openai:gpt-4o-mini"):
        await asker.ask(ASKED, _Whole, Call())
