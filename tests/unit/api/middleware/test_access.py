"""Counting across replicas, and what happens while the store is away."""

from typing import Any

from starlette.types import Message, Receive, Scope, Send

from service.api.middleware.access import Access
from service.domain.caller import RateLimit
from service.store.memory import MemoryStore


async def plain(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


class Away(MemoryStore):
    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        return None


async def status(access: Access) -> int:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/score",
        "headers": [],
        "client": ("192.0.2.1", 4000),
        "state": {"request_id": "x"},
    }
    await access(scope, receive, send)
    return int(sent[0]["status"])


async def test_while_the_store_is_away_each_process_counts_for_itself() -> None:
    now = [1000.0]
    access = Access(plain, keys=(), limit=RateLimit(2, 60), store=Away(0), patience=0, clock=lambda: now[0])
    assert [await status(access) for _ in range(3)] == [200, 200, 429]
