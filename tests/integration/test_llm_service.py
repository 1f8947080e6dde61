"""LLM judges behind the service as it runs: processes of their own, real HTTP, Redis, two replicas, and
a provider on loopback."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.cli.calibration.command import calibrate
from service.cli.inputs import json_digest
from service.cli.judges import examples_in
from service.cli.records import write_records
from tests.patience import PATIENCE, REDIS_TIMEOUT, wait_for
from tests.provider.behaviours import Answer, Latency, Status, unknown_model
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of
from tests.redis_server import RedisServer
from tests.registries import CORE
from tests.replica import Replica
from tests.unit.cli.calibration.test_examples import examples
from tests.unit.cli.making import record
from tools.service_process import ROOT, running_service

LOG = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
BODY: dict[str, Any] = {"log": LOG}
JUDGE = "local:gpt-4o-mini"


def settings(provider: ProviderServer, redis_url: str | None = None) -> dict[str, str]:
    plain = {
        "UPSTREAM_LOCAL": provider.openai_url,
        "JUDGES": "builtin,local:*",
        "JUDGE": JUDGE,
        "REQUEST_TIMEOUT": f"{10 * PATIENCE}",  # so that what is waited for does not come by the deadline alone
    }
    return plain | ({"REDIS_URL": redis_url, "REDIS_TIMEOUT": f"{REDIS_TIMEOUT}"} if redis_url else {})


@pytest.fixture(scope="module")
def model() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture(scope="module")
def urls(model: ProviderServer, redis_server: RedisServer) -> Iterator[list[str]]:
    """Two replicas on one Redis."""
    with ExitStack() as stack:
        yield [stack.enter_context(running_service(settings(model, redis_server.url))) for _ in range(2)]


@pytest.fixture
def provider(model: ProviderServer, redis_url: str) -> ProviderServer:
    model.reset()
    return model


def score(url: str, **fields: object) -> httpx2.Response:
    return httpx2.post(f"{url}/score", json=BODY | fields, timeout=PATIENCE)


def test_twelve_calls_then_none_on_either_replica(provider: ProviderServer, urls: list[str]) -> None:
    first = score(urls[0])
    assert first.status_code == 200
    assert provider.calls == len(CORE)
    assert first.headers["cache-status"] == 'crs-eval; fwd=miss; detail="hits=0/12"'
    for url in urls:
        again = score(url)
        assert again.headers["cache-status"] == "crs-eval; hit"
        assert provider.calls == len(CORE)
        assert again.json()["comparison_key"] == first.json()["comparison_key"]
        assert again.json()["usage"]["input_tokens"] == 0
        pairs = zip(again.json()["verdicts"], first.json()["verdicts"], strict=True)
        assert all(hit["score"] == miss["score"] for hit, miss in pairs)


@pytest.mark.parametrize(("path", "rest"), [("/score", {}), ("/evaluate", {"debate": False})])
def test_grouped_factors_are_warned_of_once_an_answer(
    provider: ProviderServer, urls: list[str], path: str, rest: dict[str, Any]
) -> None:
    def warned(**fields: object) -> list[tuple[str, bool]]:
        answer = httpx2.post(f"{urls[0]}{path}", json=BODY | rest | fields, timeout=PATIENCE).json()
        return [(warning["code"], "/agreement" in warning["detail"]) for warning in answer["warnings"]]

    assert warned() == []
    for grouping in ("all", "dimension", "all"):
        assert warned(grouping=grouping, factors=["core"]) == [("grouped", True)]
    assert warned(grouping="all", factors=["coherence"]) == []
    assert warned(grouping="all", judge="builtin") == []


@pytest.mark.parametrize(
    ("behaviour", "status", "said"),
    [
        (unknown_model("gpt-4o-mini"), 502, "does not exist or has been deprecated"),
        (Status(401), 502, "check the key"),
    ],
)
def test_an_upstream_that_gives_nothing_is_a_problem_that_says_why(
    provider: ProviderServer, urls: list[str], behaviour: Status, status: int, said: str
) -> None:
    provider.default = behaviour
    answer = score(urls[0])
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]
    assert len(answer.json()["verdicts"]) == len(CORE)


def test_an_upstream_that_stays_away_is_a_problem_that_says_why(provider: ProviderServer) -> None:
    provider.default = Status(500)
    # Asked again for as long as an answer may take.
    with running_service(settings(provider) | {"REQUEST_TIMEOUT": "8"}) as url:
        answer = score(url)
    assert answer.status_code == 502
    assert "the provider answered 500" in answer.json()["detail"]
    assert {verdict["status"] for verdict in answer.json()["verdicts"]} == {"failed"}


def test_a_fault_of_one_answer_is_no_fault_of_the_request(provider: ProviderServer, urls: list[str]) -> None:
    provider.behave(Answer("", content=False, refusal="No."))
    answer = score(urls[0])
    assert answer.status_code == 200
    statuses = [verdict["status"] for verdict in answer.json()["verdicts"]]
    assert sorted(statuses) == ["failed"] + ["scored"] * (len(CORE) - 1)
    assert answer.json()["summaries"][0]["failed"] == 1


def test_a_factor_goes_to_the_judge_that_the_operator_chose_for_it(provider: ProviderServer) -> None:
    chosen = settings(provider) | {
        "JUDGE_NOVELTY": "local:qwen3-32b",
        "JUDGE_GRAMMATICAL_CORRECTNESS": "builtin",
    }
    with running_service(chosen) as url:
        answer = score(url).json()
    judges = {verdict["factor"]: verdict["judge"] for verdict in answer["verdicts"]}
    assert judges["novelty"] == {"name": "local", "model": "qwen3-32b"}
    assert judges["grammatical-correctness"]["name"] == "builtin"
    assert judges["coherence"]["model"] == "gpt-4o-mini"
    assert provider.calls == len(CORE) - 1


def test_a_judge_that_is_not_allowed_is_the_callers_mistake(
    provider: ProviderServer, urls: list[str]
) -> None:
    answer = score(urls[0], judge="openai:gpt-4o")
    assert answer.status_code == 422
    assert provider.calls == 0


def test_a_stop_waits_for_the_answers_that_are_under_way() -> None:
    with ProviderServer(latency=Latency(1.5)) as provider:
        replica = Replica(settings(provider))
        try:
            replica.wait_ready()
            command = [sys.executable, "-c", ASK, replica.url, json.dumps(BODY)]
            asking = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
            wait_for(lambda: provider.in_flight)
            assert replica.stop() in (0, -signal.SIGTERM)
        finally:
            replica.kill()
        said, _ = asking.communicate(timeout=PATIENCE)
        assert said == b"200 %d\n" % len(CORE)
        assert provider.wait_idle()
        assert provider.wait_closed()


ASK = """
import sys
import httpx2
answer = httpx2.post(sys.argv[1] + "/score", content=sys.argv[2], timeout=120,
                     headers={"Content-Type": "application/json"})
print(answer.status_code, sum(verdict["status"] == "scored" for verdict in answer.json()["verdicts"]))
"""


def nearest(payload: dict[str, Any]) -> str:
    """A model that repeats the score of the example whose reply begins as that of the log; 3 where there is none."""
    text = prompt_of(payload)
    (word,) = re.findall(r"Interaction\n\[0\] recommender: (\w+)", text)
    shown = re.findall(r"people gave ([\d.]+) for coherence.*\n\[0\] recommender: (\w+)", text)
    scores = [round(float(score)) for score, first in shown if first == word]
    said = {"rationale": "As the nearest.", "evidence": [], "arises": True}
    return json.dumps({**said, "score": scores[0] if scores else 3})


def test_anchors_that_calibrate_writes_are_shown_to_a_model(
    provider: ProviderServer, urls: list[str], tmp_path: Path
) -> None:
    provider.default = Answer(text=nearest)
    given = examples(20)
    logs = [one.row for one in given]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(log) + "\n" for log in logs))
    results, labels, out = tmp_path / "results.jsonl", tmp_path / "labels.jsonl", tmp_path / "anchors.json"
    judge = {"name": "local", "model": "gpt-4o-mini"}
    records = [
        replace(record(log["id"], {"coherence": 3}, judge=judge), digest=json_digest(log)) for log in logs
    ]
    write_records(results, records)
    rating = {"factor": "coherence", "rater": "anna", "kind": "human"}
    rows = [{**rating, "conversation": one.row["id"], "score": 4 * one.people} for one in given]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))

    calibrate(
        [str(results)], labels=[str(labels)], logs=[str(tmp_path / "logs.jsonl")], examples=out, shots=10
    )
    anchors = examples_in(out)
    assert len(anchors) == 10
    body = {"log": logs[0], "factors": ["coherence"]}
    plain, shown, builtin = (
        httpx2.post(f"{urls[0]}/score", json={**body, **more}, timeout=PATIENCE).json()
        for more in ({}, {"examples": anchors}, {"examples": anchors, "judge": "builtin"})
    )
    assert plain["comparison_key"] != shown["comparison_key"]
    assert plain["verdicts"][0]["evaluator_revision"] != shown["verdicts"][0]["evaluator_revision"]
    assert builtin["errors"][0]["pointer"] == "/examples"
