"""A run in one table."""

import pytest

from service.cli.overview import mean_interval, rows
from service.cli.scores import Run
from tests.unit.cli.making import record, run


def test_means_and_counts() -> None:
    made = rows(
        run(
            "r",
            {
                "a": {"coherence": 4, "novelty": 1},
                "b": {"coherence": 2, "novelty": None},
                "c": {"coherence": 3, "novelty": "timeout"},
            },
        )
    )
    coherence, novelty, overall = made
    assert coherence.mean == 3
    assert (novelty.n, novelty.not_assessable, novelty.failed) == (1, 1, 1)
    assert novelty.interval is None
    # A failure is no 0: b and c rest on coherence alone.
    assert overall.mean == pytest.approx((2.5 + 2 + 3) / 3)


def test_overall_puts_scales_together() -> None:
    one = record("a", {"coherence": 4})
    assert one.answer is not None
    other = {
        **one.answer["verdicts"][0],
        "factor": "pepper-coherence",
        "score": 3.0,
        "scale": {"min": 1, "max": 5},
    }
    one.answer["verdicts"].append(other)
    assert rows(Run("r", [one]))[-1].mean == pytest.approx((4 + 2) / 2)


def test_the_interval_holds_the_mean_and_needs_two() -> None:
    low, high = mean_interval([0, 1, 2, 3, 4] * 10) or (9, 9)
    assert 1.4 < low < 2 < high < 2.6
    assert mean_interval([1.0]) is None
