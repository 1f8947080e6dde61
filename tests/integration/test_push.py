"""`crs-eval push` against servers on loopback that check requests as the platforms' published APIs say."""

import base64
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator

from service.cli.pushing.sinks import sinks
from service.cli.records import Record, write_records
from tests.forked import crs_eval
from tests.loopback_server import AnsweringServer, Response
from tests.unit.cli.making import fault, record, verdict

KEY, SECRET = "pk-lf-1234567890", "sk-lf-0987654321"
BASIC = f"Basic {base64.b64encode(f'{KEY}:{SECRET}'.encode()).decode()}"
STRING, NUMBER, TEXT = {"type": "string"}, {"type": "number"}, {"type": ["string", "null"]}


def _closed(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def _listed(name: str, most: int, item: dict[str, Any]) -> dict[str, Any]:
    return _closed(name, **{name: {"type": "array", "minItems": 1, "maxItems": most, "items": item}})


def _annotation(target: str) -> dict[str, Any]:
    """Phoenix: schemas/openapi.json, TraceAnnotationData and SessionAnnotationData."""
    fields = {
        "name": STRING,
        "annotator_kind": {"enum": ["LLM", "CODE", "HUMAN"]},
        "identifier": STRING,
        "metadata": {"type": ["object", "null"]},
        "result": _closed("", score={"type": ["number", "null"]}, label=TEXT, explanation=TEXT),
        target: STRING,
    }
    return _listed("data", 100_000, _closed(f"name annotator_kind {target}", **fields))


def _langfuse(target: str) -> dict[str, Any]:
    """Langfuse: fern/apis/server/definition/scores.yml, CreateScoreRequest."""
    kinds = {"enum": ["NUMERIC", "BOOLEAN", "CATEGORICAL"]}
    more = {"dataType": kinds, "comment": TEXT, "metadata": {"type": "object"}, target: STRING}
    return _closed(f"name value {target}", id=STRING, name=STRING, value=NUMBER, **more)


def _opik(target: str) -> dict[str, Any]:
    """Opik: FeedbackScoreBatch and FeedbackScoreBatchItem."""
    source = {"enum": ["ui", "sdk", "online_scoring"]}
    more = {"reason": TEXT, "source": source, "project_name": STRING, target: STRING}
    return _listed("scores", 1000, _closed(f"name value source {target}", name=STRING, value=NUMBER, **more))


def _mlflow() -> dict[str, Any]:
    """MLflow: mlflow/protos/assessments.proto, Assessment."""
    source = _closed(
        "source_type source_id", source_type={"enum": ["HUMAN", "LLM_JUDGE", "CODE"]}, source_id=STRING
    )
    assessment = _closed(
        "assessment_name trace_id source feedback",
        assessment_name={"type": "string", "pattern": r"^[^.]+$"},
        trace_id=STRING,
        source=source,
        feedback=_closed("value", value={"type": ["number", "boolean"]}),
        metadata={"type": "object", "additionalProperties": STRING},
        rationale=STRING,
    )
    return _closed("assessment", assessment=assessment)


def _langsmith() -> dict[str, Any]:
    """LangSmith: FeedbackCreateSchema of its OpenAPI document, as its clients hold it."""
    source = _closed("type", type={"enum": ["app", "api", "model", "auto_eval"]}, metadata={"type": "object"})
    run = {"id": STRING, "run_id": STRING, "trace_id": STRING, "session_id": STRING}
    return _closed("key", key=STRING, score=NUMBER, comment=TEXT, feedback_source=source, **run)


ROUTES = {
    ("POST", "/api/public/scores", "traceId"): _langfuse("traceId"),
    ("POST", "/api/public/scores", "sessionId"): _langfuse("sessionId"),
    ("POST", "/v1/trace_annotations", "trace_id"): _annotation("trace_id"),
    ("POST", "/v1/session_annotations", "session_id"): _annotation("session_id"),
    ("PUT", "/v1/private/traces/feedback-scores", "id"): _opik("id"),
    ("PUT", "/v1/private/traces/threads/feedback-scores", "thread_id"): _opik("thread_id"),
    ("POST", "/api/v1/feedback", "run_id"): _langsmith(),
    ("POST", "/api/3.0/mlflow/traces/t-1/assessments", "trace_id"): _mlflow(),
    ("POST", "/api/3.0/mlflow/traces/t-2/assessments", "trace_id"): _mlflow(),
}
PLATFORMS = {
    "langfuse": (
        {"LANGFUSE_PUBLIC_KEY": KEY, "LANGFUSE_SECRET_KEY": SECRET},
        {"Authorization": BASIC},
        "LANGFUSE_BASE_URL",
    ),
    "phoenix": (
        {"PHOENIX_API_KEY": SECRET},
        {"Authorization": f"Bearer {SECRET}"},
        "PHOENIX_COLLECTOR_ENDPOINT",
    ),
    "opik": (
        {"OPIK_API_KEY": SECRET, "OPIK_WORKSPACE": "shop", "OPIK_PROJECT_NAME": "crs"},
        {"authorization": SECRET, "Comet-Workspace": "shop"},
        "OPIK_URL_OVERRIDE",
    ),
    "mlflow": (
        {"MLFLOW_TRACKING_TOKEN": SECRET},
        {"Authorization": f"Bearer {SECRET}"},
        "MLFLOW_TRACKING_URI",
    ),
}
PLATFORMS["langsmith"] = (
    {"LANGSMITH_API_KEY": SECRET, "LANGSMITH_WORKSPACE_ID": "shop", "LANGSMITH_PROJECT_ID": "p-1"},
    {"X-Api-Key": SECRET, "X-Tenant-Id": "shop"},
    "LANGSMITH_ENDPOINT",
)
Answer = tuple[int, dict[str, str], str]


class Platform(AnsweringServer):
    """All platforms in one: it checks requests against their schemas. `answers` come first, one a request; `unknown` are traces
    that it does not have. `bodies` holds what it took."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.unknown: set[str] = set()
        self.bodies: list[dict[str, Any]] = []
        self.asked = 0
        self.headers: dict[str, str] = {}
        super().__init__()

    def take(self, method: str, path: str, text: str) -> Answer:
        self.asked += 1
        if self.answers:
            return self.answers.pop(0)
        body = json.loads(text)
        place = urlsplit(path)
        schemas = [schema for route, schema in ROUTES.items() if route[:2] == (method, place.path)]
        wrong = [[error.message for error in Draft202012Validator(one).iter_errors(body)] for one in schemas]
        if not schemas or all(wrong):
            return 422, {}, json.dumps({"wrong": wrong, "path": path})
        if "annotations" in path and place.query != "sync=true":
            return 422, {}, "refusals need sync=true"
        if lost := sorted(name for name in self.unknown if f'"{name}"' in text):
            return 404, {}, f"Traces with IDs {', '.join(lost)} do not exist. {SECRET}\x1b[2J"
        self.bodies.append(body)
        return 200, {}, "{}"

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Response:
        self.headers = dict(request.headers)
        status, headers, answer = self.take(request.command, request.path, body.decode())
        return status, headers, answer.encode()


@pytest.fixture
def platform() -> Iterator[Platform]:
    with Platform() as server:
        yield server


def _judged(name: str, **more: Any) -> Record:
    """Two scored factors, one that is not assessable, and two faults of one kind."""
    made = replace(record(name, {}), **more)
    repeated = [fault("loops", 1, 0.9, "Try Paper Lanterns"), fault("loops", 3, 0.8)]
    model = {"name": "openai", "model": "gpt-x"}
    verdicts = [
        verdict("coherence", 2.5, faults=repeated),
        verdict("novelty", 3, judge=model),
        verdict("diversity", None),
    ]
    return replace(made, answer={**(made.answer or {}), "verdicts": verdicts})


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.jsonl"
    write_records(path, [_judged("t-1"), _judged("t-2")])
    return path


Push = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def push(platform: Platform, results: Path) -> Push:
    def run(to: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        settings, _, address = PLATFORMS[to]
        values = {**settings, address: f"{platform.url}/", **environment}
        done = crs_eval("push", results, "--to", to, *options, cwd=results.parent, **values)
        assert not [value for value in (KEY, SECRET, BASIC) if value in done.stdout + done.stderr]
        return done

    return run


def _scores(platform: Platform) -> list[dict[str, Any]]:
    """All single scores that the platform took."""
    found: list[dict[str, Any]] = []
    for body in platform.bodies:
        found += body.get("data") or body.get("scores") or [body.get("assessment", body)]
    return found


def test_every_platform_is_tried() -> None:
    assert list(sinks()) == sorted(PLATFORMS)


@pytest.mark.parametrize("to", PLATFORMS)
def test_scores_arrive_once(to: str, platform: Platform, push: Push) -> None:
    done = push(to)
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"Sent to {to}: 4 scores, 2 faults. Refused: 0. Sent earlier: 0.\n"
    assert len(_scores(platform)) == 6
    expected = PLATFORMS[to][1]
    assert {name.lower(): platform.headers.get(name) for name in expected}.items() == {
        name.lower(): value for name, value in expected.items()
    }.items()
    asked = platform.asked
    again = push(to)
    assert again.stderr == f"Sent to {to}: 0 scores, 0 faults. Refused: 0. Sent earlier: 6.\n"
    assert platform.asked == asked


def test_a_verdict_becomes_a_score(platform: Platform, push: Push) -> None:
    push("langfuse")
    first, second, third = _scores(platform)[:3]
    assert (first["traceId"], first["name"], first["value"]) == ("t-1", "coherence", 2.5)
    assert first["comment"] == "because of coherence"
    assert first["metadata"] == {"scale": "0 to 4", "revision": "aaaaaaaaaaaa", "judge": "builtin"}
    assert second["metadata"]["judge"] == "openai:gpt-x"
    assert (third["name"], third["value"], third["dataType"]) == ("fault-loops", 1, "BOOLEAN")
    assert "Try Paper Lanterns" in third["comment"]
    assert third["comment"].count("\n") == 1
    platform.bodies.clear()
    push("phoenix")
    first, second, third = platform.bodies[0]["data"][:3]
    assert (first["annotator_kind"], second["annotator_kind"]) == ("CODE", "LLM")
    assert first["identifier"] == "crs-eval:builtin"
    assert third["result"]["label"] == "found"


def test_the_last_results_of_live_are_pushed(platform: Platform, push: Push, results: Path) -> None:
    scale = {"status": "scored", "scale_min": 0, "scale_max": 4, "evaluator_revision": "a", "rationale": None}
    verdicts = [
        {"factor": name, "judge": judge, **scale}
        for name, judge in (("coherence", "builtin"), ("novelty", "x:y:1"))
    ]
    faults = [{"fault": "loops", "messages": [1, 3], "certain": False}]

    def line(kind: str, name: str, score: float = 0) -> str:
        judged = {"verdicts": [{**one, "score": score} for one in verdicts], "faults": faults, "system": ""}
        return json.dumps({"number": 1, "kind": kind, "event": {"conversation": name, **judged}}) + "\n"

    judged, deleted = "conversation.judged", "conversation.deleted"
    results.write_text(
        line(judged, "t-1") + line(judged, "t-2") + line(judged, "t-1", 3) + line(deleted, "t-2")
    )
    assert push("langfuse").returncode == 0
    sent = [
        (one["traceId"], one["name"], one["value"], one["metadata"]["judge"]) for one in _scores(platform)
    ]
    expected = [("coherence", 3, "builtin"), ("novelty", 3, "x:y:1"), ("fault-loops", 1, "builtin")]
    assert sent == [("t-1", *one) for one in expected]
    assert "probability" not in _scores(platform)[2]["comment"]
    earlier = line(judged, "t-9").replace('"faults"', '"none"')  # of a release that found no faults
    for text, said in ((earlier, "2 scores, 0 faults"), (line(deleted, "t-9"), "0 scores, 0 faults")):
        results.write_text(text)
        assert said in push("langfuse").stderr


def test_ids_stay_when_the_verdict_changes(platform: Platform, push: Push, results: Path) -> None:
    push("langfuse")
    before = {(score["traceId"], score["name"]): score["id"] for score in _scores(platform)}
    assert len(set(before.values())) == 6
    changed = _judged("t-1")
    assert changed.answer
    changed.answer["verdicts"][0]["score"] = 1.0
    write_records(results, [changed, _judged("t-2")])
    platform.bodies.clear()
    assert "Sent to langfuse: 1 score, 0 faults. Refused: 0. Sent earlier: 5." in push("langfuse").stderr
    (score,) = _scores(platform)
    assert (score["value"], score["id"]) == (1.0, before["t-1", "coherence"])


@pytest.mark.parametrize("to", PLATFORMS)
def test_refused_scores_are_named_and_others_arrive(to: str, platform: Platform, push: Push) -> None:
    platform.unknown = {"t-2"}
    done = push(to)
    assert done.returncode == 4
    lines = done.stderr.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("t-2 coherence: 404 Traces with IDs t-2 do not exist. ***")
    assert "\x1b" not in done.stderr
    assert lines[-1] == f"Sent to {to}: 2 scores, 1 fault. Refused: 3. Sent earlier: 0."
    platform.unknown = set()
    assert f"Sent to {to}: 2 scores, 1 fault. Refused: 0. Sent earlier: 3." in push(to).stderr
    assert len(_scores(platform)) == 6


def test_a_full_or_failing_platform_is_asked_again(platform: Platform, push: Push) -> None:
    platform.answers = [
        (429, {"Retry-After": "0"}, "full"),
        (503, {"Retry-After": "0"}, "starting"),
        (500, {}, "oops"),
    ]
    assert push("phoenix").returncode == 0
    assert len(_scores(platform)) == 6


def test_a_push_that_ends_early_goes_on(platform: Platform, push: Push) -> None:
    for _ in range(2):
        platform.answers.append((200, {}, "{}"))
    platform.answers += [(503, {"Retry-After": "0"}, "down")] * 5
    done = push("langfuse")
    assert done.returncode == 4
    assert "503 down. Arrived: 2 scores. The same command sends the others." in done.stderr
    assert "Sent to langfuse: 2 scores, 2 faults. Refused: 0. Sent earlier: 2." in push("langfuse").stderr


@pytest.mark.parametrize("to", [name for name in PLATFORMS if not sinks()[name].replaces])
def test_no_score_is_sent_twice_where_ids_do_not_tell(to: str, platform: Platform, push: Push) -> None:
    """After an error, the score may be there."""
    platform.answers = [(502, {}, "lost")]
    done = push(to)
    assert done.returncode == 4
    assert "A score may have arrived" in done.stderr
    assert platform.asked == 1


@pytest.mark.parametrize(
    ("status", "headers"), [(401, {}), (403, {}), (302, {"Location": "http://127.0.0.1:1/"})]
)
def test_a_wrong_key_ends_it(status: int, headers: dict[str, str], platform: Platform, push: Push) -> None:
    platform.answers = [(status, headers, f"bad key {SECRET} in {BASIC} {'x' * 258}{SECRET}")]
    done = push("langfuse")
    assert done.returncode == 4
    assert f"{status} bad key *** in ***" in done.stderr
    assert SECRET[:6] not in done.stderr
    assert platform.asked == 1


def test_what_is_missing_is_said(platform: Platform, push: Push, results: Path) -> None:
    lacking = push("langfuse", LANGFUSE_SECRET_KEY="")
    assert lacking.returncode == 2
    assert "langfuse needs LANGFUSE_SECRET_KEY in the environment" in lacking.stderr
    assert "begins with http:// or https://" in push("langfuse", "--url", "ftp://x").stderr
    assert "require each other" in push("langfuse", "--trace-field", "x").stderr
    assert "only scores of traces" in push("mlflow", "--session").stderr
    assert "is not one of" in crs_eval("push", results, "--to", "datadog", cwd=results.parent).stderr
    assert platform.asked == 0


def test_a_dry_run_sends_nothing(platform: Platform, push: Push, results: Path) -> None:
    done = push("phoenix", "--dry-run", "--no-comments")
    (line,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert line["url"] == f"{platform.url}/v1/trace_annotations?sync=true"
    assert {score["result"]["explanation"] for score in line["body"]["data"]} == {None}
    assert platform.asked == 0
    assert list(results.parent.iterdir()) == [results]


@pytest.mark.parametrize("to", [name for name in PLATFORMS if sinks()[name].sessions])
def test_sessions_get_scores_too(to: str, platform: Platform, push: Push) -> None:
    assert push(to, "--session").returncode == 0
    assert {score.get("sessionId") or score.get("session_id") or score.get("thread_id") for score in _scores(platform)} == {
        "t-1", "t-2",
    }  # fmt: skip


def test_metadata_names_the_trace(platform: Platform, push: Push, results: Path) -> None:
    said = {"messages": [{"role": "user", "content": "Hi"}]}
    logs = [{"id": "a", **said, "metadata": {"trace": "t-1"}}, {"id": "b", **said}]
    (results.parent / "logs.jsonl").write_text("".join(json.dumps(log) + "\n" for log in logs))
    write_records(results, [_judged("a"), _judged("b")])
    dry = push("opik", "--trace-field", "trace", "--logs", results.parent / "logs.jsonl", "--dry-run")
    assert (dry.returncode, "b: no trace id" in dry.stderr) == (0, True)
    done = push("langfuse", "--trace-field", "trace", "--logs", "logs.jsonl")
    assert done.returncode == 4
    assert "b: no trace id" in done.stderr
    assert {score["traceId"] for score in _scores(platform)} == {"t-1"}
    write_records(results, [_judged("line-1", position=1)])
    assert "line-1: no trace id" in push("langfuse").stderr
