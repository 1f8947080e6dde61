import asyncio

from service.domain.completion import Call, Completion
from service.llm.failures import TimedOut
from service.llm.limit import Limited, Places
from tests.patience import PATIENCE
from tests.unit.llm.conftest import Scripted, ask, within


async def test_never_more_at_once_than_there_are_places() -> None:
    upstream, places = Scripted(pause=0.005), Places(3)
    answers = await Limited(upstream, places).complete([ask(draw=number) for number in range(20)], Call())
    assert all(isinstance(answer, Completion) for answer in answers)
    assert upstream.peak == 3
    assert places.stats() == {"in_flight": 0, "most_in_flight": 3, "queued": 0}


async def test_places_are_shared_by_all_who_hold_the_same() -> None:
    upstream, places = Scripted(pause=0.005), Places(2)
    both = [Limited(upstream, places), Limited(upstream, places)]
    await asyncio.gather(*(one.complete([ask(draw=n) for n in range(5)], Call()) for one in both))
    assert upstream.peak == 2


async def test_who_waits_too_long_for_a_place_is_told() -> None:
    upstream, places = Scripted(pause=0.3), Places(1)
    limited = Limited(upstream, places)
    answers = await limited.complete([ask(draw=number) for number in range(2)], within(0.05))
    assert isinstance(answers[1], TimedOut)
    assert len(upstream.asked) == 1


async def test_a_caller_that_leaves_gives_its_place_back() -> None:
    upstream, places = Scripted(pause=5), Places(1)
    task = asyncio.create_task(Limited(upstream, places).complete([ask()], Call()))
    waiting = asyncio.create_task(Limited(upstream, places).complete([ask(draw=1)], Call()))
    await asyncio.sleep(0.01)
    waiting.cancel()
    task.cancel()
    await asyncio.gather(task, waiting, return_exceptions=True)
    assert places.stats()["in_flight"] == 0
    upstream.pause = 0
    [answer] = await Limited(upstream, places).complete([ask()], within(PATIENCE))
    assert isinstance(answer, Completion)
