"""Debates over the real stack and both SDKs, against the local provider."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

import pytest

from service.debate.embedded import EmbeddedDebater
from service.debate.llm import LLMDebater
from service.debate.prompt import DebatePrompts
from service.debate.roles import DebateRole, default_roles, load_roles
from service.debate.rounds import Terms
from service.debate.statement import Debate, Matter, Seat, Statement
from service.domain.completion import Call
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName
from service.factors import load_factors
from service.judges.inquiry import Case
from service.llm.capability import CHAT
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from tests.patience import PATIENCE
from tests.provider.behaviours import Answer, Behaviour, Payload
from tests.provider.server import ProviderServer
from tests.unit.debate.scripted import log, settle, verdict

FACTORS = load_factors()
ROLES = default_roles(load_roles(FACTORS))
MESSAGES = "messages"
MODELS = [("openai", "gpt-4o-mini"), ("anthropic", "claude-judge-9"), ("local", "small")]


@pytest.fixture
async def stack(provider: ProviderServer) -> AsyncIterator[Stack]:
    upstreams = {
        "openai": Upstream(provider.openai_url, CHAT, "key"),
        "anthropic": Upstream(provider.url, MESSAGES, "key"),
        "local": Upstream(provider.openai_url),
    }
    made = Stack(upstreams, MemoryStore(10_000_000))
    yield made
    await made.aclose()


def rounds_heard(payload: Payload) -> int:
    """Return which round a request belongs to: each earlier one has left an answer of the role's own."""
    return 1 + len([message for message in payload["messages"] if message["role"] == "assistant"])


def says(score: int) -> Answer:
    return Answer(json.dumps({"statement": f"I say {score}.", "score": score}))


def by_model(payload: Payload) -> Behaviour:
    start = {"gpt-4o-mini": 60, "claude-judge-9": 10, "small": 30}[payload["model"]]
    return says(start + 5 * rounds_heard(payload))


def models(stack: Stack, roles: Sequence[DebateRole]) -> list[Seat]:
    prompts = DebatePrompts(150)
    seats = [
        Seat(
            role,
            LLMDebater(stack, JudgeName(name, model), stack.upstreams[name].base_url, prompts),
        )
        for role, (name, model) in zip(roles, MODELS, strict=False)
    ]
    return [*seats, *(Seat(role, EmbeddedDebater()) for role in roles[len(seats) :])]


async def debate(stack: Stack, roles: Sequence[DebateRole] = ROLES) -> Debate:
    verdicts = [verdict(factor.slug, 2) for factor in FACTORS.of(Protocol.CORE)]
    call = Call(asyncio.get_running_loop().time() + PATIENCE)
    return await settle(Matter.of(Case(log()), verdicts, FACTORS), models(stack, roles), Terms(), call)


async def test_four_different_judges_debate_over_both_protocols(
    provider: ProviderServer, stack: Stack
) -> None:
    provider.default = by_model
    held = await debate(stack)
    assert len(held.rounds) == 4
    for slug, start in zip([role.slug for role in ROLES], (60, 10, 30), strict=False):
        assert [r.scores[slug] for r in held.rounds] == [start + 5 * n for n in (1, 2, 3, 4)]
    assert {str(s.judge) for s in held.rounds[0].speeches} == {
        "openai:gpt-4o-mini", "anthropic:claude-judge-9", "local:small", "builtin",
    }  # fmt: skip
    assert held.usage.input_tokens > 0


async def test_the_same_debate_again_costs_nothing(provider: ProviderServer, stack: Stack) -> None:
    provider.default = lambda payload: says(10 * rounds_heard(payload))
    first = await debate(stack)
    asked = provider.calls
    again = await debate(stack)
    assert provider.calls == asked
    assert again.overall == first.overall
    assert again.usage.input_tokens == 0
    assert again.usage.saved_tokens == first.usage.input_tokens + first.usage.output_tokens
    said = [s for r in again.rounds for s in r.speeches if isinstance(s, Statement) and s.judge.model]
    assert all(s.cached for s in said)
