"""`POST /import`: a file's content as logs, what was taken for what, and what cannot be read."""

import base64
import json
import logging

import pytest
from fastapi.testclient import TestClient

from service.importing.formats import formats
from tests.unit.importing.importing import SAID

FORMATS = formats()


@pytest.mark.parametrize("name", FORMATS)
def test_a_sample_of_every_format_is_told_apart_and_can_be_judged(client: TestClient, name: str) -> None:
    answer = client.post("/import", json={"text": FORMATS[name].sample(SAID), "name": "own.txt"})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert list(told["formats"]) == [name]
    assert told["kept"]["messages"] >= len(SAID)
    (log,) = told["logs"]
    assert client.post("/score/coherence", json={"log": log}).status_code == 200


def test_what_has_no_place_and_what_cannot_be_read_is_told(client: TestClient) -> None:
    lines = [{"id": "a", "messages": [{"role": "user", "content": "Hi"}], "blob": [1]}, {"alpha": 1}]
    told = client.post("/import", json={"text": "\n".join(map(json.dumps, lines)), "name": "x.jsonl"}).json()
    assert [log["id"] for log in told["logs"]] == ["a"]
    assert told["unreadable"][0]["place"] == "x.jsonl:2"
    assert "alpha" in told["unreadable"][0]["detail"]
    assert sum(told["left_out"].values()) + sum("blob" in name for name in told["kept"]) >= 1


def test_bytes_in_another_encoding_are_read(client: TestClient) -> None:
    table = "conversation;role;content\nc1;user;Grüße\nc1;assistant;Schön\n".encode("cp1252")
    told = client.post("/import", json={"base64": base64.b64encode(table).decode()}).json()
    assert told["logs"][0]["messages"][0]["content"] == "Grüße"
    assert told["noted"] == ["read as cp1252; columns stand between ';'"]


def test_fields_and_speakers_go_by_the_names_that_are_given(client: TestClient) -> None:
    rows = [{"who": "buyer", "words": "Hi"}, {"who": "seller", "words": "Hello"}]
    body = {
        "text": json.dumps(rows),
        "map": {"role": "who", "content": "words"},
        "roles": {"buyer": "user", "seller": "assistant"},
    }
    (log,) = client.post("/import", json=body).json()["logs"]
    assert [(one["role"], one["content"]) for one in log["messages"]] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]


def test_pasted_text_gives_no_conversation_a_name(client: TestClient) -> None:
    (log,) = client.post("/import", json={"text": "User: Hi\nBot: Hello"}).json()["logs"]
    assert "id" not in log


@pytest.mark.parametrize(
    ("body", "pointer", "told"),
    [
        ({}, "/text", "one content is needed"),
        ({"text": "a", "base64": "YQ=="}, "/text", "one content is needed"),
        ({"base64": "*"}, "/base64", "not base64"),
        ({"base64": "YWJj", "encoding": "klingon"}, "/encoding", "unknown encoding"),
        ({"text": "Nobody speaks here."}, "/text", "not JSON"),
        ({"text": "[{}]", "map": {"role": "who"}}, "/map", "the data has no such field"),
        ({"text": "[{}]", "map": {"rule": "who"}}, "/map", "rule is none of"),
        ({"text": "x", "roles": {"a": "b"}}, "/roles", "b is no speaker"),
        ({"text": "[" * 200}, "/text", "nested 200 levels deep"),
        ({"text": f"[{'{},' * 500_000}{{}}]"}, "/text", "which is more than"),
        ({"text": "x", "format": "word"}, "/format", ""),
    ],
)
def test_what_cannot_be_read_is_a_problem_that_names_the_field(
    client: TestClient, body: dict[str, object], pointer: str, told: str
) -> None:
    answer = client.post("/import", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    (first, *_) = answer.json()["errors"]
    assert first["pointer"] == pointer
    assert told in first["detail"]
    assert first["fix"]


def test_no_word_of_a_file_reaches_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        client.post("/import", json={"text": "SECRETWORD says nothing"})
    written = caplog.text + "".join(capsys.readouterr())
    assert "SECRETWORD" not in written
