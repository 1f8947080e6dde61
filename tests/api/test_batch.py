"""`/batch`: every line is answered, whatever becomes of the others."""

import json
from collections.abc import Iterable
from typing import Any

from starlette.testclient import TestClient
from structlog.testing import capture_logs

from service.api.routes.batch import AT_ONCE
from tests.factories import in_turns

LOG = {"messages": in_turns("Something calm, please.", "Try Paper Lanterns: slow, and set by the sea.")}
NDJSON = {"Content-Type": "application/x-ndjson"}


def line(custom_id: str, path: str = "/score/coherence", body: Any = None) -> bytes:
    return json.dumps(
        {"custom_id": custom_id, "path": path, "body": {"log": LOG} if body is None else body}
    ).encode()


def send(client: TestClient, lines: Iterable[bytes], **headers: str) -> list[dict[str, Any]]:
    response = client.post("/batch", content=b"\n".join(lines), headers={**NDJSON, **headers})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.text == "" or response.text.endswith("\n")
    results = [json.loads(text) for text in response.text.splitlines()]
    return sorted(results, key=lambda result: result["line"])


def test_a_line_gets_what_its_route_would_have_answered(client: TestClient) -> None:
    [result] = send(client, [line("a", "/score")])
    assert (result["line"], result["custom_id"], result["status"]) == (1, "a", 200)
    assert result["body"] == client.post("/score", json={"log": LOG}).json()


def test_lines_fail_one_by_one(client: TestClient) -> None:
    results = send(
        client,
        [
            line("good"),
            b'{"custom_id": "cut off',
            b"",
            line("wrong", body={"log": {"messages": []}}),
            line("lost", path="/scores"),
            line("nested", path="/batch"),
            line("nested too", path="/batch/"),
            line("a query", path="/score?x=1"),
            line("read only", path="/factors"),
            line("good"),
            b'{"custom_id": "extra", "path": "/score", "body": {}, "bodies": 1}',
            b"[1, 2]",
            b'"text"',
            b'{"custom_id": "deep", "path": "/score", "body": ' + b'{"a":' * 90 + b"1" + b"}" * 91,
            b'{"custom_id": "\\ud800", "path": "/score", "body": {}}',
            b"\xff\xfe",
            b"   \r",
            line("") + b"\r",
            line("last") + b"\r",
        ],
    )
    assert [(result["line"], result["custom_id"], result["status"]) for result in results] == [
        (1, "good", 200),
        (2, None, 400),
        (4, "wrong", 422),
        (5, "lost", 404),
        (6, "nested", 404),
        (7, "nested too", 404),
        (8, "a query", 404),
        (9, "read only", 405),
        (10, "good", 422),
        (11, "extra", 422),
        (12, None, 422),
        (13, None, 422),
        (14, "deep", 422),
        (15, None, 400),
        (16, None, 400),
        (18, None, 422),
        (19, "last", 200),
    ]
    assert all(
        result["body"]["type"].startswith("/problems/") for result in results if result["status"] != 200
    )
    assert results[8]["body"]["errors"][0]["pointer"] == "/custom_id"


def test_no_lines_give_no_results(client: TestClient) -> None:
    assert send(client, []) == []
    with capture_logs() as logged:
        assert send(client, [b"", b"  ", b""]) == []
        assert send(client, [line("a", "/nowhere")])
    assert "batch_left" not in {entry["event"] for entry in logged}


def test_more_lines_than_are_worked_on_at_once_are_all_answered_once(client: TestClient) -> None:
    results = send(client, [line(f"log-{n}") for n in range(2 * AT_ONCE)])
    assert [result["custom_id"] for result in results] == [f"log-{n}" for n in range(2 * AT_ONCE)]
    assert {result["status"] for result in results} == {200}


def test_another_media_type_is_refused(client: TestClient) -> None:
    response = client.post("/batch", content=line("a"), headers={"Content-Type": "application/json"})
    assert response.status_code == 415
    assert "application/x-ndjson" in response.json()["detail"]


def test_no_reader_of_lines_finds_the_end_of_one_inside_a_result(client: TestClient) -> None:
    names = ["a\u2028b", "a\u2029b", "a\x85b"]
    log = {"messages": [{"role": name, "content": "Hi."} for name in ("user", "assistant")], "id": names[0]}
    results = send(client, [line(name, "/score", {"log": log, "x\u2028y": 1}) for name in names])
    assert [result["custom_id"] for result in results] == names
    assert {result["body"]["errors"][0]["pointer"] for result in results} == {"/x\u2028y"}
