"""The conversations that a model judges: the same everywhere, and those with a reason."""

from typing import Any

import pytest

from service.domain.sampling import Sampling
from service.live.result import LiveVerdict
from service.live.sampling import Sampler, Why

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
