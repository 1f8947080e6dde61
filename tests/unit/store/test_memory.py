import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from service.store.breaker import FAILURES_TO_OPEN, LONGEST_PAUSE, PAUSE, Breaker
from service.store.file import FileStore
from service.store.gathering import Gathering
from service.store.memory import ENTRY_OVERHEAD, MemoryStore
from service.store.protocol import Claim
from tests.factories import Clock, known
from tests.patience import PATIENCE
from tools.service_process import ROOT


async def test_the_least_recently_used_value_leaves_first() -> None:
    store = MemoryStore(3 * (ENTRY_OVERHEAD + 11))
    for key in "abc":
        await store.put(key, bytes(10))
    await store.get_many(["a"])
    await store.put("d", bytes(10))
    assert [value is not None for value in await store.get_many(["a", "b", "c", "d"])] == [
        True,
        False,
        True,
        True,
    ]
    assert store.stats()["evictions"] == 1


async def test_never_holds_more_bytes_than_it_may() -> None:
    store = MemoryStore(5_000)
    for number in range(200):
        await store.put(str(number % 50), bytes(number * 7 % 900))
        assert store.stats()["bytes"] <= 5_000
    kept = {str(key): (await store.get_many([str(key)]))[0] for key in range(50)}
    sizes = [len(key) + len(value) + ENTRY_OVERHEAD for key, value in kept.items() if value is not None]
    assert store.stats()["bytes"] == sum(sizes)


async def test_a_value_larger_than_the_store_pushes_nothing_out() -> None:
    store = MemoryStore(1_000)
    await store.put("small", b"1")
    await store.put("large", bytes(2_000))
    assert await store.get_many(["small", "large"]) == [b"1", None]


async def test_values_expire() -> None:
    clock = Clock()
    store = MemoryStore(10_000, ttl=5, clock=clock)
    await store.put("a", b"1")
    clock.now += 4.9
    assert await store.get_many(["a"]) == [b"1"]
    clock.now += 0.2
    assert await store.get_many(["a"]) == [None]
    assert store.stats()["bytes"] == 0


async def test_a_claim_gives_the_value_or_a_lease() -> None:
    store = MemoryStore(10_000)
    claim = await store.claim("a")
    assert claim.value is None
    await store.put("a", b"1")
    await store.release(known(claim.lease))
    assert await store.claim("a") == Claim(b"1")


async def test_a_counter_starts_anew_after_its_window() -> None:
    clock = Clock()
    store = MemoryStore(10_000, clock=clock)
    assert [await store.count("caller", 60) for _ in range(3)] == [1, 2, 3]
    assert await store.count("other", 60) == 1
    clock.now += 60
    assert await store.count("caller", 60) == 1


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock)
    for _ in range(FAILURES_TO_OPEN):
        assert breaker.allows()
        breaker.failed()
    return breaker


def test_opens_after_failures_in_a_row_only() -> None:
    breaker = Breaker(Clock())
    for _ in range(FAILURES_TO_OPEN - 1):
        assert not breaker.failed()
    breaker.succeeded()
    for _ in range(FAILURES_TO_OPEN - 1):
        assert not breaker.failed()
    assert breaker.closed
    assert breaker.failed()
    assert not breaker.closed


def test_an_outage_is_announced_once() -> None:
    breaker = Breaker(Clock())
    assert [breaker.failed() for _ in range(6)].count(True) == 1
    assert breaker.succeeded()
    assert not breaker.succeeded()


def test_open_it_lets_nobody_through_until_the_pause_is_over_then_one() -> None:
    clock = Clock()
    breaker = opened(clock)
    assert not breaker.allows()
    clock.now += PAUSE
    assert [breaker.allows(), breaker.allows()] == [True, False]
    breaker.abandoned()  # the next one may probe
    assert breaker.allows()
    assert breaker.succeeded()
    assert breaker.closed
    assert breaker.allows()


def test_a_probe_that_fails_doubles_the_pause_up_to_a_bound() -> None:
    clock = Clock()
    breaker = opened(clock)
    pause = PAUSE
    for _ in range(6):
        clock.now += pause - 0.01
        assert not breaker.allows()
        clock.now += 0.01
        assert breaker.allows()
        assert not breaker.failed()
        pause = min(pause * 2, LONGEST_PAUSE)
    assert pause == LONGEST_PAUSE


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
    tasks = [asyncio.create_task(gathering.get_many(["a"]))]
    await asyncio.sleep(0.01)
    tasks += [asyncio.create_task(gathering.get_many(keys)) for keys in (["b", "missing"], ["c"])]
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


async def test_the_end_leaves_nobody_waiting(slow: Slow, gathering: Gathering) -> None:
    slow.go_on.clear()
    first, waiting = (asyncio.create_task(gathering.get_many([key])) for key in "ab")
    await asyncio.sleep(0.01)
    await gathering.aclose()
    for one in (first, waiting):
        with pytest.raises(asyncio.CancelledError):
            await one


async def test_a_failed_look_up_leaves_nobody_waiting() -> None:
    async def broken(keys: Sequence[str]) -> list[bytes | None]:
        raise RuntimeError("a defect")

    gathering = Gathering(broken)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="a defect"):
            await asyncio.wait_for(gathering.get_many(["a"]), 5)


LARGE = 1 << 30


async def test_a_second_process_finds_what_the_first_put(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    first = FileStore(path, LARGE)
    values = {"a": b"plain", "b": 'schön\n"quoted"'.encode(), "c": bytes(range(256)), "d": b""}
    for key, value in values.items():
        await first.put(key, value)
    await first.put("a", b"newer")
    await first.aclose()
    second = FileStore(path, LARGE)
    assert await second.get_many([*values, "e"]) == [b"newer", *list(values.values())[1:], None]
    await second.aclose()


async def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    store = FileStore(path, LARGE)
    await store.put("a", b"1")
    await store.aclose()
    whole = path.read_bytes()
    path.write_bytes(whole + b'["b", "2')
    again = FileStore(path, LARGE)
    assert await again.get_many(["a", "b"]) == [b"1", None]
    await again.put("c", b"3")
    await again.aclose()
    assert path.read_bytes().startswith(whole)
    last = FileStore(path, LARGE)
    assert await last.get_many(["a", "c"]) == [b"1", b"3"]
    await last.aclose()


@pytest.mark.parametrize("text", ["Dear diary,\n", "Dear diary"])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes"
    path.write_text(text)
    with pytest.raises(ValueError, match="notes:1"):
        FileStore(path, LARGE)
    assert path.read_text() == text


def test_the_file_waits_for_who_has_it_and_keeps_what_a_killed_process_put(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    holder = (
        "import asyncio, pathlib, sys, time\n"
        "from service.store.file import FileStore\n"
        "store = FileStore(pathlib.Path(sys.argv[1]), 1 << 30)\n"
        "asyncio.run(store.put('a', b'1'))\n"
        "print('put', flush=True)\n"
        "time.sleep(600)\n"
    )

    def start_holder() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", holder, str(path)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)})

    process = start_holder()
    assert known(process.stdout).readline() == b"put\n"
    waiter = start_holder()
    time.sleep(1)
    assert path.read_bytes().count(b"\n") == 1, "two processes had the file"
    process.kill()
    process.wait(PATIENCE)
    assert known(waiter.stdout).readline() == b"put\n"
    assert path.read_bytes().count(b"\n") == 2
    waiter.kill()
    waiter.wait(PATIENCE)
    for one in (process, waiter):
        known(one.stdout).close()
