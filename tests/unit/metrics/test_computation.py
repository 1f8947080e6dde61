"""The table: groups, cuts, intervals, and what is bad input."""

from dataclasses import replace

import pytest

from service.catalogue.catalogue import Catalogue
from service.errors import InvalidRequest
from service.metrics import METRICS, compute
from service.metrics.computation import computable
from tests.factories import known
from tests.unit.metrics.making import item, lists, log, rows, value


def test_groups_are_the_combinations_that_occur() -> None:
    logs = [
        log("x", system="one", persona="Trust", accepted=True),
        log("x", system="one", persona="trust", accepted=False),
        log("x", system="two", accepted=True),
    ]
    report = compute(logs, metrics=["acceptance_rate"], group_by=["system", "persona"])
    found = {tuple(row.group.values()): (row.value, row.n) for row in report.rows}
    assert found == {("one", "trust"): (0.5, 2), ("two", "unknown"): (1.0, 1)}


def test_a_group_does_not_depend_on_the_others() -> None:
    short, long = lists(["a"], wanted=["a"]), lists(["x"], ["x"], ["a"], wanted=["a"])
    alone = compute([short], metrics=["preference_coverage_increase"], k=[])
    both = compute(
        [replace(short, system="s"), replace(long, system="l")],
        metrics=["preference_coverage_increase"],
        k=[],
        group_by=["system"],
    )
    mean = value(both, "preference_coverage_increase", scope="session", group={"system": "s"})
    assert mean == value(alone, "preference_coverage_increase", scope="session") == 1.0


def test_intervals_need_two_units() -> None:
    one = compute([log("x", accepted=True)], metrics=["acceptance_rate"])
    many = compute([log("x", accepted=n % 2 == 0) for n in range(40)], metrics=["acceptance_rate"])
    assert rows(one, "acceptance_rate")[0].interval is None
    interval = known(rows(many, "acceptance_rate")[0].interval)
    assert 0.3 < interval.low < 0.5 < interval.high < 0.7
    assert interval.level == 0.95


@pytest.mark.parametrize(
    ("pointer", "asked"),
    [
        ("/metrics/1", {"metrics": ["recall", "recal"]}),
        ("/group_by/0", {"group_by": ["persons"]}),
        ("/k/0", {"k": [0]}),
        ("/turns/1", {"turns": [3, -1]}),
        ("/verdicts", {"verdicts": [[], []]}),
        ("/spread_over/0", {"spread_over": ["mood"]}),
    ],
)
def test_bad_requests_point_at_what_is_wrong(pointer: str, asked: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        compute([log("x")], **asked)  # type: ignore[arg-type]
    assert [error.pointer for error in caught.value.errors] == [pointer]
    assert pointer != "/metrics/1" or caught.value.errors[0].fix == "did you mean 'recall'?"


def test_no_logs_at_all_have_no_values() -> None:
    report = compute([])
    assert {row.metric for row in report.rows} == set(METRICS)
    assert {(row.value, row.n) for row in report.rows} == {(None, 0)}
    assert not any(score.score for scores in report.abilities.values() for score in scores)


def test_an_empty_target_set_is_bad_input_for_coverage_only() -> None:
    logs = [lists(["a"], wanted=["a"]), lists(["a"], wanted=[])]
    for metrics in (None, ["preference_coverage"]):
        with pytest.raises(InvalidRequest) as caught:
            compute(logs, metrics=metrics)
        assert [error.pointer for error in caught.value.errors] == ["/logs/1/ground_truth"]
    assert rows(compute(logs, metrics=["recall"], k=[]), "recall", scope="last")[0].n == 1


def test_attributes_that_no_item_covers_are_bad_input_where_coverage_is_named() -> None:
    catalogue = Catalogue.of([item("Paper Lanterns (2009)", "drama")])
    logs = [log(("", ["a"]), attributes=["western"])]
    with pytest.raises(InvalidRequest) as caught:
        compute(logs, metrics=["preference_coverage"], catalogue=catalogue)
    assert caught.value.errors[0].pointer == "/logs/0/user/attributes"
    assert rows(compute(logs, catalogue=catalogue), "preference_coverage")


def test_what_a_log_can_be_asked_for() -> None:
    empty = lists(["a"], wanted=[])
    assert set(METRICS) - set(computable(empty)) == {"preference_coverage", "preference_coverage_increase"}
    assert computable(lists(["a"])) == METRICS
    assert compute([empty], metrics=computable(empty)).rows
