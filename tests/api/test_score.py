import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.posting import answered
from tests.registries import CORE

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples" / "logs").glob("*.json"))
TALK = [{"role": "user", "content": "A western, please."}, {"role": "assistant", "content": "Which decade?"}]


def log(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"messages": list(messages or TALK), **fields}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_gets_twelve_verdicts_with_reasons(client: TestClient, path: Path) -> None:
    body = json.loads(path.read_text())
    answer = answered(client, **body)
    assert [verdict["factor"] for verdict in answer["verdicts"]] == CORE
    messages = body["log"]["messages"]
    for verdict in answer["verdicts"]:
        assert verdict["status"] in ("scored", "not_assessable")
        assert (
            (verdict["score"] is None) == (verdict["status"] != "scored") == (verdict["reason"] is not None)
        )
        for evidence in verdict["evidence"]:
            if evidence["quote"]:
                assert evidence["quote"] in messages[evidence["message"]]["content"]
    assert answer["judges"] == [{"name": "builtin", "model": None}]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_scored_as_it_is_by_a_service_without_settings(
    client: TestClient, bare: TestClient, path: Path
) -> None:
    body = json.loads(path.read_text())
    answer = answered(bare, **body)
    assert all(verdict["status"] != "failed" for verdict in answer["verdicts"])
    items = body["log"].pop("items", None)
    if items:
        catalog = "restaurants" if body["log"]["domain"] == "restaurant" else "films"
        whole = answered(client, **body, catalog=catalog)
        assert [v["score"] for v in answer["verdicts"]] == [v["score"] for v in whole["verdicts"]]


def test_protocols_and_slugs_mix(client: TestClient) -> None:
    answer = answered(client, log=log(), factors=["groundness", "core"])
    slugs = [verdict["factor"] for verdict in answer["verdicts"]]
    assert slugs[0] == "groundness"
    assert sorted(slugs) == sorted(CORE)


def test_comparison_keys_tell_how_a_log_was_read(client: TestClient) -> None:
    plain = answered(client, log=log())["comparison_key"]
    assert answered(client, log=log(id="another", system="b"))["comparison_key"] == plain
    assert answered(client, log=log(), list_cutoff=5)["comparison_key"] != plain
    assert answered(client, log=log(), catalog="films")["comparison_key"] != plain
    assert answered(client, log=log(), list_source="text")["comparison_key"] != plain
    assert answered(client, log=log(), factors=["coherence"])["comparison_key"] != plain


BROKEN_WITH_SEPARATORS = [
    {"role": "user", "content": "A western, please."},
    {"role": "assistant", "content": "I has no idea the the the the film.", "id": "m\u2028\x85\u2029"},
]


def events(text: str) -> list[tuple[int, str, Any]]:
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


def test_a_stream_gives_each_verdict_and_then_the_answer(client: TestClient) -> None:
    body = json.loads(EXAMPLES[0].read_text())
    response = client.post("/score", json=body, headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    found = events(response.text)
    assert [number for number, _, _ in found] == list(range(1, len(CORE) + 2))
    assert [name for _, name, _ in found] == ["verdict"] * len(CORE) + ["done"]
    assert found[-1][2] == answered(client, **body)
    assert sorted(v["factor"] for _, _, v in found[:-1]) == sorted(CORE)


def test_no_reader_of_lines_finds_the_end_of_one_inside_an_event(client: TestClient) -> None:
    body: dict[str, Any] = {"log": log(*BROKEN_WITH_SEPARATORS), "factors": ["grammatical-correctness"]}
    response = client.post("/score", json=body, headers={"Accept": "text/event-stream"})
    assert "m\\u2028\\u0085\\u2029" in response.text
    assert response.text.splitlines() == response.text.split("\n")[:-1]
    assert events(response.text)[-1][2] == answered(client, **body)


def test_a_stream_that_cannot_begin_is_a_problem(client: TestClient) -> None:
    response = client.post(
        "/score", json={"log": log(), "judge": "nobody"}, headers={"Accept": "text/event-stream"}
    )
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
