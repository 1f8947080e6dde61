import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager

import pytest
from starlette.testclient import TestClient

from service.domain.completion import Call
from service.domain.verdict import JudgeName, Verdict
from service.judges.evaluation import EvaluationRequest
from service.telemetry.logging import configure_logging
from tests.api.posting import answered
from tests.api.scripted import deployed_client
from tests.factories import failed, scored
from tests.registries import CORE

LOG = {"messages": [{"role": "user", "content": "my-secret"}, {"role": "assistant", "content": "my-secret"}]}


def test_a_wrong_method_names_the_right_one(client: TestClient) -> None:
    response = client.get("/score")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert "POST" in response.json()["detail"]


@pytest.mark.parametrize("path", ["/score/coherense", "/factors/coherense"])
def test_an_unknown_factor_in_the_path_is_404_with_the_nearest(client: TestClient, path: str) -> None:
    response = client.post(path, json={"log": LOG}) if path.startswith("/score") else client.get(path)
    assert response.status_code == 404
    assert "'coherence'" in response.json()["detail"]


@pytest.mark.parametrize("path", ["/score", "/faults", "/factors", "/choices"])
def test_an_unknown_parameter_of_the_query_is_named(client: TestClient, path: str) -> None:
    body = {"log": LOG, "factors": ["coherence"]}
    response = (
        client.post(f"{path}?jud%2Fge=x", json=body) if path == "/score" else client.get(f"{path}?jud%2Fge=x")
    )
    assert response.status_code == 422
    assert [error["pointer"] for error in response.json()["errors"]] == ["/jud~1ge"]


def test_request_ids_are_taken_or_made_and_echoed(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    made = client.get("/healthz", headers={"X-Request-ID": "no spaces\tor tabs"}).headers["x-request-id"]
    assert made.isalnum()
    assert made != client.get("/healthz").headers["x-request-id"]


class Scripted:
    """Answers as configured: a code to fail with, or an exception to raise."""

    name = JudgeName("scripted", "one")

    def __init__(self, codes: list[str | None] | Exception) -> None:
        self.codes = codes

    def refusal(self, evaluation: EvaluationRequest) -> None:
        return None

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        for index, factor in enumerate(evaluation.factors):
            if isinstance(self.codes, Exception):
                raise self.codes
            code = self.codes[index % len(self.codes)]
            if code is None:
                yield scored(factor.slug, 3, self.name)
            else:
                yield failed(factor.slug, self.name, code=code)


def scripted(codes: list[str | None] | Exception) -> AbstractContextManager[TestClient]:
    return deployed_client(lambda _: Scripted(codes))


def test_an_upstream_that_is_down_is_a_502_that_carries_the_verdicts() -> None:
    with scripted(["upstream_unavailable"]) as client:
        for path, count in (("/score", len(CORE)), ("/score/coherence", 1)):
            problem = answered(client, 502, path=path, log=LOG)
            assert (problem["retryable"], len(problem["verdicts"])) == (True, count)


def test_an_upstream_out_of_time_is_a_504() -> None:
    with scripted(["upstream_timeout"]) as client:
        verdicts = answered(client, 504, log=LOG)["verdicts"]
        assert {verdict["reason"]["code"] for verdict in verdicts} == {"upstream_timeout"}


def test_any_verdict_makes_the_answer_a_200_with_a_warning() -> None:
    with scripted([None, "upstream_unavailable"]) as client:
        answer = answered(client, log=LOG)
        assert [warning["code"] for warning in answer["warnings"]] == ["failed_verdicts"]
        assert answer["summaries"][0]["mean"] == 3
        assert answer["summaries"][0]["failed"] == 6


def test_a_judges_unusable_answer_is_a_200_with_failed() -> None:
    with scripted(["unreadable"]) as client:
        verdict = answered(client, path="/score/coherence", log=LOG)
        assert (verdict["status"], verdict["score"]) == ("failed", None)


def test_a_stream_of_a_dead_upstream_ends_in_its_problem() -> None:
    with scripted(["upstream_unavailable"]) as client:
        response = client.post("/score", json={"log": LOG}, headers={"Accept": "text/event-stream"})
        last = response.text.strip().split("\n\n")[-1]
        assert "event: error" in last
        assert json.loads(last.split("data: ")[1])["status"] == 502


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_defect_tells_nothing_and_logs_no_text(accept: str) -> None:
    stream = io.StringIO()
    configure_logging("json", "debug", stream)
    with scripted(RuntimeError("my-secret")) as client:
        response = client.post(
            "/score", json={"log": LOG}, headers={"Accept": accept, "X-Request-ID": "the-id"}
        )
    assert "my-secret" not in response.text
    assert "Traceback" not in response.text
    assert "/problems/internal-error" in response.text
    assert "my-secret" not in stream.getvalue()
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    defects = [entry for entry in entries if entry["event"] == "defect"]
    assert [entry["request_id"] for entry in defects] == ["the-id"]
    assert re.fullmatch(r"\w+ at [\w.]+:\d+", defects[0]["exception"])
    requests = [entry for entry in entries if entry["event"] == "request"]
    assert requests[0]["route"] == "/score"
    assert requests[0]["method"] == "POST"


def test_conversation_text_never_reaches_the_log(client: TestClient) -> None:
    stream = io.StringIO()
    configure_logging("json", "debug", stream)
    client.post("/score", json={"log": LOG})
    client.post("/score", json={"log": {**LOG, "my-secret": 1}})
    client.post("/score/my-secret", json={"log": LOG})
    assert '"event":"request"' in stream.getvalue()
    assert "my-secret" not in stream.getvalue()
