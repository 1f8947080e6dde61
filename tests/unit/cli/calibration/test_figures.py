"""Data of a calibration's figures."""

from typing import Any

from service.cli.calibration.figures import bounds, coverage_rows, judge_against_people

MAP: dict[str, Any] = {
    "factor": "coherence",
    "scales": {"judge": {"min": 0, "max": 4}, "people": {"min": 0, "max": 4}},
    "knots": [
        {"score": 1, "value": 0, "low": 0, "high": 1},
        {"score": 2, "value": 1, "low": 0, "high": 2},
        {"score": 3, "value": 3, "low": 2, "high": 4},
    ],
    "level": 0.9,
}


def test_between_two_knots_the_wider_interval_holds_and_beyond_the_last_its_own() -> None:
    assert [bounds(MAP, score) for score in (0, 1, 1.5, 2, 2.5, 3, 4)] == [
        (0, 1), (0, 1), (0, 2), (0, 2), (0, 4), (2, 4), (2, 4),
    ]  # fmt: skip


def test_coverage_counts_labels_inside_in_thirds_of_the_judges_scores() -> None:
    points = [(1.0, 0.0), (1.0, 3.0), (2.0, 2.0), (2.0, 3.0), (3.0, 3.0), (3.0, 4.0)]
    rows = coverage_rows(MAP, points)
    assert [(name, share) for name, share, _, _ in rows] == [
        ("all labels", 4 / 6),
        ("judge 1.00 to 1.00", 0.5),
        ("judge 2.00 to 2.00", 0.5),
        ("judge 3.00 to 3.00", 1.0),
    ]
    # Wilson's interval of 4 of 6, by hand.
    assert [round(bound, 3) for bound in rows[0][2:]] == [0.3, 0.903]


def test_conversations_in_one_place_are_one_larger_dot() -> None:
    drawn = judge_against_people(MAP, [(1.0, 0.0)] * 4 + [(2.0, 1.0)])
    assert drawn.count("<circle") == 2
    assert 'r="6.0"' in drawn
