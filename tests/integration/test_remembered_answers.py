"""Answers from memory over the whole application: they change when the cache does."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from tests.factories import in_turns
from tests.provider.behaviours import Answer
from tests.provider.server import ProviderServer

JUDGE = "local:gpt-4o-mini"
LOG = {
    "system": "alpha",
    "messages": in_turns("Something calm, please.", "Try Paper Lanterns: slow, and set by the sea."),
}


@pytest.fixture
def client(provider: ProviderServer) -> Iterator[TestClient]:
    settings = Settings(upstreams={"local": provider.openai_url}, judges=("builtin", "local:*"))
    with TestClient(create_app(settings)) as client:
        yield client


def score(client: TestClient, **fields: object) -> Any:
    return client.post("/score", json={"log": LOG, "judge": JUDGE} | fields)


def said(score: int, words: str) -> Answer:
    return Answer(f'{{"rationale": "{words}", "evidence": [], "score": {score}}}')


def test_what_is_remembered_is_what_a_hit_would_be(provider: ProviderServer, client: TestClient) -> None:
    answers = [score(client) for _ in range(4)]
    assert answers[1].content == answers[2].content == answers[3].content
    assert [a.headers["cache-status"] for a in answers[1:]] == ["crs-eval; hit"] * 3
    assert answers[1].headers.keys() == answers[3].headers.keys()
    assert answers[3].headers["x-request-id"] != answers[2].headers["x-request-id"]
    asked = sum(verdict["prompt_hash"] is not None for verdict in answers[0].json()["verdicts"])
    assert provider.calls == asked
    text = client.get("/metrics").text
    assert f'crs_eval_cache_lookups_total{{result="hit"}} {3 * asked}.0' in text


def test_a_refreshed_answer_replaces_what_was_remembered(
    provider: ProviderServer, client: TestClient
) -> None:
    provider.default = said(1, "before")
    for _ in range(3):
        score(client)
    provider.default = said(4, "after")
    assert score(client, cache="refresh").json()["verdicts"][0]["score"] == 4
    again = score(client).json()
    assert {v["rationale"] for v in again["verdicts"] if v["status"] == "scored"} == {"after"}
    assert score(client).json() == again
