"""Habits that HTTP clients count on: numbers, keys of comparison and of repetition."""

import json
import re
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from tests.integration.http_exchange import JSON, LOG, Answer, ask
from tests.provider.behaviours import Status
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer
from tools.service_process import ROOT, running_service

LINES = {"Content-Type": "application/x-ndjson"}
MORE_DIGITS = re.compile(rb"[:,\[]-?\d+\.(?!0*\d{1,4}(?!\d))\d+|[:,\[]-?\d+e")
"""A number with more than four digits, unless it is a small one."""


def test_an_answer_about_one_factor_says_what_it_compares_with(url: str) -> None:
    one = ask(url, "POST", "/score/coherence", json.dumps({"log": LOG}).encode(), JSON).json
    same = ask(url, "POST", "/score", json.dumps({"log": LOG, "factors": ["coherence"]}).encode(), JSON).json
    assert one["comparison_key"] == same["comparison_key"]
    assert same["verdicts"][0]["comparison_key"] is None
    # It may be handed back as it is.
    verdicts = json.dumps({"log": LOG, "verdicts": [one], "factors": ["concept-overall"]}).encode()
    assert ask(url, "POST", "/score", verdicts, JSON).status == 200


ROUTES = ["/score", "/score/coherence", "/debate", "/evaluate", "/computational-metrics", "/agreement", "/calibrate", "/compare", "/behavior-alignment"]  # fmt: skip
CONTRACT = json.loads((ROOT / "openapi" / "openapi.json").read_text())


def example(path: str) -> dict[str, Any]:
    """The first example of a route's request in the contract."""
    documented = path if path in CONTRACT["paths"] else "/score/{factor}"
    content = CONTRACT["paths"][documented]["post"]["requestBody"]["content"]["application/json"]
    name = content["schema"]["$ref"].rpartition("/")[2]
    found: dict[str, Any] = CONTRACT["components"]["schemas"][name]["examples"][0]
    return found


@pytest.mark.parametrize("path", ROUTES)
def test_numbers_have_four_digits(url: str, path: str) -> None:
    mediocre = json.loads((ROOT / "examples" / "logs" / "mediocre.json").read_text())["log"]
    body = example(path)
    if "log" in body:
        body = {**body, "log": mediocre}
    if "logs" in body:
        body = {**body, "logs": [mediocre, LOG]}
    answer = ask(url, "POST", path, json.dumps(body).encode(), JSON)
    assert answer.status == 200, answer.body
    parsed = json.loads(answer.body)
    parsed.pop("maps", None)  # a map's hash is over its very numbers
    exact = json.dumps(parsed, separators=(",", ":")).encode()
    assert not MORE_DIGITS.findall(exact)


# Idempotency-Key


def batch(url: str, logs: dict[str, Any], **headers: str) -> Answer:
    lines = (
        {
            "custom_id": name,
            "path": "/score/coherence",
            "body": {"log": log, "cache": "off", "judge": log.get("metadata", {}).get("judge", "builtin")},
        }
        for name, log in logs.items()
    )
    sent = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask(url, "POST", "/batch", sent, {**LINES, **names})


def results(answer: Answer) -> dict[str, Any]:
    return {line["custom_id"]: line for line in map(json.loads, answer.body.splitlines())}


@pytest.fixture
def provider(model: ProviderServer) -> ProviderServer:
    model.reset()
    return model


@pytest.fixture(scope="module")
def replicas(model: ProviderServer, redis_server: RedisServer) -> Iterator[tuple[str, str]]:
    """Two replicas that share a store and a model."""
    settings = {
        "UPSTREAM_LOCAL": model.openai_url,
        "JUDGES": "builtin,local:*",
        "REDIS_URL": redis_server.url,
        "REDIS_TIMEOUT": "5",
    }
    with running_service(settings) as first, running_service(settings) as second:
        yield first, second


MODEL = {**LOG, "metadata": {"judge": "local:gpt-4o-mini"}}


def test_a_line_that_was_answered_is_not_worked_on_again(
    replicas: tuple[str, str], provider: ProviderServer
) -> None:
    first, second = replicas
    once = results(batch(first, {"a": MODEL}, Idempotency_Key="night-1"))
    calls = provider.calls
    assert (once["a"]["status"], calls) == (200, 1)
    # The other replica, the key as a quoted string, and one line more.
    again = results(batch(second, {"a": MODEL, "b": MODEL}, Idempotency_Key='"night-1"'))
    assert again["a"] == once["a"]
    assert again["b"]["status"] == 200
    assert provider.calls == calls + 1
    # Without the key, and with another one, it is work.
    results(batch(first, {"a": MODEL}))
    results(batch(first, {"a": MODEL}, Idempotency_Key="night-2"))
    assert provider.calls == calls + 3


def test_other_content_under_the_same_key_is_refused(url: str) -> None:
    assert results(batch(url, {"a": LOG}, Idempotency_Key="k"))["a"]["status"] == 200
    changed = results(batch(url, {"a": {**LOG, "id": "another"}}, Idempotency_Key="k"))["a"]
    assert (changed["status"], changed["body"]["errors"][0]["pointer"]) == (422, "/body")
    assert "new Idempotency-Key" in changed["body"]["errors"][0]["fix"]


def test_a_line_that_failed_is_tried_again(replicas: tuple[str, str], provider: ProviderServer) -> None:
    provider.behave(Status(401))
    failed = results(batch(replicas[0], {"a": MODEL}, Idempotency_Key="f"))["a"]
    assert failed["status"] == 502
    assert results(batch(replicas[0], {"a": MODEL}, Idempotency_Key="f"))["a"]["status"] == 200


def test_the_same_batch_twice_at_once_is_worked_on_once(
    replicas: tuple[str, str], provider: ProviderServer
) -> None:
    found: list[dict[str, Any]] = []

    def send(url: str) -> None:
        found.append(results(batch(url, {"a": MODEL}, Idempotency_Key="twice")))

    senders = [Thread(target=send, args=(url,)) for url in (*replicas, *replicas)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert [one["a"]["status"] for one in found] == [200] * 4
    assert len({json.dumps(one) for one in found}) == 1
    assert provider.calls == 1


@pytest.mark.parametrize("key", ["", "two words", "ü", "x" * 256, '""'])
def test_a_key_that_cannot_be_one_is_refused(url: str, key: str) -> None:
    answer = batch(url, {"a": LOG}, Idempotency_Key=key)
    assert answer.status == 422
    assert "Idempotency-Key" in answer.json["detail"]
