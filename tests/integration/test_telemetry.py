"""Telemetry that leaves the process: over OTLP to a receiver that decodes it, and as Prometheus text."""

import asyncio
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from service.api.middleware.telemetry import RequestTelemetry
from service.app import create_app
from service.settings import Settings
from service.telemetry import names
from service.telemetry.logging import configure_logging
from service.telemetry.telemetry import Telemetry
from tests.factories import in_turns
from tests.otlp_receiver import OtlpReceiver, plain
from tests.provider.behaviours import Status
from tests.provider.server import ProviderServer
from tests.registries import CORE

SECRET_TEXT, SECRET_KEY, SECRET_ERROR = "xylophonic-marmalade", "sk-quagmire-7", "zanzibar-overload"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
CALLER = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=one"}
JUDGE = "local:gpt-4o-mini"
LOG = {
    "id": f"id-{SECRET_TEXT}",
    "system": "alpha",
    "metadata": {"note": SECRET_TEXT},
    "messages": in_turns(
        f"A calm film about {SECRET_TEXT}, please.", f"Try The Quiet Harbour: it is all {SECRET_TEXT}."
    ),
}
PRICES = f'["{JUDGE}"]\ninput = 1.0\noutput = 2.0\n'


@dataclass
class ServiceRun:
    """Telemetry of one service, from its start to its stop."""

    otlp: OtlpReceiver
    text: str
    log: str
    answer: dict[str, Any]

    @property
    def asked(self) -> int:
        """Verdicts that took a call."""
        return sum(verdict["prompt_hash"] is not None for verdict in self.answer["verdicts"])

    def series(self, name: str) -> dict[frozenset[tuple[str, str]], float]:
        return {
            frozenset(sample.labels.items()): sample.value
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
            if sample.name == name
        }

    def total(self, name: str, **labels: str) -> float:
        wanted = set(labels.items())
        return sum(value for found, value in self.series(name).items() if wanted <= found)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceRun]:
    """Twelve factors asked of a model twice, once of a model that fails, and a path that is not there."""
    prices = tmp_path_factory.mktemp("prices") / "prices.toml"
    prices.write_text(PRICES)
    lines = io.StringIO()
    configure_logging("json", "info", lines)
    with OtlpReceiver() as otlp, ProviderServer() as provider:
        settings = Settings(
            upstreams={"local": provider.openai_url},
            upstream_keys={"local": SECRET_KEY},
            judges=("builtin", "local:*"),
            prices=prices,
            otlp_endpoint=otlp.url,
        )
        with TestClient(create_app(settings), raise_server_exceptions=False) as client:
            body = {"log": LOG, "judge": JUDGE}
            headers = {**CALLER, "X-Request-ID": "request-1"}
            answer = client.post("/score", json=body, headers=headers).json()
            assert client.post("/score", json=body).headers["cache-status"] == "crs-eval; hit"
            provider.default = Status(400, SECRET_ERROR)
            failing = {"log": LOG, "judge": "local:other", "cache": "off"}
            assert client.post("/score/coherence", json=failing).status_code == 502
            assert client.get(f"/nowhere/{SECRET_TEXT}").status_code == 404
            text = client.get("/metrics").text
        yield ServiceRun(otlp, text, lines.getvalue(), answer)


def test_a_request_is_a_span_in_its_callers_trace_with_its_calls_below(run: ServiceRun) -> None:
    ours = [span for span in run.otlp.spans if span.trace_id.hex() == TRACE]
    [server] = [span for span in ours if span.name == "POST /score"]
    calls = [span for span in ours if span.name == "chat gpt-4o-mini"]
    assert (server.parent_span_id.hex(), server.trace_state) == (PARENT, "vendor=one")
    found = plain(server.attributes)
    assert (found[names.HTTP_ROUTE], found[names.HTTP_STATUS], found[names.REQUEST_ID]) == (
        "/score",
        200,
        "request-1",
    )
    assert len(calls) == run.asked
    assert run.asked >= 10
    assert {span.parent_span_id for span in calls} == {server.span_id}
    attributes = plain(calls[0].attributes)
    assert attributes[names.OPERATION] == "chat"
    assert attributes[names.PROVIDER] == "local"
    assert attributes[names.INPUT_TOKENS] > 0


def test_a_span_fails_with_the_service_and_not_with_its_caller(run: ServiceRun) -> None:
    served = [span for span in run.otlp.spans if span.kind == 2]
    assert {span.name: (plain(span.attributes).get(names.ERROR_TYPE), span.status.code) for span in served} == {
        "POST /score": (None, 0), "POST /score/{factor}": ("502", 2), "GET": (None, 0),
    }  # fmt: skip


async def test_a_request_that_nobody_answers_is_a_failed_span() -> None:
    async def nothing(*_: object) -> Any:
        pass

    with OtlpReceiver() as otlp:
        telemetry = Telemetry("0", otlp.url)
        scope = {"type": "http", "method": "POST", "path": "/score", "headers": []}
        await RequestTelemetry(nothing, telemetry.recorder)(scope, nothing, nothing)
        await asyncio.to_thread(telemetry.shutdown)
    [span] = otlp.spans
    assert plain(span.attributes)[names.ERROR_TYPE] == "cut_off"


def test_each_verdict_is_an_evaluation_event_in_the_trace(run: ServiceRun) -> None:
    events = [event for event in run.otlp.events if event.trace_id.hex() == TRACE]
    assert {event.event_name for event in events} == {"gen_ai.evaluation.result"}
    scores = {plain(event.attributes)[names.EVALUATION_NAME]: plain(event.attributes) for event in events}
    assert len(events) == len(run.answer["verdicts"]) == len(CORE)
    for verdict in run.answer["verdicts"]:
        assert scores[verdict["factor"]].get(names.EVALUATION_SCORE) == verdict["score"]
        assert scores[verdict["factor"]]["system"] == "alpha"


def test_both_ways_out_tell_the_same(run: ServiceRun) -> None:
    sent = run.otlp.metrics
    verdicts = sent[names.VERDICTS].sum.data_points
    assert (
        sum(point.as_int for point in verdicts) == run.total("crs_eval_verdicts_total") == 2 * len(CORE) + 1
    )
    assert sent[names.HTTP_DURATION].histogram.data_points
    assert run.otlp.resource["service.name"] == "crs-eval"
    assert run.otlp.resource["service.instance.id"]


@pytest.mark.parametrize(("wanted", "expected"), [("cumulative", [1, 2]), ("delta", [1, 1])])
def test_a_receiver_gets_durations_as_it_wants_them(
    monkeypatch: pytest.MonkeyPatch, wanted: str, expected: list[int]
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", wanted)
    counts = []
    with OtlpReceiver() as otlp:
        telemetry = Telemetry("0", otlp.url)
        for _ in range(2):
            telemetry.recorder.request("POST", "/score", 200, 0.1)
            telemetry._meters.force_flush()
            histogram = otlp.metrics[names.HTTP_DURATION].histogram
            counts.append(histogram.data_points[0].count)
        telemetry.shutdown()
    assert counts == expected
    assert histogram.aggregation_temporality == {"delta": 1, "cumulative": 2}[wanted]


def test_metrics_count_rate_errors_calls_tokens_cost_and_hits(run: ServiceRun) -> None:
    count = "http_server_request_duration_seconds_count"
    assert run.total(count, http_route="/score", http_response_status_code="200") == 2
    assert run.total(count, http_route="/score/{factor}", http_response_status_code="502") == 1
    assert run.total(count, http_route="", http_response_status_code="404") == 1
    calls = "gen_ai_client_operation_duration_seconds_count"
    assert run.total(calls, gen_ai_request_model="gpt-4o-mini", error_type="") == run.asked
    assert run.total(calls, gen_ai_request_model="other", error_type="upstream_rejected") >= 1
    usage = run.answer["usage"]
    tokens = "gen_ai_client_token_usage_sum"
    assert run.total(tokens, gen_ai_token_type="input") == usage["input_tokens"]
    assert run.total("crs_eval_upstream_cost_total") == pytest.approx(usage["cost"], abs=1e-5)
    assert run.total("crs_eval_cache_lookups_total", result="hit") == run.asked
    assert run.total("crs_eval_cache_saved_tokens_total") == usage["input_tokens"] + usage["output_tokens"]
    assert run.total("crs_eval_upstream_in_flight") == 0


def test_live_quality_is_told_by_factor_and_system(run: ServiceRun) -> None:
    for verdict in run.answer["verdicts"]:
        by = {"factor": verdict["factor"], "system": "alpha", "judge": JUDGE}
        if verdict["status"] == "scored":
            assert run.total("crs_eval_verdicts_total", level=str(verdict["level"]), **by) == 2
            assert run.total("crs_eval_scores_total", **by) == 2 * verdict["score"]
        else:
            assert run.total("crs_eval_verdicts_total", status=verdict["status"], **by) == 2
    assert run.total("crs_eval_verdicts_total", status="failed", factor="coherence") == 1


def test_log_lines_carry_the_trace_and_the_request(run: ServiceRun) -> None:
    lines = [json.loads(line) for line in run.log.splitlines()]
    [line] = [line for line in lines if line.get("request_id") == "request-1" and line["event"] == "request"]
    assert line["trace_id"] == TRACE
    assert line["span_id"]


def test_no_text_key_or_provider_message_leaves_by_any_way(run: ServiceRun) -> None:
    sent = b"".join(run.otlp.raw)
    assert sent
    for secret in (SECRET_TEXT, SECRET_KEY, SECRET_ERROR):
        assert secret.encode() not in sent
        assert secret not in run.text
        assert secret not in run.log


def test_without_an_endpoint_nothing_is_sent_and_the_callers_trace_is_logged() -> None:
    lines = io.StringIO()
    configure_logging("json", "info", lines)
    with TestClient(create_app(Settings(workers=0))) as client:
        client.get("/factors", headers=CALLER)
    entry = next(json.loads(line) for line in lines.getvalue().splitlines() if '"request"' in line)
    assert entry["trace_id"] == TRACE


def test_nothing_is_sent_where_opentelemetry_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with OtlpReceiver() as otlp:
        with TestClient(create_app(Settings(otlp_endpoint=otlp.url, workers=0))) as client:
            assert client.post("/score", json={"log": LOG}).status_code == 200
        assert otlp.raw == []


def test_a_receiver_that_is_away_fails_no_request() -> None:
    configure_logging("json", "error", io.StringIO())
    before = set(threading.enumerate())
    with TestClient(create_app(Settings(otlp_endpoint="http://127.0.0.1:9", workers=0))) as client:
        assert client.post("/score", json={"log": LOG}).status_code == 200
    assert not [thread for thread in set(threading.enumerate()) - before if "Otel" in thread.name]
