"""Every metric in the folder of families must do the same: its example has the values that were computed by hand. It needs what
it says and nothing else, and contract, docs and help know it."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.computed_metrics import METRICS
from service.computed_metrics.families import metrics
from service.computed_metrics.figures import Undefined
from service.computed_metrics.metric import Example, Metric, Need
from service.domain.rounding import rounded
from service.usecases.wire.examples import VERDICT
from tests.api import posting
from tests.api.conftest import ROOT
from tests.api.posting import help_of
from tools.registry_pages import METRICS_PAGE, registry_page

Json = dict[str, Any]


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return metrics()[request.param]


def test_its_example_has_the_values_that_were_computed_by_hand(client: TestClient, metric: Metric) -> None:
    rows = answered(client, metric, request_of(metric.example))
    assert metric.example.values
    for worked in metric.example.values:
        (row,) = fitting(rows, worked.where)
        assert row["value"] == rounded(worked.value)


def test_its_rows_are_as_it_says(client: TestClient, metric: Metric) -> None:
    rows = answered(client, metric, request_of(metric.example))
    assert {row["metric"] for row in rows} == {metric.name}
    assert {row["unit"] for row in rows} == {metric.unit.value}
    assert {row["view"] for row in rows} == {view.value for view in metric.views} or (
        not metric.views and {row["view"] for row in rows} == {None}
    )
    assert metric.says[-1] == metric.example.worked[-1] == "."


def test_it_needs_what_it_says_and_nothing_else(client: TestClient, metric: Metric) -> None:
    for need in Need:
        rows = answered(client, metric, without(need, request_of(metric.example)))
        left = [fitting(rows, worked.where) for worked in metric.example.values]
        kept = [len(found) == 1 and found[0]["value"] is not None for found in left]
        assert all(kept) is not (need in metric.needs), f"{metric.name} without {need}: {rows}"
        assert all(row["undefined"] in set(Undefined) for row in rows if row["value"] is None)


def test_contract_docs_and_help_know_it(metric: Metric) -> None:
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text())
    assert contract["components"]["schemas"]["Metric"]["enum"] == list(METRICS)
    (row,) = [
        line
        for line in METRICS_PAGE.read_text().splitlines()
        if line.startswith(f"| `{metric.name}` | {', '.join(metric.views)} |")
    ]
    assert row.endswith(f"| {metric.says} |")
    assert f"| `{metric.name}` | {metric.example.worked} |" in METRICS_PAGE.read_text()
    assert metric.name in help_of("metrics")


def test_the_docs_are_as_the_registry_is() -> None:
    assert METRICS_PAGE.read_text() == registry_page(METRICS_PAGE), "run `make generate`"


def fitting(rows: list[Json], where: Mapping[str, object]) -> list[Json]:
    return [row for row in rows if all(row[name] == value for name, value in where.items())]


def answered(client: TestClient, metric: Metric, body: Json) -> list[Json]:
    body = {**body, "metrics": [metric.name]}
    return list(posting.answered(client, path="/computational-metrics", **body)["rows"])


def request_of(example: Example) -> Json:
    """The example as a caller sends it."""
    return copy.deepcopy(
        {
            "logs": list(example.logs),
            "verdicts": [[rated(*one) for one in scores.items()] for scores in example.scores] or None,
            "reply_pairs": list(example.reply_pairs) or None,
            **(example.cuts or {}),
        }
    )


def rated(factor: str, score: float) -> Json:
    return {**VERDICT, "factor": factor, "score": score, "level": round(score), "scale": {"min": 1, "max": 5}}


def without(need: Need, body: Json) -> Json:
    """The request without what a metric that has this need reads."""
    logs = body["logs"]
    holders = {
        "body": [body],
        "log": logs,
        "user": [log["user"] for log in logs if "user" in log],
        "message": [message for log in logs for message in log["messages"]],
    }
    for holder, name in WITHOUT[need]:
        for one in holders[holder]:
            one.pop(name, None)
    return body


WITHOUT: Mapping[Need, Sequence[tuple[str, str]]] = {
    Need.LISTS: [("message", "recommendations")],
    Need.TARGETS: [("log", "ground_truth"), ("user", "attributes")],
    Need.ITEMS: [("log", "items")],
    Need.OUTCOME: [("log", "outcome")],
    Need.REPLY_PAIRS: [("body", "reply_pairs")],
    Need.VERDICTS: [("body", "verdicts")],
    Need.USERS: [("user", "persona"), ("user", "age_group")],
    Need.TOOLS: [("message", "parts")],
}
