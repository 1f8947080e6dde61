"""Whatever bytes are sent as a batch: every line is answered once, and nothing is a defect."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.telemetry.logging import configure_logging

LOG = {"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Try Dust Hymnal."}]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PATHS = st.sampled_from(
    ["/score", "/score/coherence", "/evaluate", "/batch", "/nowhere", "/factors", "//", "/x y"]
)
FITTING = st.builds(
    lambda name, path, body: json.dumps({"custom_id": name, "path": path, "body": body}).encode(),
    st.text(max_size=5),
    PATHS | st.text(max_size=10),
    st.just({"log": LOG}) | st.dictionaries(st.text(max_size=8), JSON, max_size=3),
)
LINES = st.lists(
    FITTING | JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40), max_size=8
)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    configure_logging("json", "error")
    with TestClient(create_app(Settings()), raise_server_exceptions=False) as client:
        yield client


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
def test_every_line_is_answered_once(client: TestClient, lines: list[bytes]) -> None:
    body = b"\n".join(lines)
    response = client.post("/batch", content=body, headers={"Content-Type": "application/x-ndjson"})
    assert response.status_code == 200
    results = [json.loads(text) for text in response.text.splitlines()]
    expected = [number for number, line in enumerate(body.split(b"\n"), start=1) if line.strip()]
    assert sorted(result["line"] for result in results) == expected
    assert all(result["status"] < 500 for result in results)
