"""Turns to compute go by CPU time, not by requests or bytes."""

import asyncio

from service.domain.fair_queue import FairSemaphore, HeldTurn
from tests.factories import Clock


async def ask(queue: FairSemaphore, caller: str) -> "asyncio.Task[HeldTurn]":
    task = asyncio.create_task(queue.acquire(caller))
    await asyncio.sleep(0)
    return task


async def served(costs: dict[str, float], turns: int) -> str:
    """The callers that get a turn, one after the other, where each has ten requests and one turn computes at a time."""
    clock = Clock()
    queue = FairSemaphore(1, clock=clock)
    waiting = [await ask(queue, caller) for caller in costs for _ in range(10)]
    order = ""
    for _ in range(turns):
        await asyncio.sleep(0)
        task = next(one for one in waiting if one.done())
        waiting.remove(task)
        turn = task.result()
        order += turn.caller
        clock.now += costs[turn.caller]
        queue.release(turn, costs[turn.caller])
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return order


async def test_callers_share_cpu_time_and_not_requests() -> None:
    order = await served({"a": 4.0, "b": 1.0}, 10)
    assert order == "abbbbabbbb"


async def test_a_turn_that_took_long_and_little_cpu_gives_its_caller_no_second_one() -> None:
    clock = Clock()
    queue = FairSemaphore(1, clock=clock)
    first = await ask(queue, "many")
    line = [await ask(queue, "many") for _ in range(3)]
    clock.now += 4.0
    other = await ask(queue, "few")
    queue.release(await first, 1.0)  # the machine was busy with something else
    await asyncio.sleep(0)
    assert (other.done(), line[0].done()) == (True, False)
    for one in line:
        one.cancel()
    await asyncio.gather(*line, return_exceptions=True)


async def test_the_spare_place_is_for_a_caller_that_holds_none() -> None:
    queue = FairSemaphore(2, spare=1, patience=0.0)
    held = [await ask(queue, "many") for _ in range(3)]
    other = await ask(queue, "few")
    assert (await other).caller == "few"
    assert [one.done() for one in held] == [True, True, False]
    third = await ask(queue, "third")
    await asyncio.sleep(0.01)
    assert not third.done()
    queue.release(await other, 0.1)
    assert (await third).caller == "third"
    assert not held[2].done()
    held[2].cancel()
    await asyncio.gather(held[2], return_exceptions=True)


async def test_idle_time_is_no_credit_and_no_escape_from_what_was_used() -> None:
    queue = FairSemaphore(1)
    first = await ask(queue, "a")
    waiting = await ask(queue, "b")
    queue.release(await first, 10.0)
    turn = await waiting
    again, other = await ask(queue, "a"), await ask(queue, "c")
    queue.release(turn, 1.0)
    await asyncio.sleep(0)
    assert (again.done(), other.done()) == (False, True)
    queue.release(await other, 1.0)
    queue.release(await again, 1.0)


async def test_a_request_that_leaves_the_queue_takes_no_turn() -> None:
    queue = FairSemaphore(1)
    first, second, third = [await ask(queue, name) for name in "abc"]
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    queue.release(await first, 0.0)
    assert (await third).caller == "c"
    leaving = await ask(queue, "d")
    queue.release(third.result(), 0.0)
    leaving.cancel()  # granted, and not noticed yet
    await asyncio.gather(leaving, return_exceptions=True)
    assert (await queue.acquire("e")).caller == "e"
