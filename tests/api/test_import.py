"""`POST /import`: a file's content as logs, what was taken for what, and what cannot be read."""

import base64
import json
import logging
import zlib
from encodings.aliases import aliases

import pytest
from fastapi.testclient import TestClient


def test_unplaced_fields_and_unreadable_lines_are_reported(client: TestClient) -> None:
    lines = [{"id": "a", "messages": [{"role": "user", "content": "Hi"}], "blob": [1]}, {"alpha": 1}]
    body = client.post("/import", json={"text": "\n".join(map(json.dumps, lines)), "name": "x.jsonl"}).json()
    assert [log["id"] for log in body["logs"]] == ["a"]
    assert body["unreadable"][0]["place"] == "x.jsonl:2"
    assert "alpha" in body["unreadable"][0]["detail"]
    assert sum(body["left_out"].values()) + sum("blob" in name for name in body["kept"]) >= 1


def test_fields_and_speakers_go_by_the_names_that_are_given(client: TestClient) -> None:
    rows = [{"who": "buyer", "words": "Hi"}, {"who": "seller", "words": "Hello"}]
    names = {"map": {"role": "who", "content": "words"}, "roles": {"buyer": "user", "seller": "assistant"}}
    (log,) = client.post("/import", json={"text": json.dumps(rows), **names}).json()["logs"]
    said = [(one["role"], one["content"]) for one in log["messages"]]
    assert said == [("user", "Hi"), ("assistant", "Hello")]


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ({}, "/text", "one content is needed"),
        ({"text": "a", "base64": "YQ=="}, "/text", "one content is needed"),
        ({"base64": "*"}, "/base64", "not base64"),
        ({"base64": "YWJj", "encoding": "klingon"}, "/encoding", "unknown encoding"),
        ({"text": "User: Größe?", "encoding": "cp1251"}, "/encoding", "the encoding of a text is known"),
        ({"text": "stars\n5", "map": {"label:": "stars"}}, "/map", "label: is none of"),
        ({"text": "Ines: A lamp?\nTom: The Orla, 49.\nInes: Too dear\nTom: Mira"}, "/roles", "Ines"),
        ({"text": "Nobody speaks here."}, "/text", "it has no speakers"),
        ({"text": "[{}]", "map": {"role": "who"}}, "/map", "the data does not have this field"),
        ({"text": "[{}]", "map": {"rule": "who"}}, "/map", "rule is none of"),
        ({"text": "x", "roles": {"a": "b"}}, "/roles", "b is not a role"),
        ({"text": "[" * 200}, "/text", "nested 200 levels deep"),
        ({"text": f"[{'{},' * 500_000}{{}}]"}, "/text", "more than a body of this size"),
        ({"text": "x", "format": "word"}, "/format", ""),
    ],
)
def test_what_cannot_be_read_is_a_problem_that_names_the_field(
    client: TestClient, body: dict[str, object], pointer: str, detail: str
) -> None:
    answer = client.post("/import", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    (first, *_) = answer.json()["errors"]
    assert first["pointer"] == pointer
    assert detail in first["detail"]
    assert first["fix"]


def test_no_word_of_a_file_reaches_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        client.post("/import", json={"text": "SECRETWORD says nothing"})
    written = caplog.text + "".join(capsys.readouterr())
    assert "SECRETWORD" not in written


NO_TEXT = {"base64_codec", "bz2_codec", "hex_codec", "quopri_codec", "rot_13", "uu_codec", "zlib_codec"}
CODECS = {name for name, codec in aliases.items() if codec in NO_TEXT} | NO_TEXT
CODECS |= {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "a\0b"}


def test_codecs_that_are_none_of_text_are_no_encodings(client: TestClient) -> None:
    bomb = base64.b64encode(zlib.compress(b"User: Hi" + b" " * 100_000_000)).decode()
    for name in CODECS:
        answer = client.post("/import", json={"base64": bomb, "encoding": name})
        assert answer.status_code == 422, name
        assert answer.json()["errors"][0]["pointer"] == "/encoding"
