"""One timer for many deadlines."""

import asyncio

import pytest

from service.api.middleware.admission import Deadline, Expired
from tests.patience import PATIENCE


async def test_what_is_done_in_time_is_had_and_its_errors_come_through() -> None:
    async def fails() -> None:
        raise TimeoutError

    deadline = Deadline(60)
    assert await deadline.within(asyncio.sleep(0, "done")) == "done"
    with pytest.raises(TimeoutError):
        await deadline.within(fails())


async def test_each_of_many_is_cut_off_when_it_is_due() -> None:
    deadline = Deadline(0.1)
    loop = asyncio.get_running_loop()

    async def hang(after: float) -> float:
        await asyncio.sleep(after)
        began = loop.time()
        with pytest.raises(Expired):
            await deadline.within(asyncio.sleep(60))
        return loop.time() - began

    took = await asyncio.wait_for(asyncio.gather(*(hang(n / 50) for n in range(5))), PATIENCE)
    assert min(took) >= 0.099


async def test_it_works_again_after_a_pause_and_leaves_cancelling_alone() -> None:
    deadline = Deadline(0.05)
    for _ in range(2):
        with pytest.raises(Expired):
            await asyncio.wait_for(deadline.within(asyncio.sleep(60)), PATIENCE)
        await asyncio.sleep(0.06)
    task = asyncio.ensure_future(deadline.within(asyncio.sleep(60)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_another_event_loop_finds_a_timer_of_its_own() -> None:
    deadline = Deadline(0.05)

    async def hang() -> None:
        with pytest.raises(Expired):
            await asyncio.wait_for(deadline.within(asyncio.sleep(60)), PATIENCE)

    async def brief() -> None:
        await deadline.within(asyncio.sleep(0))

    asyncio.run(brief())
    asyncio.run(hang())
