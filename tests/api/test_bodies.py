"""Bad and extreme input: each gets an answer, or a problem that names the field and the fix."""

import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

USER = {"role": "user", "content": "A western, please."}
REPLY = {"role": "assistant", "content": "Have you seen Dust Hymnal?"}


def send(client: TestClient, body: bytes | dict[str, Any], path: str = "/score") -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(path, content=content, headers={"Content-Type": "application/json"})


def problem(
    client: TestClient, body: bytes | dict[str, Any], status: int = 422, path: str = "/score"
) -> dict[str, Any]:
    response = send(client, body, path)
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["status"] == status
    assert found["request_id"] == response.headers["x-request-id"]
    return found


def only_error(client: TestClient, body: bytes | dict[str, Any]) -> dict[str, Any]:
    (error,) = problem(client, body)["errors"]
    assert error["fix"]
    return dict(error)


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("no log", {}, "/log", "add this field"),
    ("empty messages", {"log": {"messages": []}}, "/log/messages", "at least 1"),
    ("unknown role", {"log": {"messages": [{"role": "narrator", "content": "x"}]}}, "/log/messages/0/role", "'user', 'assistant' or 'tool'"),
    ("content not text", {"log": {"messages": [{"role": "user", "content": 5}]}}, "/log/messages/0/content", "send a string"),
    ("misspelt field", {"log": {"messages": [USER], "grund_truth": ["x"]}}, "/log/grund_truth", "'ground_truth'"),
    ("misspelt deep", {"log": {"messages": [{**USER, "recomendations": []}]}}, "/log/messages/0/recomendations", "'recommendations'"),
    ("far from any field", {"log": {"messages": [USER]}, "zzz": 1}, "/zzz", "available"),
    ("field of the log", {"log": {"messages": [USER]}, "domain": "movie"}, "/domain", "'log'"),
    ("another format", {"log": {"messages": [USER], "chat_transcript": []}}, "/log/chat_transcript", "POST /import first"),
    ("samples too many", {"log": {"messages": [USER]}, "samples": 21}, "/samples", "at most 20"),
    ("samples quoted", {"log": {"messages": [USER]}, "samples": "3"}, "/samples", "whole number"),
    ("unknown factor", {"log": {"messages": [USER]}, "factors": ["coherense"]}, "/factors/0", "'coherence'"),
    ("unknown judge", {"log": {"messages": [USER]}, "judge": "openai:gpt-x"}, "/judge", "builtin"),
    ("judge without model", {"log": {"messages": [USER]}, "judge": "openai:"}, "/judge", "builtin"),
    ("unknown catalogue", {"log": {"messages": [USER]}, "catalog": "songs"}, "/catalog", "films"),
    ("blank title", {"log": {"messages": [USER], "items": [{"title": " "}]}}, "/log/items/0/title", "visible"),
    ("blank item", {"log": {"messages": [{**REPLY, "recommendations": [""]}]}}, "/log/messages/0/recommendations/0", "visible"),
    ("item ids", {"log": {"messages": [USER], "items": [{"id": "a", "title": "X"}, {"id": "a", "title": "Y"}]}}, "/log/items", "field"),
    ("outcome", {"log": {"messages": [USER, REPLY], "outcome": {"accepted": True, "message": 1}}}, "/log", "field"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "pointer", "fix"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG]
)
def test_wrong_bodies_name_the_field_and_the_fix(
    client: TestClient, body: dict[str, Any], pointer: str, fix: str
) -> None:
    error = only_error(client, body)
    assert error["pointer"] == pointer
    assert fix in error["fix"]


def test_a_problem_never_quotes_the_conversation(client: TestClient) -> None:
    body = {"log": {"messages": [{"role": "my secret is 4711", "content": ["my secret is 4711"]}]}}
    assert "4711" not in send(client, body).text


@pytest.mark.parametrize(
    "body",
    [b"", b"   ", b"not json", b"{", b'{"log": }', b"\xff\xfe{}", b'{"log":1} trailing', b"{'log': 1}"],
)
def test_a_body_that_is_no_json_is_refused(client: TestClient, body: bytes) -> None:
    assert problem(client, body, 400)["type"] == "/problems/malformed-body"


@pytest.mark.parametrize("body", [b"null", b"[]", b"5", b'"log"', b"true", b"\xef\xbb\xbf[]"])
def test_json_that_is_no_object_is_refused(client: TestClient, body: bytes) -> None:
    expected = {"detail": "should be an object", "fix": "send an object"}
    assert only_error(client, body).items() >= expected.items()


@pytest.mark.parametrize(
    "text", [b'{"log":1,"log":2}', b'{"log":{"messages":[{"a:":"b:","content":"x","c\\u006fntent":"y"}]}}']
)
def test_a_field_that_comes_twice_is_refused(client: TestClient, text: bytes) -> None:
    (error,) = problem(client, text)["errors"]
    assert re.search("'(log|content)'", error["detail"])


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_numbers_that_are_none_are_refused(client: TestClient, number: bytes) -> None:
    body = (
        b'{"log":{"messages":[{"role":"user","content":"x"}],"items":[{"title":"X","popularity":%s}]}}'
        % number
    )
    assert only_error(client, body)["pointer"] == "/log/items/0/popularity"


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"log":['])
def test_deep_nesting_is_refused_before_it_is_parsed(client: TestClient, opening: bytes) -> None:
    error = only_error(client, opening * 100_000)
    assert "levels deep" in error["detail"]


def test_lone_surrogates_are_reported_by_column(client: TestClient) -> None:
    body = b'{"log":{"messages":[{"role":"user","content":"ok"},{"role":"user","content":"a \\ud800 b"}]}}'
    answer = send(client, body)
    assert answer.status_code == 400
    assert "surrogate" in answer.json()["detail"]
    assert "line 1 column" in answer.json()["detail"]


def test_more_messages_than_allowed(client: TestClient) -> None:
    error = only_error(client, {"log": {"messages": [USER] * 2001}})
    assert error["pointer"] == "/log/messages"
    assert "CRS_EVAL_MAX_MESSAGES" in error["fix"]


@pytest.mark.slow
def test_ten_megabytes_are_refused_or_answered(client: TestClient) -> None:
    long = {"role": "assistant", "content": "You might enjoy this one. " * 40_000}
    assert send(client, {"log": {"messages": [USER, long] * 5}}).status_code == 200
    assert (
        problem(client, {"log": {"messages": [USER, long] * 12}}, 413)["type"] == "/problems/body-too-large"
    )


def test_a_body_without_a_length_is_bounded_too(client: TestClient) -> None:
    chunks = (b" " * 65536 for _ in range(200))
    response = client.post("/score", content=chunks, headers={"Content-Type": "application/json"})
    assert response.status_code == 413


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_other_media_types_are_refused(client: TestClient, media: str) -> None:
    response = client.post("/score", content=b"{}", headers={"Content-Type": media})
    assert response.status_code == 415
    assert "application/json" in response.json()["detail"]
