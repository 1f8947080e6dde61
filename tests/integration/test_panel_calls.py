"""The calls that a panel makes count as calls of its caller: members x samples x factors."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from service.app import build_registry, build_stack
from service.domain.caller import CALLER
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.verdict import JudgeName, Verdict
from service.factors import load_factors
from service.judges.inquiry import Case, Inquiry
from service.llm.stack import Stack
from service.scoring.score import Panel, score
from service.settings import Settings
from tests.patience import PATIENCE, until
from tests.provider.behaviours import Held
from tests.provider.server import ProviderServer

TALK = ConversationLog(
    (Message(Role.USER, "A film, please."), Message(Role.ASSISTANT, "Try Paper Lanterns."))
)
FACTORS = tuple(load_factors()[slug] for slug in ("coherence", "naturalness", "proactiveness"))
PANEL = Panel(tuple(JudgeName("local", model) for model in "abc"))


@pytest.fixture
async def stack(provider: ProviderServer) -> AsyncIterator[Stack]:
    stack = build_stack(Settings(upstreams={"local": provider.openai_url}, max_concurrency=4))
    yield stack
    await stack.aclose()


async def test_a_panels_calls_are_counted_before_they_go_out(provider: ProviderServer, stack: Stack) -> None:
    gate = threading.Event()
    provider.default = Held(gate)
    registry = build_registry(Settings(upstreams={"local": provider.openai_url}), stack)
    routes = {factor.slug: PANEL for factor in FACTORS}

    async def ask() -> list[Verdict]:
        CALLER.set("key")
        verdicts = score(Inquiry(Case(TALK), FACTORS, samples=2), routes, registry.judge, Call())
        return [verdict async for verdict in verdicts]

    task = asyncio.create_task(ask())
    await until(lambda: stack.calls_of("key") >= 3 * 2 * 3)
    assert stack.calls_of("key") == 18
    assert stack.calls_of("other") == 0
    gate.set()
    found = await asyncio.wait_for(task, PATIENCE)
    assert stack.calls_of("key") == 0
    assert provider.calls == 18
    assert provider.peak <= 4
    assert [len(verdict.panel) for verdict in found] == [3, 3, 3]
