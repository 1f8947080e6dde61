import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from typing import Any

import pytest

from service.api.ndjson import split_lines
from service.api.routes.batch import ConcurrencyLimit
from service.api.streams import ServerSentEvent, _ending_in_problem
from service.errors import InvalidRequest
from service.usecases.parsing import checked, parse
from service.usecases.wire.agreement import AgreementRequest
from service.usecases.wire.alignment import AlignmentRequest
from service.usecases.wire.calibrate import CalibrateRequest
from service.usecases.wire.debate import DebateRequest
from service.usecases.wire.metrics import MetricsRequest
from service.usecases.wire.model import Incoming
from service.usecases.wire.rubric import Rubric
from service.usecases.wire.score import ScoreRequest
from service.usecases.wire.simulate import SimulateRequest


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


async def test_a_line_that_is_too_long_at_the_end_is_refused() -> None:
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


LISTS: dict[str, tuple[type[Incoming], Any, str]] = {
    "messages": (ScoreRequest, lambda wrong: {"log": {"messages": wrong}}, "/log/messages/{}"),
    "items": (ScoreRequest, lambda wrong: {"log": {"messages": [], "items": wrong}}, "/log/items/{}"),
    "history": (SimulateRequest, lambda wrong: {"log": {"messages": [], "history": wrong}}, "/log/history/{}"),
    "verdicts": (DebateRequest, lambda wrong: {"verdicts": wrong}, "/verdicts/{}"),
    "logs": (MetricsRequest, lambda wrong: {"logs": wrong}, "/logs/{}"),
    "verdicts of logs": (MetricsRequest, lambda wrong: {"logs": [], "verdicts": [[], wrong]}, "/verdicts/1/{}"),
    "lists": (
        MetricsRequest,
        lambda wrong: {"logs": [{"messages": [{"role": "user", "content": "x", "recommendations": wrong}]}]},
        "/logs/0/messages/0/recommendations/{}",
    ),
    "pairs": (AlignmentRequest, lambda wrong: {"method": "implicit", "pairs": wrong}, "/pairs/{}"),
    "ratings": (AgreementRequest, lambda wrong: {"ratings": wrong}, "/ratings/{}"),
    "columns": (CalibrateRequest, lambda wrong: {"columns": {"conversation": wrong}}, "/columns/conversation/{}"),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_each_list_names_its_first_wrong_entry(name: str) -> None:
    model, body, place = LISTS[name]
    with pytest.raises(InvalidRequest) as raised:
        parse(model, json.dumps(body([None] * 600)).encode(), 30)
    pointers = [fault.pointer for fault in raised.value.errors]
    assert [pointer for pointer in pointers if pointer.startswith(place.format(""))] == [place.format(0)]


@pytest.mark.parametrize(
    ("slug", "fix"), [("x", "send a string of the form ^custom(-[a-z]+)+$"), ("custom-tact", None)]
)
def test_a_pattern_is_reported_with_its_own_form(slug: str, fix: str | None) -> None:
    body = {"slug": slug}
    with pytest.raises(InvalidRequest) as caught:
        checked(Rubric, body)
    fixes = {error.pointer: error.fix for error in caught.value.errors}
    assert fixes.get("/slug") == fix
