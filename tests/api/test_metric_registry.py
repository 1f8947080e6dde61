"""Every metric in the folder of families must do the same: its example has the values that were computed by hand. It needs what
it says and nothing else, and contract, docs and help know it."""

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from service.cli.program import app
from service.computed_metrics import METRICS
from service.computed_metrics.families import metrics
from service.computed_metrics.figures import Undefined
from service.computed_metrics.metric import Example, Metric, Need
from service.domain.rounding import rounded
from service.usecases.wire.examples import VERDICT
from tests.api.conftest import ROOT
from tools.registry_pages import METRICS_PAGE, registry_page

Json = dict[str, Any]


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return metrics()[request.param]


def test_every_module_of_the_folder_has_metrics() -> None:
    folder = ROOT / "service" / "computed_metrics" / "families"
    modules = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    homes = {str(getattr(one, "compute").__module__).rpartition(".")[2] for one in metrics().values()}  # noqa: B009
    assert homes == modules


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
    for need, without in WITHOUT.items():
        body = request_of(metric.example)
        without(body)
        rows = answered(client, metric, body)
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
        if line.startswith(f"| `{metric.name}` | {views_of(metric)} |")
    ]
    assert row.endswith(f"| {metric.says} |")
    assert f"| `{metric.name}` | {metric.example.worked} |" in METRICS_PAGE.read_text()
    assert metric.name in "".join(HELP.split())


def test_the_docs_are_as_the_registry_is() -> None:
    assert METRICS_PAGE.read_text() == registry_page(METRICS_PAGE), "run `make generate`"


HELP = "".join(
    CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
    .invoke(app, ["metrics", "--help"])
    .output.replace("│", "")
)


def views_of(metric: Metric) -> str:
    return ", ".join(metric.views)


def fitting(rows: list[Json], where: Mapping[str, object]) -> list[Json]:
    return [row for row in rows if all(row[name] == value for name, value in where.items())]


def answered(client: TestClient, metric: Metric, body: Json) -> list[Json]:
    response = client.post("/computational-metrics", json={**body, "metrics": [metric.name]})
    assert response.status_code == 200, response.text
    rows: list[Json] = response.json()["rows"]
    return rows


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


def _without_lists(body: Json) -> None:
    for log in body["logs"]:
        for message in log["messages"]:
            message.pop("recommendations", None)


def _without(*names: str) -> Callable[[Json], None]:
    def without(body: Json) -> None:
        for log in body["logs"]:
            for name in names:
                log.pop(name, None)

    return without


def _without_targets(body: Json) -> None:
    _without("ground_truth")(body)
    for log in body["logs"]:
        log.get("user", {}).pop("attributes", None)


def _without_tools(body: Json) -> None:
    for log in body["logs"]:
        for message in log["messages"]:
            message.pop("parts", None)


def _without_users(body: Json) -> None:
    for log in body["logs"]:
        log.get("user", {}).pop("persona", None)
        log.get("user", {}).pop("age_group", None)


def _without_part(name: str) -> Callable[[Json], None]:
    return lambda body: body.pop(name, None)


WITHOUT: Mapping[Need, Callable[[Json], None]] = {
    Need.LISTS: _without_lists,
    Need.TARGETS: _without_targets,
    Need.ITEMS: _without("items"),
    Need.OUTCOME: _without("outcome"),
    Need.REPLY_PAIRS: _without_part("reply_pairs"),
    Need.VERDICTS: _without_part("verdicts"),
    Need.USERS: _without_users,
    Need.TOOLS: _without_tools,
}


def test_every_need_can_be_taken_away() -> None:
    assert set(WITHOUT) == set(Need)
