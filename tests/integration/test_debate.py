"""Debates over the real stack and both SDKs, against the local provider."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise

import pytest

from service.debate.embedded import EmbeddedDebater
from service.debate.llm import LLMDebater
from service.debate.prompt import DebatePrompts
from service.debate.roles import DebateRole, default_roles, load_roles
from service.debate.rounds import Terms, settle
from service.debate.statement import Debate, Matter, Seat, SpeechFailed, Statement
from service.domain.completion import Call
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName
from service.factors import load_factors
from service.judges.inquiry import Case
from service.llm.capability import CHAT
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from tests.patience import PATIENCE
from tests.provider.behaviours import Answer, Behaviour, Declined, Latency, Payload
from tests.provider.server import ProviderServer
from tests.unit.debate.scripted import log, verdict

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


async def test_all_models_of_a_round_are_asked_at_once(provider: ProviderServer, stack: Stack) -> None:
    provider.default, provider.latency = (lambda payload: says(10 * rounds_heard(payload))), Latency(0.1)
    await debate(stack)
    assert provider.peak == 3


async def test_a_model_that_declines_one_round_is_back_in_the_next(
    provider: ProviderServer, stack: Stack
) -> None:
    def choose(payload: Payload) -> Behaviour:
        declines = payload["model"] == "small" and rounds_heard(payload) == 2
        return Declined(text="") if declines else by_model(payload)

    provider.default = choose
    held = await debate(stack)
    small = [next(s for s in r.speeches if s.role == ROLES[2].slug) for r in held.rounds]
    assert [isinstance(s, SpeechFailed) for s in small] == [False, True, False, False]
    assert isinstance(small[1], SpeechFailed)
    assert small[1].code == "refused"
    assert held.roles_counted == 4


async def test_prompts_reach_the_wire_growing_at_their_end_only(
    provider: ProviderServer, stack: Stack
) -> None:
    provider.default = by_model
    await debate(stack)
    for _, model in MODELS:
        sent = [r.payload for r in provider.received if r.payload["model"] == model]
        talks = [[(m["role"], _text(m["content"])) for m in payload["messages"]] for payload in sent]
        assert len(talks) == 4
        assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(talks))
        roles = [role for role, _ in talks[-1] if role != "system"]
        assert roles == ["user", "assistant"] * 3 + ["user"]
    claude = [r.payload for r in provider.received if r.anthropic][-1]
    assert "cache_control" in claude["messages"][-1]["content"][0]


def _text(content: object) -> object:
    return content if isinstance(content, str) else [block["text"] for block in content]  # type: ignore[attr-defined]


async def test_a_score_off_the_scale_is_mended_once(provider: ProviderServer, stack: Stack) -> None:
    def choose(payload: Payload) -> Behaviour:
        again = "could not be used" in json.dumps(payload["messages"][-1])
        return says(50) if again else says(500)

    provider.default = choose
    held = await debate(stack, ROLES[:3])
    assert (held.overall, held.converged, len(held.rounds)) == (50, True, 1)
    assert provider.calls == 6
