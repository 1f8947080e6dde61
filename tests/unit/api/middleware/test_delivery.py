"""Answers kept in the process: given again only while the store has what they rest on."""

import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from service.api.middleware.delivery import AnswerCache
from service.domain.completion import CacheEntry
from service.telemetry.telemetry import Telemetry
from tests.unit.debates.scripted import verdict

ENTRIES = (CacheEntry("key", 1, 50),)


class Inner:
    """The route behind: answers with a number that grows, and says that it may be kept."""

    def __init__(self) -> None:
        self.asked = 0
        self.certain = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        self.asked += 1
        if self.certain and (memory := scope["state"].get("memory")) is not None:
            memory.entries = ENTRIES
            memory.verdicts = (verdict("coherence", 3),)
            memory.system = "alpha"
        answer = Response(json.dumps([self.asked, len(body)]), headers={"Cache-Status": "x; hit"})
        await answer(scope, receive, send)


class Setting:
    """The middleware around it, with a store that the test answers for and a clock that it turns."""

    def __init__(self, max_bytes: int = 1_000_000) -> None:
        self.inner = Inner()
        self.held = True
        self.now = 0.0
        self.telemetry = Telemetry("0")
        middleware = AnswerCache(
            self.inner,
            holds=self._holds,
            recorder=self.telemetry.recorder,
            max_bytes=max_bytes,
            ttl=10,
            clock=lambda: self.now,
        )
        self.client = TestClient(middleware)

    async def _holds(self, entries: Sequence[CacheEntry]) -> bool:
        assert entries == ENTRIES
        return self.held

    def ask(self, body: str = "a") -> Any:
        return self.client.post("/score", json=body)


def test_the_same_body_again_is_answered_without_the_route() -> None:
    setting = Setting()
    first, again = setting.ask(), setting.ask()
    assert (first.content, again.content) == (b"[1, 3]", b"[1, 3]")
    assert again.headers == first.headers
    assert setting.inner.asked == 1


def test_an_entry_that_is_gone_or_changed_sends_the_request_on() -> None:
    setting = Setting()
    setting.ask()
    setting.held = False
    assert setting.ask().json()[0] == 2
    setting.held = True
    assert setting.ask().json()[0] == 2  # the newer answer is the one that is kept


def test_an_answer_that_is_not_certain_is_not_kept() -> None:
    setting = Setting()
    setting.inner.certain = False
    assert [setting.ask().json()[0] for _ in range(3)] == [1, 2, 3]


def test_an_answer_is_kept_for_its_time() -> None:
    setting = Setting()
    setting.ask()
    setting.now = 9.9
    assert setting.ask().json()[0] == 1
    setting.now = 10.0
    assert setting.ask().json()[0] == 2


def test_memory_is_bounded_and_the_oldest_answer_leaves_first() -> None:
    setting = Setting(max_bytes=2_500)  # two answers
    for body in ("a", "b", "c"):
        setting.ask(body)
    assert setting.ask("c").json()[0] == 3
    assert setting.ask("b").json()[0] == 2
    assert setting.ask("a").json()[0] == 4
