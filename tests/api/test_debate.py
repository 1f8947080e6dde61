"""`POST /debate` over ASGI: scripted judges and debaters where the course of things matters."""

import json
from functools import partial
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.posting import answered, refused
from tests.api.scripted import LOG, threes
from tests.registries import ARGUED, ROLES


def verdicts(client: TestClient, **scores: float | None) -> list[dict[str, Any]]:
    """Verdicts as `/score` answers them, with these scores."""
    given = client.post("/score", json={"log": LOG, "factors": [s.replace("_", "-") for s in scores]}).json()[
        "verdicts"
    ]
    return [
        {**one, "score": float(score)}
        for one, score in zip(given, scores.values(), strict=True)
        if score is not None
    ]


post = partial(answered, path="/debate", log=LOG)


def test_a_log_is_scored_on_the_roles_factors_and_debated(debates: TestClient) -> None:
    answer = post(debates, judge="builtin")
    assert sorted(v["factor"] for v in answer["verdicts"]) == sorted(ARGUED)
    assert answer["overall"] == pytest.approx(threes(ARGUED), abs=0.5)
    assert (answer["factor_mean"], answer["roles_counted"]) == (75, len(ROLES))
    (only,) = answer["rounds"]
    assert only["round"] == 1
    assert only["spread"] <= 1  # roles of one mind may round apart, so that their mean is the overall score
    assert {s["role"] for s in only["statements"]} == set(ROLES)
    assert all(s["status"] == "scored" and s["reason"] is None for s in only["statements"])
    assert answer["usage"]["input_tokens"] == len(ARGUED) * 40
    assert answer["judges"] == [{"name": "builtin", "model": None}]
    assert answer["warnings"] == []


def test_given_verdicts_are_debated_and_nothing_is_asked(debates: TestClient) -> None:
    given = verdicts(debates, coherence=4, naturalness=1)
    answer = post(debates, judge="builtin", verdicts=given)
    assert [(v["factor"], v["score"]) for v in answer["verdicts"]] == [("coherence", 4), ("naturalness", 1)]
    assert answer["factor_mean"] == 62.5
    assert answer["usage"]["input_tokens"] == 0
    assert len(answer["rounds"]) == 1
    assert not answer["converged"]


def test_events_tell_verdicts_then_rounds_then_the_answer(debates: TestClient) -> None:
    body = {"log": LOG, "judge": "builtin", "judges": {"linguist": "scripted:high"}, "max_rounds": 3}
    response = debates.post("/debate", json=body, headers={"Accept": "text/event-stream"})
    frames = [frame.split("\n") for frame in response.text.strip().split("\n\n")]
    names = [frame[1].removeprefix("event: ") for frame in frames]
    assert names == ["verdict"] * len(ARGUED) + ["round"] * 3 + ["done"]
    assert [frame[0] for frame in frames] == [f"id: {i}" for i in range(1, 17)]
    data = [json.loads(frame[2].removeprefix("data: ")) for frame in frames]
    assert data[-1] == debates.post("/debate", json=body).json()
    assert data[-1]["rounds"] == data[12:15]


def test_each_role_can_have_its_own_judge(debates: TestClient) -> None:
    answer = post(
        debates, judges={"HCI Expert": "scripted:high", "common-user": "scripted:steady"}, max_rounds=1
    )
    judges = {s["role"]: s["judge"] for s in answer["rounds"][0]["statements"]}
    assert judges == {
        "hci-expert": {"name": "scripted", "model": "high"},
        "common-user": {"name": "scripted", "model": "steady"},
        "linguist": {"name": "scripted", "model": "steady"},  # the operator's, for this role
        "domain-expert": {"name": "builtin", "model": None},
    }
    assert {"name": "scripted", "model": "high"} in answer["judges"]


def test_a_judge_that_the_request_names_speaks_for_all_roles(debates: TestClient) -> None:
    answer = post(debates, judge="scripted:steady")
    assert {s["judge"]["model"] for s in answer["rounds"][0]["statements"]} == {"steady"}
    assert [w["code"] for w in answer["warnings"]] == ["same_model_scored_and_debated"]


def test_a_failing_role_is_reported_with_its_reason(debates: TestClient) -> None:
    answer = post(debates, judge="builtin", judges={"linguist": "scripted:mute"})
    assert answer["roles_counted"] == 3
    assert len(answer["rounds"]) == 4
    mute = next(s for s in answer["rounds"][-1]["statements"] if s["role"] == "linguist")
    assert (mute["status"], mute["score"], mute["statement"]) == ("failed", None, None)
    assert mute["reason"]["code"] == "refused"
    assert "roles_missing" in [w["code"] for w in answer["warnings"]]


def test_too_few_scores_are_a_502_that_carries_verdicts_and_rounds(debates: TestClient) -> None:
    mute = {"linguist": "scripted:mute", "hci-expert": "scripted:mute"}
    problem = post(debates, 502, judge="builtin", judges=mute)
    assert problem["type"] == "/problems/upstream-failed"
    assert len(problem["rounds"]) == 4
    assert len(problem["verdicts"]) == len(ARGUED)
    assert problem["usage"]["input_tokens"] == len(ARGUED) * 40 + 2 * len(ROLES) * 100


def test_a_budget_ends_in_a_402_that_carries_what_was_done(debates: TestClient) -> None:
    problem = post(debates, 402, judge="builtin", budget={"tokens": 120})
    assert problem["type"] == "/problems/budget-exceeded"
    assert len(problem["verdicts"]) == 3
    assert problem["rounds"] == []
    assert problem["usage"]["output_tokens"] == 30
    later = post(
        debates,
        402,
        judge="builtin",
        judges={"linguist": "scripted:high"},
        budget={"tokens": len(ARGUED) * 50 + 150},
    )
    assert [r["round"] for r in later["rounds"]] == [1]
    assert len(later["verdicts"]) == len(ARGUED)
    within = post(
        debates, judge="builtin", budget={"tokens": 600, "cost": 1.0}, verdicts=verdicts(debates, coherence=3)
    )
    assert within["overall"] == pytest.approx(threes(["coherence"]), abs=0.5)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"judges": {"stranger": "builtin"}}, "/judges"),
        ({"judges": {"linguist": "nobody"}}, "/judges/linguist"),
        ({"roles": [{"name": "linguist"}, {"name": "hci-expert"}]}, "/roles"),
        ({"roles": [{"name": "linguist"}, {"name": "hci-expert"}, {"name": "x"}]}, "/roles/2/name"),
        ({"factors": ["charm"]}, "/factors/0"),
        ({"budget": {"cost": 1.0}, "judge": "scripted:steady"}, "/budget/cost"),
    ],
)
def test_what_does_not_fit_is_pointed_at(body: dict[str, Any], pointer: str, debates: TestClient) -> None:
    assert refused(debates, path="/debate", log=LOG, **body) == [pointer]


def test_a_factor_has_one_given_verdict(debates: TestClient) -> None:
    (one,) = verdicts(debates, coherence=3)
    assert refused(debates, path="/debate", log=LOG, verdicts=[one, one]) == ["/verdicts/1/factor"]


SILENT = {"messages": [{"role": "user", "content": "Thanks, bye!"}]}


def test_a_log_of_which_nothing_can_be_scored_is_a_problem_of_its_own(client: TestClient) -> None:
    problem = answered(client, 422, path="/debate", log=SILENT)
    assert problem["type"] == "/problems/nothing-to-debate"
    assert "contract" not in problem["title"]
    reasons = {verdict["reason"]["code"] for verdict in problem["verdicts"]}
    assert len(problem["verdicts"]) == len(ARGUED)
    assert all(code in problem["detail"] for code in reasons)
    assert {error["detail"].partition(":")[0] for error in problem["errors"]} == reasons
    assert all(error["pointer"] == "/log" and error["fix"] for error in problem["errors"])
