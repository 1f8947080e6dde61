"""Mean and standard deviation over groups, worked by hand: CONCEPT's tables 12 to 14."""

import math
from typing import Any

import pytest

from service.metrics import compute
from service.metrics.figures import Row
from tests.unit.metrics.making import lists, log

#: Shares of acceptance: trust 1/2, delight 1, boredom 0; and one user without a persona.
SESSIONS = [
    log("x", persona="Trust", accepted=True),
    log("x", persona="trust", accepted=False),
    log("x", persona="delight", accepted=True),
    log("x", persona="boredom", accepted=False),
    log("x", accepted=True),
]


def over(logs: list[Any], metric: str, label: str = "persona", **asked: Any) -> dict[str, Row]:
    report = compute(logs, metrics=[metric], spread_over=[label], **asked)
    return {row.group["statistic"]: row for row in report.rows if row.group.get("over") == label}


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
