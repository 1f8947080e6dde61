"""Counting across replicas, and what happens while the store is away."""

from starlette.responses import Response
from starlette.testclient import TestClient

from service.api.middleware.access import Access
from service.api.middleware.telemetry import RequestTelemetry
from service.domain.caller import RateLimit
from service.store.memory import MemoryStore
from service.telemetry.telemetry import Telemetry


class Away(MemoryStore):
    async def count(self, key: str, window: float, amount: int = 1) -> int | None:
        return None


def test_while_the_store_is_away_each_process_counts_for_itself() -> None:
    access = Access(
        Response(), keys=(), limit=RateLimit(2, 60), store=Away(0), patience=0, clock=lambda: 1000.0
    )
    client = TestClient(RequestTelemetry(access, Telemetry("0").recorder))
    assert [client.post("/score").status_code for _ in range(3)] == [200, 200, 429]
