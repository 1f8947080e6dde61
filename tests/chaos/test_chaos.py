"""Properties that hold while everything around fails: what was answered is right, what failed says so, and
the same request succeeds again once the storm is over."""

import asyncio
import json
import signal
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tests.chaos.conftest import Start, log_number, storm, wait_for_calls
from tests.patience import PATIENCE
from tests.provider.behaviours import (
    HTML,
    Answer,
    Behaviour,
    Body,
    CutJSON,
    Drip,
    Hang,
    Latency,
    Reset,
    Status,
    rate_limited,
)
from tests.provider.server import ProviderServer
from tests.replica import Replica

FACTORS = ["coherence", "novelty", "groundness"]
REQUESTS = 12

STORMS: dict[str, dict[Behaviour | None, int]] = {
    "429 with long waits": {rate_limited(30): 1, None: 1},
    "quick failures": {Status(503): 1, Reset(): 1, Body(HTML, "text/html"): 1, Body(b""): 1, None: 2},
    "all at once": {
        rate_limited(0.05): 1,
        Status(500): 1,
        Hang(): 1,
        Reset(amid=True): 1,
        Drip(1.0): 1,
        CutJSON(): 1,
        None: 6,
    },
}


async def ask(url: str, number: int, cache: str = "use") -> tuple[int, dict[str, Any]]:
    body = {"log": log_number(number), "factors": FACTORS, "cache": cache}
    async with httpx2.AsyncClient(timeout=PATIENCE) as client:
        response = await client.post(f"{url}/score", json=body)
    return response.status_code, response.json()


def scores(answer: dict[str, Any]) -> dict[str, float | None]:
    return {verdict["factor"]: verdict["score"] for verdict in answer["verdicts"]}


@pytest.fixture(scope="module")
def sheltered(start: Start) -> Replica:
    """A replica with time enough for any answer."""
    return start()


@pytest.fixture(scope="module")
async def weathered(start: Start) -> AsyncIterator[Replica]:
    """One replica through all storms, in a hurry; what it logged is looked at in the end."""
    replica = start(REQUEST_TIMEOUT="4", CACHE_BYTES="0")
    await ask(replica.url, 0)  # its first answer takes longest
    yield replica
    assert replica.stop() in (0, -signal.SIGTERM)
    assert '"defect"' not in replica.said()


@pytest.mark.parametrize("name", STORMS)
async def test_a_storm_at_the_provider(
    provider: ProviderServer, sheltered: Replica, weathered: Replica, name: str
) -> None:
    replica = weathered
    calm = await asyncio.gather(*(ask(sheltered.url, number, "off") for number in range(REQUESTS)))
    assert {status for status, _ in calm} == {200}
    provider.default = storm(STORMS[name])
    stormy = await asyncio.gather(*(ask(replica.url, number) for number in range(REQUESTS)))
    for (status, answer), (_, right) in zip(stormy, calm, strict=True):
        assert status in {200, 502, 504}, answer
        if status != 200:
            assert answer["type"].startswith("/problems/")
        for verdict in answer["verdicts"]:
            assert verdict["status"] in {"scored", "not_assessable", "failed"}
            if verdict["status"] == "failed":
                assert verdict["score"] is None
                assert verdict["reason"]["code"]
            else:
                assert verdict["score"] == scores(right)[verdict["factor"]]
    provider.default = Answer()
    for _ in range(10):  # once will do, where the machine is not busy with something else
        after = await asyncio.gather(*(ask(replica.url, number) for number in range(REQUESTS)))
        if all(status == 200 for status, _ in after):
            break
    assert [status for status, _ in after] == [200] * REQUESTS
    assert [scores(answer) for _, answer in after] == [scores(answer) for _, answer in calm]
    assert provider.wait_idle()


async def test_a_replica_killed_with_requests_in_flight(
    provider: ProviderServer, start: Start, redis_url: str
) -> None:
    doomed, other = start(REDIS_URL=redis_url), start(REDIS_URL=redis_url)
    calm = await asyncio.gather(*(ask(other.url, number, "off") for number in range(REQUESTS)))
    provider.reset()
    provider.latency = Latency(0.5, 0.5)
    flying = [asyncio.ensure_future(ask(doomed.url, number)) for number in range(REQUESTS)]
    await asyncio.to_thread(wait_for_calls, provider, REQUESTS * len(FACTORS))
    doomed.kill()
    ended = await asyncio.gather(*flying, return_exceptions=True)
    failed = [number for number, end in enumerate(ended) if isinstance(end, BaseException)]
    assert failed, "the replica was to die with requests in flight"
    assert all(isinstance(ended[number], httpx2.TransportError) for number in failed)
    again = await asyncio.gather(*(ask(other.url, number) for number in range(REQUESTS)))
    assert [status for status, _ in again] == [200] * REQUESTS
    assert [scores(answer) for _, answer in again] == [scores(answer) for _, answer in calm]
    for number, end in enumerate(ended):
        if not isinstance(end, BaseException):
            assert scores(end[1]) == scores(calm[number][1])


async def test_what_was_accepted_is_answered_before_it_stops(provider: ProviderServer, start: Start) -> None:
    replica = start()
    provider.latency = Latency(1.5)
    flying = [asyncio.ensure_future(ask(replica.url, number)) for number in range(REQUESTS)]
    await asyncio.to_thread(wait_for_calls, provider, REQUESTS * len(FACTORS))
    replica.process.send_signal(signal.SIGTERM)
    ended = await asyncio.gather(*flying)
    assert [status for status, _ in ended] == [200] * REQUESTS
    assert {verdict["status"] for _, answer in ended for verdict in answer["verdicts"]} == {"scored"}
    assert await asyncio.to_thread(replica.process.wait, PATIENCE) in (0, -signal.SIGTERM)
    with pytest.raises(httpx2.TransportError):
        await ask(replica.url, 0)


async def test_a_batch_answers_every_line_before_it_stops(provider: ProviderServer, start: Start) -> None:
    """Lines in progress get their verdicts; later ones are refused as retryable."""
    replica = start()
    provider.latency = Latency(1.0)
    lines = [
        json.dumps({"custom_id": f"{n}", "path": "/score/coherence", "body": {"log": log_number(n)}}).encode()
        for n in range(200)
    ]
    answering = asyncio.ensure_future(_batch(replica.url, lines))
    await asyncio.to_thread(wait_for_calls, provider, 10)
    replica.process.send_signal(signal.SIGTERM)
    results = await answering
    assert sorted(int(result["custom_id"]) for result in results) == list(range(200))
    statuses = Counter(result["status"] for result in results)
    assert set(statuses) == {200, 503}
    assert statuses[200] >= 10
    assert all(result["body"]["retryable"] for result in results if result["status"] == 503)
    assert await asyncio.to_thread(replica.process.wait, PATIENCE) in (0, -signal.SIGTERM)


async def _batch(url: str, lines: list[bytes]) -> list[dict[str, Any]]:
    async with httpx2.AsyncClient(timeout=PATIENCE) as client:
        response = await client.post(
            f"{url}/batch", content=b"\n".join(lines), headers={"Content-Type": "application/x-ndjson"}
        )
    return [json.loads(line) for line in response.text.splitlines()]
