"""The conversations that a model judges: the same everywhere, and those with a reason."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.domain.sampling import Sampling
from service.live.conversation import written
from service.live.result import LiveVerdict
from service.live.sampling import Sampler, Why
from service.live.scoring import NotScored
from service.live.verdicts import Judging
from service.store.conversations.protocol import Due

NAMES = [f"c{number}" for number in range(2000)]


async def spend(_name: str, _most: int, _seconds: float) -> bool:
    return True


def reasons(messages: list[dict[str, Any]], score: float = 3.0, flags: tuple[str, ...] = ()) -> list[Why]:
    verdict = LiveVerdict(
        factor="coherence", status="scored", score=score, level=3, scale_min=0, scale_max=4, confidence=None,
        reason=None, flags=list(flags), judge="builtin", evaluator_revision="", calibrated=None, rationale=None, evidence=[],
    )  # fmt: skip
    log = {"id": "c1", "system": "shop", "messages": messages}
    return Sampler("local:m", Sampling(), None, 1.0, spend).reasons(log, [verdict])


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
    with pytest.raises(ValueError, match="share from 0 to 1"):
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
    due = Due("c1", 1, 1, 1, 1, True, 60.0, at, at, at, {}, [message])
    result = (await Judging(_Slow(), ["coherence"], 100).judge(due)).result  # type: ignore[arg-type]
    assert result.last_at == CLAIMED
    assert result.judged_at >= CLAIMED + timedelta(seconds=SECONDS)
