"""Keys, scopes, rate limits, origins and headers, through the whole application."""

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.main import read_settings
from service.telemetry.logging import configure_logging

LOG = {"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello there."}]}
TEXTS = {
    "score": "key-of-ci",
    "simulate": "key-of-lab",
    "admin": "key-of-ops",
    "score+simulate": "key-of-both",
}


def api_keys() -> str:
    return ",".join(
        f"{scopes.replace('+', '-')}:{scopes}:{hashlib.sha256(text.encode()).hexdigest()}"
        for scopes, text in TEXTS.items()
    )


@contextmanager
def serving(**settings: str) -> Iterator[TestClient]:
    configure_logging("json", "warning")
    given = {"workers": "0", **settings}
    variables = {f"CRS_EVAL_{name.upper()}": value for name, value in given.items()}
    app = create_app(read_settings(variables))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def guarded() -> Iterator[TestClient]:
    with serving(api_keys=api_keys()) as client:
        yield client


def bearer(scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TEXTS[scopes]}"}


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/docs", "/docs/swagger-ui.css"])
def test_probes_and_documents_stay_open(guarded: TestClient, path: str) -> None:
    assert guarded.get(path).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Basic a2V5LW9mLWNp",
        "key-of-ci",
        "Bearer key-of-ci x",
        "Bearer \xe9",
    ],
)
@pytest.mark.parametrize("path", ["/score", "/metrics", "/factors", "/nowhere", "/batch"])
def test_without_a_known_key_nothing_else_answers(guarded: TestClient, header: str | None, path: str) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    response = guarded.request("POST", path, headers=headers, json={})  # type: ignore[arg-type]
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert response.json()["type"] == "/problems/unauthorized"
    assert "key-of" not in response.text
    assert response.headers["x-request-id"] == response.json()["request_id"]


@pytest.mark.parametrize(
    ("scopes", "method", "path", "status"),
    [
        ("score", "POST", "/score", 200),
        ("score", "POST", "/score/coherence", 200),
        ("score", "GET", "/factors", 200),
        ("admin", "GET", "/factors/coherence", 200),
        ("simulate", "GET", "/choices", 200),
        ("score", "POST", "/simulate", 403),
        ("score", "POST", "/simulate/profile", 403),
        ("score", "POST", "/simulate/audit", 403),
        ("score", "GET", "/metrics", 403),
        ("simulate", "POST", "/score", 403),
        ("simulate", "GET", "/metrics", 403),
        ("admin", "POST", "/score", 403),
        ("admin", "GET", "/metrics", 200),
        ("score+simulate", "POST", "/evaluate", 200),
    ],
)
def test_a_key_opens_what_its_scopes_name(
    guarded: TestClient, scopes: str, method: str, path: str, status: int
) -> None:
    body = {"log": LOG} if method == "POST" else None
    response = guarded.request(method, path, headers=bearer(scopes), json=body)
    assert response.status_code == status, response.text
    if status == 403:
        assert response.json()["type"] == "/problems/forbidden"


def batch(client: TestClient, *lines: dict[str, Any], **headers: str) -> dict[str, int]:
    """The status of each line."""
    response = client.post(
        "/batch",
        content="\n".join(map(json.dumps, lines)),
        headers={**headers, "Content-Type": "application/x-ndjson"},
    )
    return {result["custom_id"]: result["status"] for result in map(json.loads, response.text.splitlines())}


def test_a_batch_opens_for_each_line_what_the_key_opens(guarded: TestClient) -> None:
    lines = [
        {"custom_id": "a", "path": "/score/coherence", "body": {"log": LOG}},
        {"custom_id": "b", "path": "/simulate", "body": {"log": LOG, "simulator": {"type": "scripted"}}},
    ]
    assert batch(guarded, *lines, **bearer("score")) == {"a": 200, "b": 403}


def test_no_key_is_ever_logged() -> None:
    stream = io.StringIO()
    with serving(api_keys=api_keys()) as client:
        configure_logging("json", "debug", stream)
        for text in (*TEXTS.values(), "guess-of-mine"):
            client.post("/score", json={"log": LOG}, headers={"Authorization": f"Bearer {text}"})
    written = stream.getvalue()
    assert '"event":"request"' in written
    for secret in (*TEXTS.values(), "guess-of-mine", hashlib.sha256(b"key-of-ci").hexdigest()):
        assert secret not in written


def test_a_limit_is_reported_counted_by_key_and_ends() -> None:
    with serving(api_keys=api_keys(), rate_limit="3/day") as client:

        def ask(scopes: str) -> Any:
            return client.post("/score/coherence", json={"log": LOG}, headers=bearer(scopes))

        answers = [ask("score") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3
        assert [answer.headers["ratelimit"].split(";")[1] for answer in answers] == ["r=2", "r=1", "r=0"]
        assert answers[0].headers["ratelimit-policy"] == '"requests";q=3;w=86400'
        refused = ask("score")
        assert refused.status_code == 429
        assert refused.json()["retryable"] is True
        assert 0 < int(refused.headers["retry-after"]) <= 86400
        assert ";r=0;" in refused.headers["ratelimit"]
        assert ask("score+simulate").status_code == 200
        assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("limits", "statuses"),
    [
        ({"rate_limit": "3/second"}, [200] * 7),
        ({"rate_limit": "1/day", "request_timeout": "4"}, [200, 429]),
    ],
)
def test_a_line_over_the_limit_waits_for_its_turn_as_long_as_an_answer_may_take(
    limits: dict[str, str], statuses: list[int]
) -> None:
    plain = {"path": "/score/coherence", "body": {"log": LOG}}
    with serving(**limits) as client:
        found = batch(client, *({"custom_id": str(n), **plain} for n in range(len(statuses))))
    assert sorted(found.values()) == statuses


def test_a_page_may_send_its_trace_along() -> None:
    names = ["content-type", "traceparent", "tracestate", "baggage", "content-encoding"]
    with serving(cors_origins="https://dash.example") as client:
        asked = {
            "Origin": "https://dash.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": ",".join(names),
        }
        answer = client.options("/score", headers=asked)
    assert answer.status_code == 200, answer.text
    assert all(name in answer.headers["access-control-allow-headers"].lower() for name in names)


@pytest.mark.parametrize("path", ["/healthz", "/docs", "/nowhere", "/factors"])
def test_every_answer_carries_security_headers(guarded: TestClient, path: str) -> None:
    headers: Any = guarded.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers.get_list("content-security-policy") == [headers["content-security-policy"]]


def test_answers_about_conversations_stay_out_of_caches(guarded: TestClient) -> None:
    answer = guarded.post("/score", json={"log": LOG}, headers=bearer("score"))
    assert answer.headers["cache-control"] == "no-store"
