"""The simulators that ask a model, against a provider that speaks the real protocol over HTTP."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Item, Role
from service.domain.verdict import JudgeName
from service.llm.providers.openai import OpenAIAdapter
from service.settings import ProviderAccess, Settings
from service.simulators.asker import LLMAsker
from service.simulators.form import junk_in
from service.simulators.kinds.target import Target
from service.simulators.machine import Simulator
from service.simulators.recommender import Reply
from service.simulators.session import FINISHED, Ended, converse, finish
from tests.provider.behaviours import HTML, Answer, Behaviour, Body, CutJSON, Looping, Status, Truncated
from tests.provider.server import ProviderServer

MOTH = Item("Dr. Moth (1991)", "f3", {"genre": ("mystery", "comedy"), "mood": ("playful",)})
WANTS_MOTH = ConversationLog(messages=(), ground_truth=("Dr. Moth (1991)",), items=(MOTH,))


@pytest.fixture
async def asker(provider: ProviderServer) -> AsyncIterator[LLMAsker]:
    adapter = OpenAIAdapter(provider.openai_url, "local")
    yield LLMAsker(adapter, JudgeName("openai", "gpt-4o-mini"), provider.openai_url)
    await adapter.aclose()


class Shows:
    """A recommender that gives its replies in turn, the last one for good."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)

    async def reply(self, messages: object) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


async def _session(simulator: Simulator, crs: Shows, log: ConversationLog) -> Ended:
    return await finish(converse(simulator, crs, log, Call()))


def _says(**fields: Any) -> Answer:
    return Answer(json.dumps(fields))


def _user_lines(ended: Ended) -> list[str]:
    return [message.content for message in ended.log.messages if message.role is Role.USER]


OTHER = Reply("How about this one?", ("Paper Comets (2015)",))


@pytest.mark.parametrize(
    "bad",
    [
        Answer("Sure, I will play along!"), Truncated(), CutJSON(), Body(HTML), Looping(), Answer('{"words": "none"}'),
        _says(message="I want, I want, I want, I want, I want, I want a film"),
        _says(message="Recommender: What about this one?"), _says(message="{title} sounds nice"), _says(message="<|im_end|>"),
        _says(message=""), _says(message="I like it.\nRecommender: Great!\nUser: Bye."), _says(message="A [genre] film, please."),
        _says(message="How about this one?"), _says(message="..."), _says(message="haaaaaaaaaaaaaaaaaaaaaa"), _says(message="blue " * 2000),
    ],
)  # fmt: skip
async def test_a_message_that_no_user_would_send_ends_the_session_with_a_reason(
    provider: ProviderServer, asker: LLMAsker, bad: Behaviour
) -> None:
    first = "Something with a riddle, please."
    provider.behave(_says(message=first))
    provider.default = bad
    ended = await _session(Simulator(Target(asker)), Shows(OTHER), WANTS_MOTH)
    assert ended.reason == "simulator_failed"
    assert ended.detail
    assert _user_lines(ended) == [first]
    assert ended.usage.input_tokens > 0
    assert 2 <= provider.calls <= 4


async def test_what_a_message_cost_is_counted_though_its_repair_fails(
    provider: ProviderServer, asker: LLMAsker
) -> None:
    provider.behave(Answer("Sure!"))
    provider.default = Status(401)
    ended = await _session(Simulator(Target(asker)), Shows(OTHER), WANTS_MOTH)
    assert ended.reason == "simulator_failed"
    assert ended.usage.input_tokens > 0


async def test_such_a_message_is_repaired_once(provider: ProviderServer, asker: LLMAsker) -> None:
    provider.behave(_says(message="User: a film? {{title}}"), _says(message="Something with a riddle."))
    provider.default = _says(message="Not that one, thank you.")
    ended = await _session(Simulator(Target(asker)), Shows(OTHER), WANTS_MOTH)
    assert ended.reason in FINISHED
    assert _user_lines(ended)[0] == "Something with a riddle."


@pytest.mark.parametrize(
    "message",
    [
        "Hi!", "Yes", "No, no, no!", "Never, never, never again.", "Ich suche einen ruhigen Film.", "静かな映画はありますか。",
        "Less than $30 (or 25 €), 2-3 seats, 18:30?", "Room 10-12, 4 people, 5/7/2026 - ok?", "Haha, that's sooooo good",
        "Is it like \"The User\" or [REC]?", "A recommender told me: watch it.",
    ],
)  # fmt: skip
def test_what_people_write_is_no_junk(message: str) -> None:
    assert junk_in(message) is None


async def test_a_model_that_is_down_ends_the_session_with_its_reason(
    provider: ProviderServer, asker: LLMAsker
) -> None:
    provider.behave(_says(message="Something with a riddle."), Status(503, "overloaded"))
    ended = await _session(Simulator(Target(asker)), Shows(OTHER), WANTS_MOTH)
    assert ended.reason == "simulator_failed"
    assert "openai:gpt-4o-mini" in (ended.detail or "")
    assert len(ended.log.messages) == 2
    assert not ended.log.complete


WANTED = {"messages": [], "ground_truth": ["Dr. Moth (1991)"]}


def test_temperature_and_seed_of_a_simulator_are_the_models(
    provider: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "local")
    models = {
        "openai": ProviderAccess(base_url=provider.openai_url),
        "anthropic": ProviderAccess(base_url=provider.url),
    }
    settings = Settings(providers=models, judges=("openai:*", "anthropic:*"), workers=0)
    provider.default = _says(message="A riddle, please.")
    with TestClient(create_app(settings)) as client:

        def warned(judge: str, **how: float) -> list[str]:
            body = {"simulator": {"type": "target", **how, "judge": judge}, "log": WANTED}
            answer = client.post("/simulate", json=body)
            assert answer.status_code == 200, answer.text
            return [warning["code"] for warning in answer.json()["warnings"]]

        for how in ({}, {"temperature": 0.7}, {"temperature": 0.7}, {"seed": 7}):
            assert warned("openai:gpt-4o-mini", **how) == []
        sent = [(received.payload["temperature"], received.payload["seed"]) for received in provider.received]
        assert sent == [(0.0, 42), (0.7, 42), (0.0, 7)]
        assert warned("anthropic:claude-local", temperature=0.7) == ["temperature_not_taken"]
        assert "temperature" not in provider.received[-1].payload


def test_another_seed_is_another_draw_of_a_model_that_takes_none(
    provider: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "local")
    settings = Settings(
        providers={"anthropic": ProviderAccess(base_url=provider.url)}, judges=("anthropic:*",), workers=0
    )
    provider.default = _says(message="A riddle, please.")
    with TestClient(create_app(settings)) as client:
        simulators = [
            {"type": "target", **seed, "judge": "anthropic:claude-local"}
            for seed in ({}, {"seed": 0}, {"seed": 7}, {"seed": 7})
        ]
        answers = [client.post("/simulate", json={"simulator": one, "log": WANTED}) for one in simulators]
    assert provider.calls == 3
    assert not any("seed" in received.payload for received in provider.received)
    warned = [[warning["code"] for warning in answer.json()["warnings"]] for answer in answers]
    assert warned == [[], ["seed_not_taken"], ["seed_not_taken"], ["seed_not_taken"]]
