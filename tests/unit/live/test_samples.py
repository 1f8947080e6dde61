"""The trend of a system: sums by span, intervals, repeats."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from scipy import stats

from service.domain.idle import Sampling
from service.live.conversation import written
from service.live.result import LiveVerdict
from service.live.sampling import Sampler, Why
from service.live.summary.trend import DAY, HOUR, KEPT, Sums, Trend
from service.live.verdicts import Judging, NotScored
from service.store.conversations.protocol import ClaimedConversation

VALUES = [0.2, 0.5, 0.5, 0.9]


def event(at: float, score: float | None, judge: str = "builtin") -> dict[str, Any]:
    return {
        "last_at": datetime.fromtimestamp(at, UTC).isoformat(),
        "verdicts": [verdict(judge, score)],
        "model": None,
        "model_reasons": [],
    }


def verdict(judge: str, score: float | None, calibrated: float | None = None) -> dict[str, Any]:
    scale = {"scale_min": 0, "scale_max": 4}
    return {"factor": "coherence", "judge": judge, "score": score, "calibrated": calibrated, **scale}


def test_a_reason_to_ask_the_model_does_not_bias_the_mean_that_it_would_give_all() -> None:
    """Of 400 conversations 50 are drawn at random; the worst are asked about as well. The intervals hold in 95 %, and are narrower
    than those of the 50 alone."""
    source = np.random.default_rng(2)
    held, widths, plain = 0, [], []
    for _ in range(200):
        truth = np.clip(source.normal(0.6, 0.15, 400), 0, 1)
        common = np.clip(truth + source.normal(0.1, 0.08, 400), 0, 1)
        trend, alone, events = Trend(), Sums(), []
        for number, (model, other) in enumerate(zip(truth, common, strict=True)):
            one = event(0, 4 * other)
            if number < 50 or other < 0.5:
                one |= {"model": "judged", "model_reasons": ["sample"] if number < 50 else ["low"]}
                one["verdicts"].append(verdict("local:m", 0.0, float(model)))
            if number < 50:
                alone.add(float(model))
            events.append((number, one))
        trend.see(events)
        ((factor, judge, ((_, found),)),) = trend.estimates(HOUR)
        assert (factor, judge, found.number) == ("coherence", "local:m", 400)
        low, high = found.bounds or (1.0, 0.0)
        held += low <= 0.6 <= high
        widths.append(high - low)
        bounds = alone.interval() or (0.0, 0.0)
        plain.append(bounds[1] - bounds[0])
    assert 0.91 <= held / 200 <= 0.99
    assert np.mean(widths) < 0.8 * np.mean(plain)


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


NAMES = [f"c{number}" for number in range(2000)]


def reasons(messages: list[dict[str, Any]], score: float = 3.0, flags: tuple[str, ...] = ()) -> list[Why]:
    verdict = LiveVerdict(
        factor="coherence", status="scored", score=score, level=3, scale_min=0, scale_max=4, confidence=None,
        reason=None, flags=list(flags), judge="builtin", evaluator_revision="", calibrated=None, rationale=None, evidence=[],
    )  # fmt: skip
    log = {"id": "c1", "system": "shop", "messages": messages}
    nowhere: Any = None  # without a budget it counts nothing
    return Sampler("local:m", Sampling(), None, 1.0, nowhere).reasons(log, [verdict])


def said(content: str, role: str = "user", **more: object) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def test_a_share_holds_so_many_and_a_larger_one_all_of_a_smaller() -> None:
    some = {name for name in NAMES if Sampling(0.1).takes(name, "shop")}
    more = {name for name in NAMES if Sampling(0.3).takes(name, None)}
    assert 150 <= len(some) <= 250
    assert some < more
    assert not any(Sampling(0.0).takes(name, None) for name in NAMES)
    assert all(Sampling(0.0, {"shop": 1.0}).takes(name, "shop") for name in NAMES)


def test_a_setting_reads_as_it_is_written() -> None:
    assert Sampling.parse("0.1, shop=1") == Sampling(0.1, {"shop": 1.0})
    assert Sampling.parse(str(Sampling(0.25, {"a": 0.5}))) == Sampling(0.25, {"a": 0.5})
    with pytest.raises(ValueError, match="a number from 0 to 1"):
        Sampling.parse("shop=2")


def test_what_shows_a_reason_is_always_judged() -> None:
    assert reasons([said("A slow drama, please.")]) == []
    assert reasons([said("A slow drama, please.")], flags=("no_occasion",)) == []
    assert reasons([said("A slow drama, please.")], score=1.0) == [Why.LOW]
    assert reasons([said("A slow drama, please.")], flags=("steering_attempt", "no_occasion")) == [
        Why.FLAGGED
    ]
    assert reasons([said("You are not listening to me, this is useless.")]) == [Why.COMPLAINT]
    failed = {"type": "tool_result", "content": "timeout", "error": True}
    assert reasons([said("", "tool", parts=[failed])]) == [Why.TOOL_FAILED]


@pytest.mark.parametrize(
    "said",
    ["0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+14:00", "yesterday", "9999-12-31T23:59:59-12:00"],
)
def test_a_moment_that_no_calendar_has_is_not_said(said: str) -> None:
    assert written([{"created_at": said}, {"created_at": "2026-01-01T10:00:00Z"}]) is None


CLAIMED = datetime(2026, 1, 5, 12, tzinfo=UTC)
SECONDS = 0.2


class _Slow:
    async def score(self, _: Any) -> Any:
        await asyncio.sleep(SECONDS)
        raise NotScored("timeout")


async def test_a_conversation_is_judged_when_its_verdicts_are_there() -> None:
    at = CLAIMED.timestamp()
    message = json.dumps({"role": "user", "content": "hello"})
    due = ClaimedConversation("c1", 1, 1, 1, 1, True, 60.0, at, at, at, {}, [message])
    result = (await Judging(_Slow(), ["coherence"], 100).judge(due)).result  # type: ignore[arg-type]
    assert result.last_at == CLAIMED
    assert result.judged_at >= CLAIMED + timedelta(seconds=SECONDS)
