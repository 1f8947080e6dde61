"""`POST /exam` with scripted judges: one sees everything, one nothing."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.domain.completion import Call
from service.domain.verdict import DetectedFault, Scored, Verdict
from service.errors import ConfigurationError
from service.exams.trust import FLAG
from service.faults import load_faults
from service.judges.evaluation import EvaluationRequest
from service.settings import Settings
from service.usecases.exam import shipped_exam, stored_trusts
from tests.api.posting import answered, refused
from tests.api.scripted import Threes, scripted_client

FAULTS = load_faults()
MARK = "zzz"
"""Text that spoils a reply, for the scripted judges."""


class Reader(Threes):
    """A judge of the model's name: `sees` the mark, `flags` every reply, or `sleeps`."""

    async def ask(self, evaluation: EvaluationRequest, call: Call) -> AsyncIterator[Verdict]:
        spoiled = any(MARK in message.content for message in evaluation.judge_input.log.messages)
        for factor in evaluation.factors:
            asked: dict[str, Any] = {"factor": factor.slug, "judge": self.name, "evaluator_revision": "r1"}
            names = [one.slug for one in FAULTS.values() if factor.slug in one.costs]
            found = self.name.model == "flags" or (self.name.model == "sees" and spoiled)
            reported, score = (names, 1.0) if found else ([], 4.0)
            faults = tuple(DetectedFault(name, 1, 0.9) for name in reported)
            yield Scored(**asked, score=score, level=int(score), rationale="", faults=faults)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with scripted_client(Reader) as client:
        yield client


def own(fault: str = "rude", **given: Any) -> dict[str, Any]:
    wish = {"role": "user", "content": "A tent for two?"}
    good, bad = ({"role": "assistant", "content": text} for text in ("The Igloo.", f"The Igloo {MARK}."))
    return {
        "id": fault,
        "domain": "sport",
        "fault": fault,
        "message": 1,
        "good": [wish, good],
        "bad": [wish, bad],
    } | given


ALL = [own(fault) for fault in FAULTS if fault != "no-reply"]


def examined(client: TestClient, judge: str, **fields: Any) -> dict[str, Any]:
    return answered(client, path="/exam", **{"judge": f"scripted:{judge}", "pairs": ALL} | fields)


def test_a_judge_that_sees_everything(client: TestClient) -> None:
    answer = examined(client, "sees")
    for one in answer["report"]["rows"]:
        values = {
            one[name]["value"] for name in ("sensitivity", "detected", "right_factors", "overall_falls")
        }
        assert values == {1.0}
        assert one["false_alarms"]["value"] == 0
    assert {one["name"] for one in answer["report"]["rows"] if one["by"] == "fault"} == {
        one["id"] for one in ALL
    }


@pytest.mark.parametrize(("judge", "alarms"), [("sleeps", None), ("flags", 1)])
def test_a_judge_that_sees_no_difference(client: TestClient, judge: str, alarms: float | None) -> None:
    for one in examined(client, judge)["report"]["rows"]:
        values = [one[name]["value"] for name in ("sensitivity", "overall_falls", "detected", "false_alarms")]
        assert values == [0, 0, alarms, alarms]


def test_an_estimate_asks_nobody(client: TestClient) -> None:
    answer = examined(client, "sees", estimate=True, sample=5)
    assert answer["report"] is None
    estimate = answer["estimate"]
    assert (estimate["pairs"], estimate["conversations"], len(estimate["ids"])) == (5, 10, 5)
    assert estimate["calls"] == 10 * 12
    assert examined(client, "sees", estimate=True, sample=5, grouping="all")["estimate"]["calls"] == 10
    assert examined(client, "sees", estimate=True, sample=5, judging="faults")["estimate"]["calls"] < 10 * 12


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"fault": "grumpy"}, "/pairs/1/fault"),
        ({"message": 0}, "/pairs/1/message"),
        ({"message": 9}, "/pairs/1/message"),
        ({"bad": own()["good"]}, "/pairs/1/bad"),
        ({"id": "rude"}, "/pairs/1/id"),
        ({"items": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}, "/pairs/1/items"),
    ],
)
def test_a_wrong_pair_is_refused_by_its_field(
    client: TestClient, wrong: dict[str, Any], pointer: str
) -> None:
    pairs = [own(), own("pushy") | wrong]
    assert refused(client, path="/exam", judge="scripted:sees", pairs=pairs) == [pointer]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"faults": ["grumpy"]}, "/faults/0"),
        ({"faults": ["stilted"], "pairs": [own()]}, "/faults"),
        ({"ids": ["nobody"]}, "/ids/0"),
        ({"judge": "unknown:model"}, "/judge"),
        (
            {"absolute": [{"id": "x", "messages": own()["good"], "ratings": {"a": {"coherence": 3}}}]},
            "/absolute/0/ratings",
        ),
    ],
)
def test_a_wrong_request_is_refused_by_its_field(
    client: TestClient, fields: dict[str, Any], pointer: str
) -> None:
    sent = {"judge": "scripted:sees", "pairs": ALL} | fields
    assert refused(client, path="/exam", **sent)[0] == pointer


def test_the_shipped_exam_is_sound() -> None:
    """A failure names line and field alone: people who write detectors must not see the exam."""
    try:
        exam = shipped_exam()
    except ConfigurationError as error:
        pytest.fail(str(error), pytrace=False)
    assert exam.pairs
    assert {one.fault for one in exam.pairs} == set(FAULTS)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (json.dumps(own() | {"message": 0}), "pairs.jsonl, line 2: message"),
        (json.dumps(own() | {"mesage": 1}), "pairs.jsonl, line 2: /mesage"),
        ("{", "pairs.jsonl, line 2: not JSON"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_field(tmp_path: Path, line: str, place: str) -> None:
    (tmp_path / "pairs.jsonl").write_text(f"{json.dumps(own('pushy'))}\n{line}\n")
    with pytest.raises(ConfigurationError) as refused:
        shipped_exam(tmp_path)
    assert str(refused.value).startswith(place)


def test_confidence_rests_on_a_stored_exam(tmp_path: Path) -> None:
    pairs = [own(id=f"rude-{n}") for n in range(20)]
    log = {"domain": "sport", "messages": own()["good"]}
    with TestClient(create_app(Settings(workers=0))) as client:
        report = client.post("/exam", json={"judge": "builtin", "pairs": pairs}).json()
        before = client.post("/score/appropriateness", json={"log": log, "judge": "builtin"}).json()
    (tmp_path / "builtin.json").write_text(json.dumps(report))
    with TestClient(create_app(Settings(exams=tmp_path, workers=0))) as client:
        after = client.post("/score/appropriateness", json={"log": log, "judge": "builtin"}).json()
    whole = next(row for row in report["report"]["rows"] if (row["by"], row["name"]) == ("all", "all"))
    assert after["confidence"] == whole["sensitivity"]["value"]
    assert [flag["code"] for flag in after["flags"]] == [*(flag["code"] for flag in before["flags"]), FLAG]
    assert after["score"] == before["score"]
    assert after["comparison_key"] == before["comparison_key"]


def test_a_wrong_report_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"estimate": null}')
    with pytest.raises(ConfigurationError, match=r"old\.json"):
        stored_trusts(tmp_path)
