"""The work that a verdict costs, counted instead of timed: layers times pieces. A load of distinct texts finds nothing kept."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.check import judged
from benchmarks.embedded import examples, log_of, read
from benchmarks.embedded import judged as all_verdicts
from service.encoder.detector import cut, detector, rendered
from service.encoder.encoder import strategies
from service.judges.embedded import EmbeddedJudge
from tools.distinct import distinct
from tools.live_soak import SAID, said_in

MOST_PASSES = 2
"""Passes of a message through the detector: a new window reads at most as much again as it reads for the first time."""


def _work(logs: Sequence[dict[str, Any]]) -> list[float]:
    """Layers times pieces for each log, in units of one pass of its messages."""
    judge, costs = EmbeddedJudge(), []
    for log in logs:
        stack = detector()._weights().stack
        before = stack.work + strategies().work
        asyncio.run(all_verdicts(judge, *read({"log": log})))
        texts = [rendered(each["content"], each.get("recommendations") or ()) for each in log["messages"]]
        pieces = sum(len(cut(text)) for text in texts)
        costs.append((stack.work + strategies().work - before) / (len(stack.layers) * pieces))
    return costs


@pytest.mark.slow
def test_a_conversation_is_read_once_and_nothing_of_it_is_kept() -> None:
    logs = [{"messages": said_in(number)} for number in range(3)]
    assert _work([*logs, logs[-1]]) == pytest.approx([1, 1, 1, 1])


@pytest.mark.slow
def test_a_long_conversation_costs_no_more_than_two_passes() -> None:
    short, long = _work([log_of(60, 1), log_of(240, 2)])
    assert 1 <= short <= MOST_PASSES
    assert 1 <= long <= MOST_PASSES


def test_no_two_texts_of_a_load_are_alike() -> None:
    loads = [
        [message["content"] for number in range(300) for message in said_in(number)],
        [message["content"] for log in examples(300) for message in log["messages"]],
        [
            message["content"]
            for seed in range(30)
            for message in distinct(log_of(50, seed)["messages"], seed)
        ],
    ]
    for texts in loads:
        assert len(set(texts)) == len(texts)
    assert len(loads[0]) == 300 * len(SAID)


@pytest.mark.parametrize(
    ("found", "holds"), [(7.1, True), (5.1, True), (9.1, True), (4.9, False), (0.4, False)]
)
def test_a_ratio_that_is_off_by_a_third_is_stale(found: float, holds: bool) -> None:
    assert judged(7.1, found) is holds
