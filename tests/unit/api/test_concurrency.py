import asyncio

from service.api.concurrency import ConcurrencyLimit


async def test_what_does_not_fit_waits_until_something_leaves() -> None:
    room = ConcurrencyLimit(things=2, size=10)
    await room.enter(4)
    await room.enter(4)
    third = asyncio.ensure_future(room.enter(1))
    await asyncio.sleep(0)
    assert not third.done()
    room.leave(4)
    await third
    assert (room.things, room.bytes) == (2, 5)


async def test_bytes_are_bounded_and_a_giant_enters_alone() -> None:
    room = ConcurrencyLimit(things=9, size=10)
    await room.enter(6)
    giant = asyncio.ensure_future(room.enter(50))
    await asyncio.sleep(0)
    assert not giant.done()
    room.leave(6)
    await giant
    assert room.bytes == 50
    small = asyncio.ensure_future(room.enter(1))
    await asyncio.sleep(0)
    assert not small.done()
    room.leave(50)
    await small


async def test_empty_waits_for_the_last() -> None:
    room = ConcurrencyLimit(things=3, size=10)
    await room.empty()
    await room.enter(1)
    await room.enter(1)
    empty = asyncio.ensure_future(room.empty())
    room.leave(1)
    await asyncio.sleep(0)
    assert not empty.done()
    room.leave(1)
    await empty
