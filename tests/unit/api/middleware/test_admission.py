"""Requests that are refused, and the moment of refusal."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from service.api.middleware import admission
from service.api.middleware.admission import BATCHES, Admission, FairShares
from service.api.middleware.telemetry import Problems
from service.api.streams import EventStream, ServerSentEvent
from service.domain.caller import CALLER
from service.errors import CrsEvalError
from tests.factories import known, let_tasks_run
from tests.patience import PATIENCE

MAX_BODY = 1000


class Route:
    """Reads the body, then waits until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.error: CrsEvalError | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            while (await receive()).get("more_body"):
                pass
        except CrsEvalError as error:
            self.error = error
            await send({"type": "http.response.start", "status": error.status, "headers": []})
            return
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


def admit(route: Route) -> tuple[Admission, Counter[str]]:
    counts: Counter[str] = Counter()
    return Admission(route, requests=2, max_body=MAX_BODY, seconds=60, counts=counts), counts


def request(
    access: Admission,
    *,
    path: str = "/score",
    receive: Callable[[], Awaitable[Message]] | None = None,
    **state: int,
) -> tuple["asyncio.Future[None]", list[Message]]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        scope["state"]["status"] = message.get("status", 200)
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "path": path,
        "headers": [],
        "state": {"request_id": "x", "status": 0, **state},
    }
    return asyncio.ensure_future(Problems(access)(scope, receive or body(b"{}"), send)), sent


def body(data: bytes) -> Callable[[], Awaitable[Message]]:
    async def receive() -> Message:
        return {"type": "http.request", "body": data, "more_body": False}

    return receive


async def test_more_than_fit_are_sent_away_at_once_and_come_in_later() -> None:
    route = Route()
    access, counts = admit(route)
    inside = [request(access) for _ in range(2)]
    await let_tasks_run()
    refused, sent = request(access)
    await refused
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"2") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["retryable"] is True
    assert counts["shed"] == 1
    for path in ("/healthz", "/metrics"):
        probe, answer = request(access, path=path)
        route.go.set()
        await probe
        assert answer[0]["status"] == 200
    await asyncio.gather(*(task for task, _ in inside))
    again, sent = request(access)
    await again
    assert sent[0]["status"] == 200


async def test_batches_have_places_of_their_own_and_their_lines_none() -> None:
    route = Route()
    access, _ = admit(route)
    inside = [request(access) for _ in range(2)]
    batches = [request(access, path="/batch") for _ in range(BATCHES)]
    lines = [request(access, batch_line=1) for _ in range(5)]
    await let_tasks_run()
    refused, sent = request(access, path="/batch")
    await refused
    assert sent[0]["status"] == 503
    route.go.set()
    for task, answer in (*inside, *batches, *lines):
        await task
        assert answer[0]["status"] == 200


async def test_bodies_fill_the_memory_that_is_set_aside_and_no_more() -> None:
    route = Route()
    access = Admission(route, requests=100, max_body=MAX_BODY, seconds=60, counts=Counter())
    inside = [request(access, receive=body(b"x" * MAX_BODY)) for _ in range(admission.BODIES)]
    await let_tasks_run()
    refused, sent = request(access, receive=body(b"x"))
    await refused
    assert sent[0]["status"] == 503
    assert known(route.error).retry_after == 2
    route.go.set()
    await asyncio.gather(*(task for task, _ in inside))
    again, sent = request(access, receive=body(b"x"))
    await again
    assert sent[0]["status"] == 200


async def test_a_stream_that_never_ends_is_ended_with_the_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "GRACE", 0.0)

    async def events() -> AsyncGenerator[ServerSentEvent, None]:
        yield ServerSentEvent("verdict", {"score": 3})
        await asyncio.Event().wait()

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await EventStream(events())(scope, receive, send)

    unread = [True]

    async def read_once() -> Message:
        if not unread:
            await asyncio.Event().wait()
        unread.clear()
        return {"type": "http.request", "body": b"{}"}

    counts: Counter[str] = Counter()
    task, sent = request(
        Admission(route, requests=2, max_body=MAX_BODY, seconds=0.1, counts=counts), receive=read_once
    )
    await asyncio.wait_for(task, PATIENCE)
    last = sent[-1]["body"].decode().splitlines()
    assert sent[-1]["more_body"] is False
    assert last[:2] == ["id: 2", "event: error"]
    assert json.loads(last[2].removeprefix("data: "))["type"] == "/problems/deadline-exceeded"
    assert counts["cut_off"] == 1


async def test_a_caller_that_leaves_frees_its_place() -> None:
    access, _ = admit(Route())
    inside = [request(access)[0] for _ in range(2)]
    await let_tasks_run()
    for task in inside:
        task.cancel()
    await asyncio.gather(*inside, return_exceptions=True)
    assert (access._requests.total, access._bytes.total) == (0, 0)


async def test_bodies_of_one_key_do_not_fill_the_memory_of_all() -> None:
    route = Route()
    access = Admission(route, requests=100, max_body=MAX_BODY, seconds=60, counts=Counter(), shared=True)
    CALLER.set("greedy")
    inside = [request(access, receive=body(b"x" * MAX_BODY)) for _ in range(4)]
    await let_tasks_run()
    CALLER.set("other")
    another, answer = request(access, receive=body(b"x" * MAX_BODY))
    await let_tasks_run()
    route.go.set()
    await asyncio.gather(another, *(task for task, _ in inside))
    assert sorted(sent[0]["status"] for _, sent in inside) == [200, 200, 503, 503]
    assert answer[0]["status"] == 200


def fill(shares: FairShares, who: str) -> int:
    number = 0
    while shares.fits(who, 1):
        shares.take(who, 1)
        number += 1
    return number


def test_one_caller_gets_half_and_the_next_ones_find_room() -> None:
    shares = FairShares(16, shared=True)
    assert [fill(shares, who) for who in "abcde"] == [8, 4, 2, 1, 1]
    shares.give_back("a", 8)
    assert fill(shares, "e") == 4
