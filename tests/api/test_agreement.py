"""`POST /agreement` over the whole application."""

import json
from functools import partial
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from service.statistics.agreement import STATISTICS
from service.usecases.wire.agreement import EXAMPLE_REQUEST, AgreementAnswer
from tests.api.conftest import ROOT
from tests.api.posting import answered, refused


def ratings(count: int = 30) -> list[dict[str, Any]]:
    return [
        {
            "conversation": f"c{i}",
            "system": "ab"[i % 2],
            "factor": "coherence",
            "rater": rater,
            "kind": kind,
            "score": (i * step + i) % 5,
            "length": 10 + i,
        }
        for i in range(count)
        for rater, kind, step in (("builtin", "judge", 2), ("anna", "human", 6), ("bela", "human", 3))
    ]


post = partial(answered, path="/agreement")


def test_every_statistic_is_a_row_with_n_and_interval(client: TestClient) -> None:
    answer = post(client, ratings=ratings(), bootstrap=200)
    pooled = {
        row["statistic"]: row
        for row in answer["rows"]
        if row["over"] == "pooled" and row["rater"] == "builtin" and row["other"] == "people"
    }
    for name in STATISTICS[:8]:
        row = pooled[name]
        assert row["n"] == row["conversations"] == 30
        assert row["interval"]["low"] <= row["interval"]["high"]
        assert (row["interval"]["level"], row["undefined"]) == (0.95, None)
    assert {row["over"] for row in answer["rows"]} >= {
        "pooled", "system", "within_system", "system_mean", "systems",
    }  # fmt: skip
    assert {row["statistic"] for row in answer["rows"]} == set(STATISTICS)


def test_only_what_is_asked_for_and_no_intervals_without_resamples(client: TestClient) -> None:
    answer = post(client, ratings=ratings(), statistics=["cohen_kappa", "mean_score"], bootstrap=0)
    assert {row["statistic"] for row in answer["rows"]} == {"cohen_kappa", "mean_score"}
    assert {row["interval"] for row in answer["rows"]} == {None}


def test_randolph_knows_the_scale_of_our_factors_and_takes_that_of_others(client: TestClient) -> None:
    def chance_corrected(factor: str, **body: Any) -> float:
        same = [{**r, "factor": factor, "score": r["score"] % 2} for r in ratings() if r["rater"] != "bela"]
        rows = post(client, ratings=same, statistics=["randolph_kappa"], bootstrap=0, **body)["rows"]
        value: float = rows[0]["value"]
        return value

    own, other = chance_corrected("coherence"), chance_corrected("fun")
    assert own > other
    assert chance_corrected("fun", scales={"fun": {"min": 0, "max": 4}}) == own


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"ratings": [{**ratings()[0], "score": 1e9}]}, "/ratings/0/score"),
        ({"ratings": [{**ratings()[0], "rater": "people"}]}, "/ratings/0/rater"),
        ({"ratings": ratings(), "statistics": ["pearsn"]}, "/statistics/0"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(
    client: TestClient, change: dict[str, Any], pointer: str
) -> None:
    assert refused(client, path="/agreement", **change)[0] == pointer


def test_examples_fit_and_names_are_those_of_the_statistics(client: TestClient) -> None:
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text())
    assert contract["components"]["schemas"]["Statistic"]["enum"] == list(STATISTICS)
    (example,) = contract["components"]["schemas"]["AgreementAnswer"]["examples"]
    jsonschema.validate(example, AgreementAnswer.model_json_schema())
    (row,) = (r for r in post(client, **EXAMPLE_REQUEST)["rows"] if r["over"] == "pooled")
    assert row == {**example["rows"][0], "value": pytest.approx(0.8)}
