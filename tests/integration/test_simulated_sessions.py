"""Whole sessions over real HTTP: with the example recommender, and with ones that misbehave."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Role, User
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Simulator
from service.simulators.recommender import ReplyLimits
from service.simulators.session import FINISHED, Ended, SessionTurn, converse, finish
from service.usecases.recommenders.http import HTTPRecommender
from tests.simulated_users import SimulatedUser, simulated_users
from tools.example_crs import running_crs

Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]
FAST = ReplyLimits(seconds=0.4, body_bytes=20_000, characters=500, items=50)
WANTS = ConversationLog(messages=(), user=User(persona="curiosity", attributes=("crime", "dark")))


@pytest.fixture(scope="module")
def crs_url() -> Iterator[str]:
    """The example recommender without a weakness."""
    with running_crs() as url:
        yield url


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient() as opened:
        yield opened


@asynccontextmanager
async def _listening(respond: Respond) -> AsyncIterator[str]:
    """A server that reads a request and lets `respond` write whatever it likes."""
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line
            )
            await reader.readexactly(length)
            await respond(writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/reply"
    finally:
        for task in list(tasks):
            task.cancel()
        server.close()
        await server.wait_closed()


def _answer(body: bytes, status: str = "200 OK") -> Respond:
    async def respond(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        await writer.drain()

    return respond


def _json(**fields: Any) -> Respond:
    return _answer(json.dumps(fields).encode())


async def _hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


def _without_end(piece: bytes, pause: float = 0.0) -> Respond:
    async def respond(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return respond


async def _vanish(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _session(url: str, client: httpx2.AsyncClient, user: SimulatedUser) -> Ended:
    log = ConversationLog(
        messages=(), domain=user.domain, user=User(user.persona, user.age_group, attributes=user.attributes)
    )
    return await finish(
        converse(Simulator(Scripted(user.seed)), HTTPRecommender("example", url, client), log, Call())
    )


async def _ended(url: str, client: httpx2.AsyncClient, limits: ReplyLimits = FAST, **options: Any) -> Ended:
    """A session of one who is curious with a recommender."""
    recommender = HTTPRecommender("mine", url, client, limits)
    options = {"call": Call(), "limits": limits, **options}
    return await finish(converse(Simulator(Scripted(1)), recommender, WANTS, **options))


async def test_48_users_finish_their_sessions(crs_url: str, client: httpx2.AsyncClient) -> None:
    ended = [await _session(f"{crs_url}/reply", client, user) for user in simulated_users()]
    assert len(ended) == 48
    assert all(session.reason in FINISHED for session in ended), [
        s.detail for s in ended if s.reason not in FINISHED
    ]
    assert all(session.log.complete and session.log.outcome is not None for session in ended)
    reasons = [session.reason for session in ended]
    assert reasons.count("accepted") > 24
    assert reasons.count("gave_up") > 4
    assert all(session.log.has_lists for session in ended)


async def test_the_chat_endpoint_tells_the_same_as_the_webhook(
    crs_url: str, client: httpx2.AsyncClient
) -> None:
    user = simulated_users()[3]
    chat = await _session(f"{crs_url}/v1/chat/completions", client, user)
    assert chat == await _session(f"{crs_url}/reply", client, user)
    assert any(message.recommendations for message in chat.log.messages)


@pytest.mark.parametrize(
    ("respond", "reason"),
    [
        (_answer(b"{}", "500 Internal Server Error"), "crs_error"),
        (_answer(b"", "302 Found"), "crs_error"),
        (_vanish, "crs_error"),
        (_hang, "crs_timeout"),
        (_without_end(b" ", 0.05), "crs_timeout"),
        (_without_end(b'{"content": "' + b"x" * 10_000), "crs_flood"),
        (_json(content="x" * 501), "crs_flood"),
        (_json(content="Here.", recommendations=["x"] * 51), "crs_flood"),
        (_json(content=" ", recommendations=[]), "crs_silent"),
        (_json(content=None), "crs_silent"),
        (_json(content=7), "crs_unreadable"),
        (_json(content="Here.", recommendations="Moon Bakery"), "crs_unreadable"),
        (_json(content="Here.", recommendations=["x" * 2001]), "crs_unreadable"),
        (_answer(b"<html>"), "crs_unreadable"),
        (_answer(b'{"content": NaN}'), "crs_unreadable"),
        (_answer(b'{"content": "\\ud800"}'), "crs_unreadable"),
        (_answer(b"[]"), "crs_unreadable"),
        (_json(content="Here.", recommendations=["Heat"], parts=[{"type": "items", "items": ["Dr. Moth"]}]), "crs_unreadable"),
        (_json(content="Here.", parts=[{"type": "items", "items": [{"price": 9}]}]), "crs_unreadable"),
        (_json(content="Here.", parts=[{"type": "items", "items": [{"id": "j1", "price": -1}]}]), "crs_unreadable"),
        (_json(content="Here.", parts={"type": "items"}), "crs_unreadable"),
    ],
)  # fmt: skip
async def test_a_recommender_that_fails_ends_the_session_with_its_reason(
    client: httpx2.AsyncClient, respond: Respond, reason: str
) -> None:
    async with _listening(respond) as url:
        ended = await _ended(url, client)
    assert ended.reason == reason
    assert ended.detail
    assert ended.reason not in FINISHED
    # A recommender that says nothing has failed its user: that counts.
    assert ended.log.complete is (reason == "crs_silent")
    assert [message.role for message in ended.log.messages] == [Role.USER]
    assert ended.log.outcome is None


async def test_a_failure_keeps_the_log_so_far(client: httpx2.AsyncClient) -> None:
    replies = iter([_json(content="What do you like?"), _json(content="And else?"), _hang])

    async def in_turn(writer: asyncio.StreamWriter) -> None:
        await next(replies)(writer)

    async with _listening(in_turn) as url:
        ended = await _ended(url, client)
    assert ended.reason == "crs_timeout"
    assert [message.role.value for message in ended.log.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


async def test_a_recommender_that_never_stops_talking_is_stopped(client: httpx2.AsyncClient) -> None:
    async with _listening(_json(content="And what else?")) as url:
        own, capped = await _ended(url, client), await _ended(url, client, rounds=1)
    assert own.reason in FINISHED
    assert capped.reason == "round_cap"
    assert len(capped.log.messages) == 2


async def test_the_deadline_of_the_whole_session_holds(client: httpx2.AsyncClient) -> None:
    call = Call(deadline=asyncio.get_running_loop().time() + 0.2)
    async with _listening(_hang) as url:
        ended = await _ended(url, client, ReplyLimits(), call=call)
    assert ended.reason == "deadline"
    assert len(ended.log.messages) == 1


async def test_a_log_that_ends_with_the_user_is_answered_first(
    crs_url: str, client: httpx2.AsyncClient
) -> None:
    first = await _ended(f"{crs_url}/reply", client, ReplyLimits(), rounds=1)
    waiting = ConversationLog(messages=first.log.messages[:1], user=WANTS.user)
    session = converse(
        Simulator(Scripted()), HTTPRecommender("example", f"{crs_url}/reply", client), waiting, Call()
    )
    events = [event async for event in session]
    assert isinstance(events[0], SessionTurn)
    assert events[0].message.role is Role.ASSISTANT
    assert isinstance(events[-1], Ended)
    assert events[-1].reason in FINISHED


async def test_a_caller_that_goes_away_stops_the_session(client: httpx2.AsyncClient) -> None:
    async with _listening(_hang) as url:
        task = asyncio.ensure_future(_ended(url, client, ReplyLimits()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


CARDS = {
    "content": "",
    "parts": [
        {"type": "tool_call", "id": "c1", "name": "search", "arguments": "{}"},
        {"type": "tool_result", "call": "c1", "content": "[]"},
        {
            "type": "items",
            "layout": "carousel",
            "items": [{"id": "j1", "title": "Fellwind Shell", "price": 99}, "Moorland Parka"],
        },
        {"type": "hologram", "content": "of next year"},
    ],
}


@pytest.mark.parametrize("chat", [False, True])
async def test_a_recommender_may_answer_with_cards_alone(client: httpx2.AsyncClient, chat: bool) -> None:
    answer = _json(choices=[{"message": CARDS}]) if chat else _json(**CARDS)
    async with _listening(answer) as url:
        where = url.replace("/reply", "/chat/completions") if chat else url
        ended = await _ended(where, client, rounds=1)
    reply = next(message for message in ended.log.messages if message.role is Role.ASSISTANT)
    assert reply.recommendations == ("j1", "Moorland Parka")
    assert [type(part).__name__ for part in reply.parts] == ["ToolCall", "ToolResult", "ItemsPart"]
    assert [(card.reference, card.item and card.item.price) for card in reply.cards] == [
        ("j1", 99.0),
        ("Moorland Parka", None),
    ]
