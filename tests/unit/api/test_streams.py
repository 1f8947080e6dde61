import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable

import pytest

from service.api.concurrency import ConcurrencyLimit
from service.api.ndjson import split_lines
from service.api.streams import ServerSentEvent, _ending_in_problem


async def test_who_leaves_a_stream_ends_the_work_behind_it_at_once() -> None:
    ended = []

    async def work() -> AsyncGenerator[ServerSentEvent, None]:
        try:
            yield ServerSentEvent("first", {})
            yield ServerSentEvent("second", {})
        finally:
            ended.append(True)

    events = _ending_in_problem(work(), "r1")
    assert (await anext(events)).name == "first"
    await events.aclose()
    assert ended


async def split(chunks: Iterable[bytes], limit: int = 10) -> list[bytes | None]:
    async def feed() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return [line async for line in split_lines(feed(), limit)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
async def test_lines_come_out_the_same_however_they_are_cut(size: int) -> None:
    text = b"first\n\nexactly 10\neleven long\nlast"
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    assert await split(chunks) == [b"first", b"", b"exactly 10", None, b"last"]


async def test_a_line_that_is_too_long_at_the_end_is_told() -> None:
    assert await split([b"ok\n", b"x" * 8, b"x" * 8]) == [b"ok", None]


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
