"""Turns go round between callers, whatever each of them asks for at once."""

import asyncio
from collections.abc import Awaitable

from service.domain.caller import CALLER
from service.domain.completion import Call
from service.llm.limit import Limited, Places
from service.llm.turns import Turns
from tests.unit.llm.conftest import Scripted, ask


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def as_caller(who: str, work: Awaitable[object]) -> "asyncio.Task[object]":
    async def run() -> object:
        CALLER.set(who)
        return await work

    return asyncio.create_task(run())


async def test_one_call_of_another_is_not_behind_hundreds() -> None:
    order: list[str] = []
    turns = Turns(2)

    async def call(who: str) -> None:
        await turns.acquire()
        order.append(who)
        await asyncio.sleep(0)
        turns.release()

    many = [as_caller("many", call("many")) for _ in range(40)]
    await asyncio.sleep(0)
    few = [as_caller(f"few-{n}", call(f"few-{n}")) for n in range(3)]
    await asyncio.gather(*many, *few)
    assert max(order.index(f"few-{n}") for n in range(3)) < 10
    assert not turns.locked()


async def test_places_are_held_by_all_callers_alike() -> None:
    turns = Turns(6)
    held: list[tuple[str, asyncio.Event]] = []

    async def call(who: str) -> None:
        await turns.acquire()
        mine = (who, asyncio.Event())
        held.append(mine)
        await mine[1].wait()
        held.remove(mine)
        turns.release()

    tasks = [as_caller("a", call("a")) for _ in range(12)]
    await settle()
    tasks += [as_caller(who, call(who)) for who in "bc" for _ in range(12)]
    await settle()
    assert [who for who, _ in held] == ["a"] * 6
    for _, done in held[:6]:
        done.set()
        await settle()
    assert sorted(who for who, _ in held) == ["a", "a", "b", "b", "c", "c"]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_gives_up_takes_no_turn_along() -> None:
    turns = Turns(1)
    await turns.acquire()
    waiting = [as_caller("a", turns.acquire()) for _ in range(2)]
    await settle()
    waiting[0].cancel()
    await settle()
    turns.release()  # and the second is granted, then cancelled before it runs
    waiting[1].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert not turns.locked()


async def test_calls_upstream_go_in_turns() -> None:
    upstream, places = Scripted(pause=0.01), Places(2)
    limited = Limited(upstream, places)
    many = as_caller("many", limited.complete([ask(draw=n) for n in range(60)], Call()))
    await asyncio.sleep(0.015)
    one = as_caller("one", limited.complete([ask(draw=1000)], Call()))
    await asyncio.wait((many, one), return_when=asyncio.FIRST_COMPLETED)
    assert one.done()
    assert not many.done()
    await many
    assert places.stats()["in_flight"] == 0


async def test_a_caller_holds_no_more_than_each_may() -> None:
    turns = Turns(3, each=1)
    first, second = (as_caller("a", turns.acquire()) for _ in range(2))
    await settle()
    assert first.done()
    assert not second.done()
    other = as_caller("b", turns.acquire())
    await settle()
    assert other.done()

    async def release() -> None:
        turns.release()

    await as_caller("a", release())
    await settle()
    assert second.done()
