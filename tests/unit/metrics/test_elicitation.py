"""PEPPER's coverage, worked by hand."""

import pytest

from service.metrics import MetricsReport, compute
from service.metrics.figures import Undefined
from tests.unit.metrics.making import lists, log, reasons, rows, value

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


def test_means_of_sessions(worked: MetricsReport) -> None:
    assert value(worked, INCREASE, scope="session", k=None) == pytest.approx(7 / 48)
    (row,) = (row for row in rows(worked, COVERAGE, scope="session", k=None) if not row.group)
    assert (row.value, row.n) == pytest.approx((7 / 12, 3))


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


def test_sessions_that_record_no_lists_are_left_out_not_zero() -> None:
    report = compute([lists(["a"], wanted=["a"]), log("text only", wanted=["a"])], metrics=[COVERAGE], k=[])
    (row,) = (row for row in rows(report, COVERAGE, scope="session") if not row.group)
    assert (row.value, row.n) == (1.0, 1)


def test_without_turns_or_targets_the_reason_is_told() -> None:
    assert reasons(INCREASE, lists(wanted=["a"]), k=[]) == {Undefined.NO_TURNS}
    assert Undefined.NO_TARGETS in reasons(COVERAGE, lists(["a"]), k=[])
