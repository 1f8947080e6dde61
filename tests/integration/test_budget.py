"""The budget of an upstream over HTTP: requests that are shed, and the metrics that count them."""

import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.main import read_settings
from tests.factories import in_turns
from tests.patience import REDIS_TIMEOUT
from tests.provider.server import ProviderServer

LOG = {
    "messages": in_turns(
        "A calm film by the sea, please.", "Try The Quiet Harbour: slow, and set by the sea."
    )
}
JUDGE = "local:gpt-4o-mini"


@pytest.fixture
def client(provider: ProviderServer, redis_url: str) -> Iterator[TestClient]:
    environment = {
        "CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url,
        "CRS_EVAL_CALLS_PER_MINUTE_LOCAL": "1",
        "CRS_EVAL_JUDGE": JUDGE,
        "CRS_EVAL_REDIS_URL": redis_url,
        "CRS_EVAL_REDIS_TIMEOUT": f"{REDIS_TIMEOUT}",
        "CRS_EVAL_REQUEST_TIMEOUT": "20",
    }
    with TestClient(create_app(read_settings(environment))) as client:
        yield client


def seconds_left() -> float:
    """The seconds until the next minute of the clock."""
    return 60 - time.time() % 60


def test_who_has_no_room_in_time_is_sent_away_and_told_when_to_come_again(
    client: TestClient, provider: ProviderServer
) -> None:
    if seconds_left() < 30:  # else the next minute could begin within the deadline
        time.sleep(seconds_left())
    first = client.post("/score/novelty", json={"log": LOG})
    assert first.json()["status"] == "scored"
    shed = client.post("/score/coherence", json={"log": LOG})
    assert shed.status_code == 503
    # One call a minute of the clock: the next has room when it begins.
    assert abs(int(shed.headers["retry-after"]) - seconds_left()) <= 3
    problem = shed.json()
    assert problem["type"] == "/problems/overloaded"
    assert problem["retryable"]
    [verdict] = problem["verdicts"]
    assert (verdict["status"], verdict["reason"]["code"]) == ("failed", "upstream_budget_spent")
    # Cached answers cost no budget.
    assert client.post("/score/novelty", json={"log": LOG}).json()["cached"]
    some = client.post("/score", json={"log": LOG, "factors": ["novelty", "coherence"]})
    assert some.status_code == 200
    assert {verdict["status"] for verdict in some.json()["verdicts"]} == {"scored", "failed"}
    assert provider.calls == 1
    metrics = client.get("/metrics").text
    assert 'crs_eval_upstream_budget_events_total{event="shed",gen_ai_provider_name="local"} 2.0' in metrics
    assert 'crs_eval_requests_turned_away_total{reason="shed"} 0.0' in metrics
    compared = client.post("/compare", json={"first": LOG, "second": LOG, "factors": ["coherence"]})
    assert compared.status_code == 503
    assert abs(int(compared.headers["retry-after"]) - seconds_left()) <= 3
