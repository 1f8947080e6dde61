"""Calibration maps: what they say between and beyond their knots, and their hash."""

from dataclasses import replace

import pytest

from service.domain.calibration import Calibration, CalibrationMap, Form, Knot
from service.domain.rubric import Scale
from service.domain.verdict import JudgeName

MAP = CalibrationMap(
    factor="coherence",
    label="coherence",
    judge=JudgeName("builtin"),
    evaluator_revision="0123456789ab",
    comparison_key=None,
    systems=("a", "b"),
    domains=("movie",),
    form=Form.ISOTONIC,
    judge_scale=Scale(0, 4),
    people_scale=Scale(1, 5),
    knots=(Knot(1, 1.5, 1, 3), Knot(2, 2.5, 1, 4), Knot(3, 2.5, 2, 4)),
    n=60,
    error_before=0.9,
    error=0.5,
    level=0.9,
    coverage=0.91,
)


@pytest.mark.parametrize(
    ("score", "value", "low", "high"),
    [
        (0, 1.5, 1, 3),
        (1, 1.5, 1, 3),
        (1.25, 1.75, 1, 4),
        (2, 2.5, 1, 4),
        (2.9, 2.5, 1, 4),
        (3, 2.5, 2, 4),
        (4, 2.5, 2, 4),
    ],
)
def test_values_lie_on_the_line_between_knots_and_intervals_hold_both(
    score: float, value: float, low: float, high: float
) -> None:
    found = MAP.apply(score)
    assert found.score == pytest.approx(value)
    assert (found.low, found.high) == (low, high)
    assert found.scale == Scale(1, 5)


def test_a_map_without_intervals_gives_none() -> None:
    bare = replace(MAP, knots=(Knot(0, 1, None, None), Knot(4, 5, None, None)))
    found = bare.apply(1)
    assert (found.score, found.low, found.high) == (2, None, None)


def test_the_hash_covers_every_part_and_takes_2_for_2_0() -> None:
    changed = [
        replace(MAP, factor="novelty"),
        replace(MAP, label="x"),
        replace(MAP, judge=JudgeName("builtin", "m")),
        replace(MAP, evaluator_revision=None),
        replace(MAP, comparison_key="k"),
        replace(MAP, systems=("a",)),
        replace(MAP, domains=()),
        replace(MAP, form=Form.LINE),
        replace(MAP, people_scale=Scale(0, 5)),
        replace(MAP, knots=MAP.knots[:2]),
        replace(MAP, n=61),
        replace(MAP, error=None),
        replace(MAP, coverage=None),
    ]
    assert len({one.hash for one in (MAP, *changed)}) == len(changed) + 1
    assert replace(MAP, knots=(Knot(1.0, 1.5, 1.0, 3.0), *MAP.knots[1:])).hash == MAP.hash


def test_the_hash_of_several_is_that_in_any_order() -> None:
    other = replace(MAP, factor="novelty")
    assert Calibration((MAP, other)).hash == Calibration((other, MAP)).hash != Calibration((MAP,)).hash
