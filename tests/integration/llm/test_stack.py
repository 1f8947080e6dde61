"""The whole stack, with both SDKs' protocols, a real Redis and two replicas."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from service.domain.completion import Completion
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from service.store.redis import RedisStore
from tests.integration.llm.conftest import make_call, make_request
from tests.patience import REDIS_TIMEOUT, until
from tests.provider.behaviours import Hang, Latency
from tests.provider.server import ProviderServer

MakeStack = Callable[..., Stack]


@pytest.fixture
async def make_stack(provider: ProviderServer) -> AsyncIterator[MakeStack]:
    """Replicas: each with its own sockets, and its own connection to Redis where it has a URL. Redis gets time
    enough for an answer on a busy machine, unless the test says how much."""
    made: list[Stack] = []

    def make(redis_url: str | None = None, cap: int = 100, timeout: float = REDIS_TIMEOUT) -> Stack:
        store = RedisStore(redis_url, ttl=600, timeout=timeout) if redis_url else MemoryStore(10_000_000)
        upstreams = {
            "local": Upstream(provider.openai_url),
            "other": Upstream(provider.url, "messages", "key"),
        }
        made.append(Stack(upstreams, store, cap))
        return made[-1]

    yield make
    for stack in made:
        await stack.aclose()
        await stack.store.aclose()
    assert provider.wait_closed()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "llm call"]


async def test_fifty_identical_requests_at_once_make_one_call(
    provider: ProviderServer, make_stack: MakeStack, redis_url: str
) -> None:
    provider.latency = Latency(0.3)
    stack = make_stack(redis_url)
    calls = [stack.complete([make_request()], make_call()) for _ in range(50)]
    answers = await asyncio.gather(*calls)
    assert len({answer.text for [answer] in answers if isinstance(answer, Completion)}) == 1
    assert provider.calls == 1


async def test_hits_pass_no_limiter(provider: ProviderServer, make_stack: MakeStack) -> None:
    stack = make_stack(cap=1)
    await stack.complete([make_request()], make_call())
    provider.behave(Hang())
    stuck = asyncio.create_task(stack.complete([make_request("stuck")], make_call(None)))
    await until(lambda: provider.in_flight)
    [hit] = await stack.complete([make_request()], make_call())
    assert isinstance(hit, Completion)
    assert hit.cached
    assert not stuck.done()
    stuck.cancel()
    await asyncio.gather(stuck, return_exceptions=True)


async def test_closing_cancels_and_frees_what_is_in_flight(
    provider: ProviderServer, make_stack: MakeStack, redis_url: str
) -> None:
    stack = make_stack(redis_url)
    provider.behave(Hang())
    task = asyncio.create_task(stack.complete([make_request()], make_call(None)))
    await until(lambda: provider.in_flight)
    await stack.aclose()
    await asyncio.gather(task, return_exceptions=True)
    assert provider.wait_idle()
    assert provider.wait_closed()
