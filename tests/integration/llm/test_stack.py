"""The whole stack, with both SDKs' protocols, a real Redis and two replicas."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from service.domain.completion import Completion
from service.llm.failures import TimedOut, Unauthorised
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from service.store.protocol import POLL
from service.store.redis import LASTING, TIMEOUT, RedisStore
from tests.integration.llm.conftest import make_call, make_request
from tests.patience import PATIENCE, REDIS_TIMEOUT, until
from tests.provider.behaviours import Hang, Latency, Status
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


async def test_fifty_identical_requests_at_once_make_one_call_across_replicas(
    provider: ProviderServer, make_stack: MakeStack, redis_url: str
) -> None:
    provider.latency = Latency(0.3)
    replicas = [make_stack(redis_url), make_stack(redis_url)]
    calls = [replicas[number % 2].complete([make_request()], make_call()) for number in range(50)]
    answers = await asyncio.gather(*calls)
    assert len({answer.text for [answer] in answers if isinstance(answer, Completion)}) == 1
    assert provider.calls == 1


HOLDER = """
import asyncio, sys
from service.llm.cache import cache_key
from service.store.redis import RedisStore

async def main() -> None:
    store = RedisStore(sys.argv[1], timeout=float(sys.argv[3]))
    assert (await store.claim(sys.argv[2])).lease is not None
    print("holding", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_a_holder_that_is_killed_delays_the_others_by_less_than_a_second(
    provider: ProviderServer, make_stack: MakeStack, redis_url: str
) -> None:
    from service.llm.cache import cache_key

    # Longer than the service has it, lest a machine that stands still lets a lease lapse that is held.
    patient = 8 * TIMEOUT
    command = [sys.executable, "-c", HOLDER, redis_url, cache_key(make_request()), str(patient)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as holder:  # noqa: ASYNC220
        assert holder.stdout is not None
        assert await asyncio.to_thread(holder.stdout.readline) == b"holding\n"
        other = make_stack(redis_url, timeout=patient)
        waiting = asyncio.create_task(other.complete([make_request()], make_call()))
        await asyncio.sleep(patient * LASTING + 0.5)
        assert provider.calls == 0
        holder.kill()
        [answer] = await waiting
    assert isinstance(answer, Completion)
    assert TIMEOUT * LASTING + POLL < 1


async def test_a_holder_that_fails_lets_the_others_go_on_at_once(
    provider: ProviderServer, make_stack: MakeStack, redis_url: str
) -> None:
    # Leases that outlive the test: only one that is let go lets the others in.
    provider.latency = Latency(0.2)
    provider.behave(Status(401))
    first, second = (make_stack(redis_url, timeout=PATIENCE) for _ in range(2))
    failing = asyncio.create_task(first.complete([make_request()], make_call()))
    await until(lambda: provider.calls)
    [answer] = await second.complete([make_request()], make_call())
    assert isinstance((await failing)[0], Unauthorised)
    assert isinstance(answer, Completion)


async def test_a_replica_that_asks_too_long_is_not_waited_for_beyond_the_deadline(
    provider: ProviderServer, make_stack: MakeStack, redis_url: str
) -> None:
    provider.behave(Hang())
    first, second = make_stack(redis_url), make_stack(redis_url)
    stuck = asyncio.create_task(first.complete([make_request()], make_call()))
    await until(lambda: provider.in_flight)
    [answer] = await second.complete([make_request()], make_call(0.6))
    assert isinstance(answer, TimedOut)
    assert not stuck.done()
    assert provider.calls == 1
    stuck.cancel()
    await asyncio.gather(stuck, return_exceptions=True)


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
