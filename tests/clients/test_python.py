"""The Python client, both ways, against a running service."""

import json
import re
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from crs_eval_client import CrsEval, InvalidRequestError
from crs_eval_client.easy.requests import DebateOptions, EvaluateOptions, ManyOptions, Options
from crs_eval_client.easy.results import ANSWERS

from tests.clients.journey import SAID, expect, expect_readme, first_call, output_of, readme, travel
from tools.service_process import ROOT

CLIENT = ROOT / "clients" / "python"
JOURNEYS = Path(__file__).parent / "journeys"
ALONE = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(CLIENT)}
BY_HAND: list[str | Path] = ["crs_eval_client/easy", "crs_eval_client/__init__.py", "examples"]


@pytest.mark.parametrize("kind", ["sync", "aio"])
def test_the_journey(kind: str, url: str, log: dict[str, Any], log_file: Path) -> None:
    command = (sys.executable, "-W", "error", JOURNEYS / "journey.py", kind)
    expect(travel(command, url, log_file, CLIENT, {"PYTHONPATH": str(CLIENT)}), url, log, "python/0")


def test_its_example_runs(url: str) -> None:
    printed = output_of([sys.executable, "examples/evaluate_recommender.py", url], CLIENT, **ALONE)
    assert all(part in printed for part in ("coherence", "3 done", "session: "))


@pytest.mark.parametrize("status", SAID)
def test_the_program_in_the_readme(status: str, url: str, tmp_path: Path) -> None:
    program = tmp_path / "readme.py"
    program.write_text(readme("python", url, SAID[status]))
    expect_readme(output_of([sys.executable, program], CLIENT, **ALONE), url, status)
    output_of([sys.executable, "-m", "mypy", program], CLIENT, MYPYPATH=str(CLIENT))


def test_every_route_has_a_method(url: str, log: dict[str, Any]) -> None:
    """With the request that the contract shows for each."""
    shown = {name: schema["examples"][0] for name, schema in _schemas().items() if "examples" in schema}
    asked: set[tuple[str, str]] = set()
    with CrsEval(url, hook=lambda attempt: asked.add((attempt.method, attempt.path))) as client:
        assert client.score(log, factors=["coherence"]).verdicts
        assert client.score_factor("coherence", log).score is not None
        assert client.debate(log).overall is not None
        assert list(client.score_many([log], factors=["coherence"]))
        assert client.audit(**shown["AuditRequest"]).findings
        assert client.metrics(**shown["MetricsRequest"]).rows
        assert client.agreement(**shown["AgreementRequest"]).rows
        assert client.calibrate(**shown["CalibrateRequest"]).means
        assert client.import_file(**shown["ImportRequest"]).logs
        assert client.compare(**shown["CompareRequest"]).preferences
        assert client.alignment(**shown["AlignmentRequest"]).pairs
        assert client.simulate(**shown["SimulateRequest"]).message
        assert client.exam(**shown["ExamRequest"]).estimate.pairs
        with pytest.raises(InvalidRequestError, match="embedded judge cannot play"):  # a model's work
            client.profile(**shown["ProfileRequest"])
        assert client.factor("coherence").slug == "coherence"
        assert "builtin" in str(client.choices().to_dict())
        assert len(client.factors()) > 20
        assert client.faults()[0].slug
        assert client.evaluate(log, debate=False).metrics.rows
    paths = json.loads((ROOT / "openapi" / "openapi.json").read_text())["paths"]
    routes = {(method.upper(), path) for path, item in paths.items() for method in item}
    for_operators = {("GET", path) for path in ("/metrics", "/healthz", "/readyz")}
    named = {(method, re.sub("(?<=/)coherence$", "{}", path)) for method, path in asked}
    assert named == {(method, re.sub(r"{\w+}", "{}", path)) for method, path in routes - for_operators}


@pytest.mark.parametrize("status", SAID)
def test_the_first_call_of_its_readme(status: str, url: str) -> None:
    program = first_call("python", url, SAID[status])
    assert len(program.strip().splitlines()) <= 10
    printed = output_of([sys.executable, "-c", program], CLIENT, **ALONE)
    if status == "scored":
        assert 0 <= float(printed) <= 4
    else:
        assert printed == "None\n"


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("FactorScoreRequest", Options),
        ("ScoreRequest", ManyOptions),
        ("DebateRequest", DebateOptions),
        ("EvaluateRequest", EvaluateOptions),
    ],
)
def test_every_field_of_a_request_is_an_option(model: str, options: type) -> None:
    """Else mypy refuses a keyword that the service takes."""
    assert set(get_type_hints(options)) == set(_schemas()[model]["properties"]) - {"log"}


def test_a_batch_knows_the_answer_of_every_route() -> None:
    paths = json.loads((ROOT / "openapi" / "openapi.json").read_text())["paths"]
    posted = {path for path, item in paths.items() if "post" in item} - {"/batch", "/score/{factor}"}
    assert set(ANSWERS) == posted
    routes = (ROOT / "clients" / "typescript" / "src" / "easy" / "routes.ts").read_text()
    (answers,) = re.findall(r"interface Answers {(.*?)}", routes, re.DOTALL)
    assert set(re.findall(r"'(.+)':", answers)) == posted


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "openapi" / "openapi.json").read_text())["components"][
        "schemas"
    ]
    return found


def test_types_hold_strictly() -> None:
    """A model named as its own field is a trap: mypy takes the field for the object."""
    checked = [*BY_HAND, JOURNEYS / "journey.py"]
    output_of([sys.executable, "-m", "mypy", *checked], CLIENT, MYPYPATH=str(CLIENT))


def test_the_hand_written_part_keeps_to_the_rules() -> None:
    ruff = [sys.executable, "-m", "ruff"]
    output_of([*ruff, "check", "--ignore", "T201", *BY_HAND], CLIENT)
    output_of([*ruff, "format", "--check", *BY_HAND, "--config", ROOT / "pyproject.toml"], CLIENT)
