"""The books that replicas share are never over the budget, and a complaint to one replica slows all."""

import asyncio
import math
from collections.abc import AsyncIterator

import pytest

from service.domain.completion import Call, Completion, Usage
from service.llm.failures import RateLimited
from service.llm.limits import Budgeted, Places
from service.store.ledger import Budget
from service.store.redis import RedisStore
from tests.patience import PATIENCE, REDIS_TIMEOUT
from tests.redis_server import RedisServer
from tests.unit.llm.conftest import Scripted, ask, within


@pytest.fixture
async def replicas(redis_url: str) -> AsyncIterator[list[RedisStore]]:
    """The stores of what Redis takes for two processes."""
    stores = [RedisStore(redis_url, ttl=60, timeout=REDIS_TIMEOUT) for _ in range(2)]
    yield stores
    for store in stores:
        await store.aclose()


async def test_two_replicas_together_never_exceed_the_budget(replicas: list[RedisStore]) -> None:
    window, most = 1.5, 7
    began = asyncio.get_running_loop().time()
    left: list[float] = []

    def note(_: object) -> Completion:
        left.append(asyncio.get_running_loop().time() - began)
        return Completion("yes", "m", Usage(1, 1))

    budgets = {"local": Budget(calls=most, window=window)}
    both = [Budgeted(Scripted(note), Places(50), budgets, store) for store in replicas]
    answers = await asyncio.gather(
        *(one.complete([ask(draw=number) for number in range(12)], Call()) for one in both)
    )
    assert all(isinstance(answer, Completion) for some in answers for answer in some)
    # However late a call leaves, it was granted before: so many grants fit into the windows until then.
    for number, at in enumerate(sorted(left), start=1):
        assert number <= most * (math.floor(at / window) + 1)
    assert len(left) == 24


async def test_a_complaint_to_one_replica_holds_and_slows_the_other(replicas: list[RedisStore]) -> None:
    budgets = {"local": Budget(calls=48, window=4.0)}
    complaining = Budgeted(
        Scripted([RateLimited("slow down", retry_after=1.0)]), Places(50), budgets, replicas[0]
    )
    upstream = Scripted()
    other = Budgeted(upstream, Places(50), budgets, replicas[1])
    began = asyncio.get_running_loop().time()
    await complaining.complete([ask()], Call())
    [answer] = await other.complete([ask()], within(PATIENCE))
    assert isinstance(answer, Completion)
    assert asyncio.get_running_loop().time() - began >= 1.0
    await other.complete([ask(draw=number) for number in range(39)], within(PATIENCE))
    # At the full pace all forty-one would have fitted into one window; at half of it and a little more only
    # when it has come back to 41/48, which takes .35 of eight seconds.
    assert asyncio.get_running_loop().time() - began > 2.5


async def test_nothing_stays_in_redis_for_ever(redis_url: str, redis_server: RedisServer) -> None:
    store = RedisStore(redis_url, timeout=REDIS_TIMEOUT)
    one = Budgeted(Scripted(), Places(4), {"local": Budget(calls=60)}, store)
    await one.complete([ask()], within(PATIENCE))
    assert 0 < int(redis_server.ask("PTTL", "crs-eval:ledger:local").removeprefix(":")) <= 600_000
    await store.aclose()
