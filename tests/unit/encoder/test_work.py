"""The work that a verdict costs, counted instead of timed: layers times pieces. A load of distinct texts finds nothing kept."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.embedded import judged as all_verdicts
from benchmarks.embedded import read
from service.encoder.detector import cut, detector, rendered
from service.encoder.encoder import strategies
from service.judges.embedded import EmbeddedJudge
from tools.live_soak import said_in


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
