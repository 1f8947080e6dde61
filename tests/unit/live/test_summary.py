"""The trend of a system: sums by span, intervals, repeats."""

from datetime import UTC, datetime
from typing import Any

import pytest
from scipy import stats

from service.live.summary.trend import DAY, HOUR, KEPT, Sums, Trend

VALUES = [0.2, 0.5, 0.5, 0.9]


def event(at: float, score: float | None, judge: str = "builtin") -> dict[str, Any]:
    verdict = {"factor": "coherence", "judge": judge, "score": score, "scale_min": 0, "scale_max": 4}
    return {"judged_at": datetime.fromtimestamp(at, UTC).isoformat(), "verdicts": [verdict]}


def test_the_interval_is_that_of_student() -> None:
    sums = Sums()
    for value in VALUES:
        sums.add(value)
    found = stats.ttest_1samp(VALUES, 0).confidence_interval(0.95)
    assert sums.interval() == pytest.approx((max(0, found.low), min(1, found.high)), abs=1e-7)
    assert Sums(1, 0.5, 0.25).interval() is None


def test_events_that_come_again_count_once_also_through_bytes() -> None:
    events = [(number, event(number * HOUR, 2.0)) for number in range(3)]
    trend = Trend()
    trend.see(events)
    trend = Trend.load(trend.dump())
    trend.see(events)
    ((factor, judge, points),) = trend.points(DAY)
    assert (factor, judge, [(at, sums.number, sums.mean) for at, sums in points]) == (
        "coherence",
        "builtin",
        [(0, 3, 0.5)],
    )
    assert [at for at, _ in next(trend.points(HOUR))[2]] == [0, HOUR, 2 * HOUR]


def test_old_spans_go_and_verdicts_without_a_score_do_not_count() -> None:
    trend = Trend()
    trend.see([(number, event(number * HOUR, 1.0)) for number in range(100)])
    trend.see([(1000, event(0, None, "model"))])
    ((_, _, points),) = trend.points(HOUR)
    assert len(points) == KEPT[HOUR]
    assert points[-1][0] == 99 * HOUR
