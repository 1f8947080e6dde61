"""Mean and standard deviation over groups, worked by hand: CONCEPT's tables 12 to 14."""

import math
from typing import Any

import pytest

from service.catalogue.catalogue import Catalogue
from service.computed_metrics import METRICS, MetricsReport, compute
from service.computed_metrics.computation import computable
from service.computed_metrics.figures import MetricRow
from service.errors import InvalidRequest
from tests.unit.computed_metrics.making import item, lists, log, rows, value

#: Shares of acceptance: trust 1/2, delight 1, boredom 0; and one user without a persona.
SESSIONS = [
    log("x", persona="Trust", accepted=True),
    log("x", persona="trust", accepted=False),
    log("x", persona="delight", accepted=True),
    log("x", persona="boredom", accepted=False),
    log("x", accepted=True),
]


def over(logs: list[Any], metric: str, **asked: Any) -> dict[str, MetricRow]:
    report = compute(logs, metrics=[metric], spread_over=["persona"], **asked)
    return {row.group["statistic"]: row for row in report.rows if "over" in row.group}


def test_groups_weigh_alike_whatever_their_size() -> None:
    found = over(SESSIONS, "acceptance_rate")
    mean, deviation = found["mean"], found["standard_deviation"]
    assert mean.value == pytest.approx(0.5)
    assert mean.n == 3
    assert deviation.value == pytest.approx(math.sqrt((0**2 + 0.5**2 + 0.5**2) / 3))
    assert mean.unit == deviation.unit == "share"
    assert mean.group == {"over": "persona", "statistic": "mean"}
    report = compute(SESSIONS, metrics=["acceptance_rate"], spread_over=["persona"])
    plain = [row for row in report.rows if "statistic" not in row.group]
    assert [(row.value, row.n) for row in plain] == [(3 / 5, 5)]


def test_other_labels_divide_before_groups_are_compared() -> None:
    logs = [
        log("x", system=system, persona=persona, accepted=accepted)
        for system, persona, accepted in (
            ("one", "trust", True),
            ("one", "delight", False),
            ("two", "trust", True),
        )
    ]
    report = compute(
        logs, metrics=["acceptance_rate"], group_by=["system", "persona"], spread_over=["persona"]
    )
    found = {
        (row.group["system"], row.group["statistic"]): (row.value, row.n, row.undefined)
        for row in report.rows
        if "statistic" in row.group
    }
    assert found == {
        ("one", "mean"): (0.5, 2, None),
        ("one", "standard_deviation"): (0.5, 2, None),
        ("two", "mean"): (1.0, 1, None),
        ("two", "standard_deviation"): (None, 1, "single_group"),
    }


def test_groups_without_a_value_are_left_out() -> None:
    logs = [
        log(("x", ["a"]), wanted=["a"], persona="trust"),
        log(("x", ["b"]), wanted=["a"], persona="delight"),
        log("x", wanted=["a"], persona="boredom"),
    ]
    report = compute(logs, metrics=["recall"], k=[], turns=[], spread_over=["persona"])
    found = [row for row in report.rows if row.scope == "last" and row.group.get("statistic") == "mean"]
    assert [(row.value, row.n) for row in found] == [(0.5, 2)]
    none = over([lists(wanted=["a"])], "recall", k=[], turns=[])
    assert none == {}  # nobody's persona is known


def test_verdicts_need_a_list_for_each_log() -> None:
    with pytest.raises(InvalidRequest) as caught:
        compute([log("x")], verdicts=[[], []])
    assert [error.pointer for error in caught.value.errors] == ["/verdicts"]


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


COVERAGE = "preference_coverage"
INCREASE = "preference_coverage_increase"


@pytest.fixture(scope="module")
def worked() -> MetricsReport:
    """Three users of ragged sessions: one of four turns, one that ends after two with a repeat in
    its first list, one that never got a reply."""
    return compute(
        [
            lists(["a", "x"], ["a", "b"], ["b", "y"], ["c"], wanted=["a", "b", "c", "d"]),
            lists(["p", "p", "z"], ["q"], wanted=["p", "q"]),
            lists(wanted=["m"]),
        ],
        metrics=[COVERAGE, INCREASE, "list_distance", "recall"],
        k=[1],
    )


@pytest.mark.parametrize(
    ("metric", "k", "twelfths"),
    [
        (COVERAGE, None, [3, 6, 6, 7]),  # sessions that ended are carried forward
        (COVERAGE, 1, [3, 5, 6, 7]),
        (INCREASE, None, [3, 3, 0, 1]),
    ],
)
def test_coverage_and_its_increase_by_turn(
    worked: MetricsReport, metric: str, k: int | None, twelfths: list[int]
) -> None:
    found = [row.value for row in rows(worked, metric, scope="turn", k=k) if row.turn is not None]
    assert found == pytest.approx([part / 12 for part in twelfths])


def test_coverage_of_halves_and_their_gap(worked: MetricsReport) -> None:
    # u1: first half {a, b} found, second {c, d} half found; u2: both found; u3 has one target.
    halves = {
        row.group["targets"]: (row.value, row.n)
        for row in rows(worked, COVERAGE, scope="session", k=None)
        if row.group
    }
    assert halves == {"first_half": (1.0, 2), "second_half": (0.75, 2), "first_minus_second": (0.25, 2)}


def test_odd_targets_give_the_first_half_one_more() -> None:
    report = compute([lists(["a"], wanted=["a", "b", "c"])], metrics=[COVERAGE], k=[])
    assert value(report, COVERAGE, group={"targets": "first_half"}) == 0.5
    assert value(report, COVERAGE, group={"targets": "second_half"}) == 0.0


def test_recall_per_turn_counts_sessions_that_have_the_turn(worked: MetricsReport) -> None:
    found = {row.turn: (row.value, row.n) for row in rows(worked, "recall", scope="turn", k=None) if row.turn}
    assert found == {1: (3 / 8, 2), 2: (1 / 2, 2), 3: (1 / 4, 1), 4: (1 / 4, 1)}
    # Sessions weigh alike. u1: (1/4 + 1/2 + 1/4 + 1/4) / 4 = 5/16; u2: (1/2 + 1/2) / 2.
    assert value(worked, "recall", scope="turn", turn=None, k=None) == pytest.approx((5 / 16 + 1 / 2) / 2)


def test_jaccard_distance_of_successive_lists(worked: MetricsReport) -> None:
    # u1: {a,x}{a,b} 2/3, {a,b}{b,y} 2/3, {b,y}{c} 1; u2: {p,z}{q} 1.
    found = {row.turn: row.value for row in rows(worked, "list_distance", scope="turn", k=None)}
    assert found == {2: pytest.approx(5 / 6), 3: pytest.approx(2 / 3), 4: 1.0}
    assert value(worked, "list_distance", scope="session", k=None) == pytest.approx((7 / 9 + 1) / 2)
