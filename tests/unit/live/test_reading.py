"""Bodies that `crs-eval live` reads in the process that serves."""

import asyncio
import itertools
from typing import Any

import pytest

from service.api import body
from service.live.routes import conversations
from tests.posted import JSON, Posted, Route

BODIES = 16


def test_others_are_served_between_two_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    posted = Posted()
    route = Route(live=True, path="/live/conversations/one/messages", media=JSON)
    turns = itertools.count()
    turn, parsed = 0, list[int]()

    def counted(*given: Any) -> Any:
        parsed.append(turn)
        return body.parse(*given)

    async def others() -> None:
        nonlocal turn
        for turn in turns:  # noqa: B007 - it is read where a body is parsed
            await asyncio.sleep(0)

    async def post_all() -> list[tuple[int, bytes]]:
        beside = asyncio.create_task(others())
        content = b'{"messages":[{"role":"user","content":"Something calm?"}]}'
        answers = await asyncio.gather(*(posted.ask(route, content) for _ in range(BODIES)))
        beside.cancel()
        return answers

    monkeypatch.setattr(conversations, "parse", counted)
    assert {status for status, _ in asyncio.run(post_all())} == {202}
    assert len(set(parsed)) == BODIES
