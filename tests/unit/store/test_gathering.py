import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from service.store.gathering import MOST_KEYS, Gathering


class Slow:
    """Answers each key with itself, a moment later, and remembers what was asked together."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def read(self, keys: Sequence[str]) -> list[bytes | None]:
        self.asked.append(list(keys))
        await self.go_on.wait()
        return [None if key == "missing" else key.encode() for key in keys]


@pytest.fixture
async def slow() -> Slow:
    return Slow()


@pytest.fixture
async def gathering(slow: Slow) -> AsyncIterator[Gathering]:
    made = Gathering(slow.read)
    yield made
    await made.aclose()


async def test_look_ups_while_another_is_under_way_are_one(slow: Slow, gathering: Gathering) -> None:
    slow.go_on.clear()
    wanted = [["a"], ["b", "missing"], ["c"]]
    tasks = [asyncio.create_task(gathering.get_many(keys)) for keys in wanted]
    await asyncio.sleep(0.01)
    slow.go_on.set()
    assert await asyncio.gather(*tasks) == [[b"a"], [b"b", None], [b"c"]]
    assert slow.asked == [["a"], ["b", "missing", "c"]]


@pytest.mark.parametrize("who", [0, 1])
async def test_one_who_leaves_takes_nobody_along(slow: Slow, gathering: Gathering, who: int) -> None:
    slow.go_on.clear()
    tasks = [asyncio.create_task(gathering.get_many([key])) for key in "abc"]
    await asyncio.sleep(0.01)
    tasks[who].cancel()
    await asyncio.sleep(0.01)
    slow.go_on.set()
    assert await tasks[2] == [b"c"]
    assert await tasks[1 - who] == [b"ab"[1 - who : 2 - who]]
    with pytest.raises(asyncio.CancelledError):
        await tasks[who]


async def test_a_look_up_has_a_bound(slow: Slow, gathering: Gathering) -> None:
    keys = [str(number) for number in range(MOST_KEYS - 1)]
    await asyncio.gather(*(gathering.get_many(keys) for _ in range(3)))
    assert [len(asked) for asked in slow.asked] == [MOST_KEYS - 1] * 3


async def test_the_end_leaves_nobody_waiting(slow: Slow, gathering: Gathering) -> None:
    slow.go_on.clear()
    first, waiting = (asyncio.create_task(gathering.get_many([key])) for key in "ab")
    await asyncio.sleep(0.01)
    await gathering.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    slow.go_on.set()
    assert await first == [b"a"]
