"""The debater that asks a model: requests, answers, repairs, failures, parameters it does not take."""

import itertools

import pytest

from service.debates.llm import LLMDebater, read
from service.debates.prompt import DebatePrompts
from service.debates.rounds import Terms
from service.debates.statement import Participant, SpeakerContext, Speech, SpeechFailed, Statement
from service.domain.completion import Call, Completion, LLMRequest, Usage
from service.domain.verdict import JudgeName
from service.llm.failures import Answer, RateLimited, Refused
from tests.factories import Scripted, instance, known
from tests.unit.debates.scripted import ROLES, finish, subject_of

GOOD = '{"statement": "It listens.", "score": 64}'


def recorded(*answers: str | Answer) -> Scripted:
    """A provider that gives these answers in order, the last one for ever."""
    left = list(answers)

    def script(_: LLMRequest) -> Answer:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, str):
            return Completion(answer, "fast-2031-01-01", Usage(100, 20, 60), lost=Usage(7))
        return answer

    return Scripted(script)


def debater(provider: Scripted, model: str = "gpt-4o-mini", tokens: int = 200) -> LLMDebater:
    return LLMDebater(provider, JudgeName("openai", model), "http://127.0.0.1/v1", DebatePrompts(tokens))


async def speak(provider: Scripted) -> Speech:
    return await debater(provider).speak(SpeakerContext(ROLES[0], ROLES, subject_of()), Call())


async def test_an_answer_becomes_a_statement() -> None:
    speech = await speak(recorded(GOOD))
    assert speech == Statement(
        role=ROLES[0].slug,
        judge=JudgeName("openai", "gpt-4o-mini"),
        score=64,
        statement="It listens.",
        model="fast-2031-01-01",
        usage=Usage(107, 20, 60),
    )
    assert str(speech.spoke) == "openai:fast-2031-01-01"


async def test_an_unusable_answer_is_asked_again_once() -> None:
    provider = recorded("Seventy or so.", GOOD)
    speech = instance(Statement, await speak(provider))
    assert speech.score == 64
    assert speech.usage == Usage(214, 40, 120)
    first, second = provider.asked
    assert second.messages[:3] == first.messages
    assert [m.role for m in second.messages[3:]] == ["assistant", "user"]
    assert second.messages[3].content == "Seventy or so."
    assert "no JSON object" in second.messages[4].content


async def test_a_failing_provider_is_a_failure_with_its_code() -> None:
    speech = instance(SpeechFailed, await speak(recorded(Refused("It declined.", usage=Usage(50, 1)))))
    assert (speech.code, speech.detail, speech.usage) == ("refused", "It declined.", Usage(50, 1))
    later = instance(SpeechFailed, await speak(recorded("Hm.", RateLimited("Too many.", usage=Usage(5)))))
    assert later.code == RateLimited.code
    assert later.usage == Usage(112, 20, 60)


async def test_only_answers_that_can_be_read_are_worth_keeping() -> None:
    provider = recorded(GOOD)
    await speak(provider)
    accept = known(provider.calls[0].accept)
    assert accept(provider.asked[0], Completion(GOOD, "m", Usage()))
    assert not accept(provider.asked[0], Completion("Hm.", "m", Usage()))


async def test_a_debate_of_models_asks_each_role_with_what_it_asked_before() -> None:
    providers = [recorded(f'{{"statement": "I am {i}.", "score": {i * 10}}}') for i in range(4)]
    participants = [
        Participant(role, debater(provider)) for role, provider in zip(ROLES, providers, strict=True)
    ]
    debate = await finish(subject_of(), participants, Terms(), Call())
    assert debate.overall == 15
    assert debate.usage == Usage(16 * 107, 16 * 20, 16 * 60)
    assert len({provider.asked[0].messages[:2] for provider in providers}) == 1, "all share log and ratings"
    for provider in providers:
        texts = [[m.content for m in request.messages] for request in provider.asked]
        assert [len(t) for t in texts] == [3, 5, 7, 9]
        assert all(later[: len(earlier)] == earlier for earlier, later in itertools.pairwise(texts))


def test_the_revision_follows_texts_and_length() -> None:
    one = debater(recorded(GOOD)).revision
    assert one == debater(recorded(GOOD), "other").revision
    assert one != debater(recorded(GOOD), tokens=100).revision
    assert len(one) == 12


READABLE = {
    "plain": '{"statement": "Fine.", "score": 70}',
    "other keys": '{"evaluator": "me", "statement": " Fine. ", "score": 70, "more": {"score": 3}}',
    "a number as text": '{"statement": "Fine.", "score": " 70 "}',
    "a whole float": '{"statement": "Fine.", "score": 70.0}',
    "a draft before": '{"statement": "Bad.", "score": 10} No: {"statement": "Fine.", "score": 70}',
}


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE.keys())
def test_a_usable_answer_is_read(text: str) -> None:
    assert read(text) == ("Fine.", 70)


def test_a_score_quoted_inside_the_statement_is_not_the_score() -> None:
    text = '{"statement": "The log says {\\"statement\\": \\"x\\", \\"score\\": 100}.", "score": 20}'
    assert read(text)[1] == 20


def test_half_a_surrogate_pair_does_not_get_through() -> None:
    str(read('{"statement": "odd \\ud800", "score": 20}')[0]).encode("utf-8")


UNREADABLE = {
    "prose": ("I give 70.", "no JSON object"),
    "cut off": ('{"statement": "Fine.", "score": 7', "cut off or malformed"),
    "no statement": ('{"score": 70}', "statement"),
    "an empty statement": ('{"statement": "  ", "score": 70}', "statement"),
    "no score": ('{"statement": "Fine."}', "score"),
    "null": ('{"statement": "Fine.", "score": null}', "whole number"),
    "true": ('{"statement": "Fine.", "score": true}', "whole number"),
    "a fraction": ('{"statement": "Fine.", "score": 70.5}', "whole number"),
    "too high": ('{"statement": "Fine.", "score": 101}', "whole number"),
    "infinite": ('{"statement": "Fine.", "score": 1e999}', "whole number"),
    "a bad last word": (
        '{"statement": "Fine.", "score": 70} {"statement": "Fine.", "score": "high"}',
        "whole number",
    ),
}


@pytest.mark.parametrize(("text", "says"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_unusable_answer_says_why(text: str, says: str) -> None:
    assert says in str(read(text))
