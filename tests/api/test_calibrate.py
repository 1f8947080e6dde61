"""`POST /calibrate` over the whole application."""

import gzip
import json
import random
import time
from functools import partial
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings
from service.usecases.parsing import RATINGS_TIMES
from service.usecases.wire.calibrate import (
    EXAMPLE_REQUEST,
    CalibrateAnswer,
    CalibrateRequest,
    CalibrationRating,
)
from service.usecases.wire.calibration import CalibrationMap
from tests.api.conftest import ROOT
from tests.api.posting import answered, refused
from tests.patience import PATIENCE

JSON = {"Content-Type": "application/json"}


def rows(count: int = 80, labels: int = 40) -> list[dict[str, Any]]:
    generator = random.Random(5)
    found = []
    for i in range(count):
        talk = {"conversation": f"c{i}", "system": "ab"[i % 2], "factor": "coherence"}
        people = generator.choice([0, 1, 1, 2, 3, 4])
        judge = min(4, max(0, people + 1 + generator.gauss(0, 0.7)))
        found.append(
            {**talk, "rater": "builtin", "kind": "judge", "score": judge, "evaluator_revision": "r1"}
        )
        if i < labels:
            found.append({**talk, "rater": "anna", "kind": "human", "score": people})
    return found


def as_columns(ratings: list[dict[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for rating in ratings for name in rating)
    columns = {name: [rating.get(name) for rating in ratings] for name in names}
    return {name: column[:1] if len(set(column)) == 1 else column for name, column in columns.items()}


post = partial(answered, path="/calibrate")


def test_the_example_is_answered_by_the_example(bare: TestClient) -> None:
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text())
    (example,) = contract["components"]["schemas"]["CalibrateAnswer"]["examples"]
    jsonschema.validate(example, CalibrateAnswer.model_json_schema())
    assert post(bare, **EXAMPLE_REQUEST) == example


def test_rows_and_columns_and_gzip_are_one_request(bare: TestClient) -> None:
    answer = post(bare, ratings=rows())
    assert answer == post(bare, columns=as_columns(rows()))
    for body in ({"columns": as_columns(rows())}, {"ratings": rows()}):
        packed = gzip.compress(json.dumps(body).encode())
        response = bare.post("/calibrate", content=packed, headers={**JSON, "Content-Encoding": "gzip"})
        assert response.json() == answer
    assert [mean["system"] for mean in answer["means"]] == [None, "a", "b"]
    assert answer["differences"][0]["first"] == "a"
    made = answer["maps"][0]
    assert made["hash"] == CalibrationMap.model_validate_json(json.dumps(made)).value().hash


def test_only_ratings_one_by_one_may_be_larger_than_other_bodies() -> None:
    columns = {"columns": as_columns(rows(900, 60))}
    with TestClient(create_app(Settings(workers=0, max_body=40_000))) as bare:
        assert 40_000 < len(json.dumps(columns)) < RATINGS_TIMES * 40_000
        refused = bare.post("/calibrate", json=columns)
        assert (refused.status_code, "`ratings` one by one" in refused.json()["detail"]) == (413, True)
        assert bare.post("/calibrate", json={"ratings": rows(450, 40)}).status_code == 200


def test_all_that_agreement_reads_is_read_here(bare: TestClient) -> None:
    more = [{**row, "length": 12.5, "repeat": 0, "round": 1} for row in rows()]
    assert post(bare, ratings=more)["means"] == post(bare, ratings=rows())["means"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({}, ""),
        ({"ratings": rows(4), "columns": as_columns(rows(4))}, ""),
        ({"ratings": [{**rows()[0], "score": 5}]}, "/ratings/0/score"),
        ({"columns": {**as_columns(rows()), "score": [1, 2]}}, "/columns/score"),
        ({"ratings": rows(), "scales": {"coherence": {"min": 4, "max": 4}}}, "/scales/coherence"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(bare: TestClient, change: dict[str, Any], pointer: str) -> None:
    assert refused(bare, path="/calibrate", **change)[0] == pointer


def test_work_past_the_deadline_ends_in_504() -> None:
    with TestClient(create_app(Settings(workers=0, request_timeout=0.001))) as hurried:
        started = time.monotonic()
        response = hurried.post("/calibrate", json={"ratings": rows(900)})
    assert response.status_code == 504
    assert response.json()["type"] == "/problems/deadline-exceeded"
    assert time.monotonic() - started < PATIENCE


def test_columns_are_the_fields_of_a_rating() -> None:
    fields = set(CalibrationRating.model_fields) - {"length"}
    assert set(CalibrateRequest.model_fields["columns"].annotation.__args__[0].model_fields) == fields  # type: ignore[union-attr]
