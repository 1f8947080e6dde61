"""The shipped detector of faults: what it reads, and that nothing that follows a reply changes it."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.embedded import judged as all_verdicts
from benchmarks.prompt_tokens import input_of
from service.encoder.detector import LONGEST, PIECES, ReplyFaults, contested, cut, detector, rendered, windows
from service.encoder.encoder import strategies
from service.judges.embedded import EmbeddedJudge
from tools.live_soak import said_in

GOLDEN = Path(__file__).parent / "detector_logits.json"
"""Log odds as torch computes them from the packed weights: `research.detector.export` writes them."""
Talk = list[tuple[str, str]]
SHORT: Talk = [
    ("user", "need a tent for 2, under 150 euro, not green"),
    ("assistant", "The Vela Duo in sand costs 129 € and weighs 2.1 kg. Do you hike with it?"),
    ("user", "yes. how is it in rain?"),
    ("assistant", "Its fly keeps out a night of steady rain; in a storm, use the two extra guy lines."),
    ("user", "great, thanks"),
    ("assistant", "Have a good trip!"),
]
LONG: Talk = [(role, f"{number}: {text} " * 3) for number in range(4) for role, text in SHORT]


def faults_of(talk: Talk) -> list[ReplyFaults]:
    """Return what the detector finds in the replies alone."""
    return [one for one in detector().predict(talk) if isinstance(one, ReplyFaults)]


def odds(found: float) -> float:
    return float(np.log(found / (1 - found)))


def test_probabilities_are_those_of_torch() -> None:
    for kept in json.loads(GOLDEN.read_text("utf-8")):
        found = faults_of([(role, text) for role, text in kept["messages"]])
        assert len(found) == len(kept["odds"])
        for reply, expected in zip(found, kept["odds"], strict=True):
            read = contested(np.array(expected), detector().families)
            for (slug, chance), value in zip(reply.probabilities.items(), read, strict=True):
                fault = detector().faults[slug]
                assert odds(chance) == pytest.approx(fault.slope * value + fault.intercept, abs=1e-2)


@pytest.mark.parametrize("talk", [SHORT, LONG])
def test_nothing_that_follows_a_reply_changes_it(talk: Talk) -> None:
    whole = detector().predict(talk)
    assert [one.message for one in whole] == [*range(len(talk))]
    for end in range(1, len(talk) + 1, 3):
        part = detector().predict(talk[:end])
        assert part == whole[: len(part)]


def test_what_stands_before_a_reply_counts() -> None:
    other = [("user", "a red lamp for my desk"), *SHORT[1:]]
    assert faults_of(other)[0] != faults_of(SHORT)[0]
    swapped = [(("assistant" if role == "user" else "user"), text) for role, text in SHORT[:3]]
    assert [reply.message for reply in faults_of(swapped)] == [0, 2]


def test_messages_without_text_and_of_other_roles_are_not_read() -> None:
    assert detector().predict([]) == []
    assert faults_of([("user", "hi"), ("assistant", " "), ("system", "Be kind.")]) == []
    apart = [*SHORT[:1], ("tool", "{}"), *SHORT[1:2]]
    assert faults_of(apart)[0].probabilities == faults_of(SHORT[:2])[0].probabilities


def test_windows_depend_on_what_came_before_alone() -> None:
    lengths = [40, *(17 + 31 * n % (LONGEST - 16) for n in range(80))]
    whole = list(windows(lengths))
    assert [number for _, new in whole for number in new] == list(range(len(lengths)))
    assert all(sum(lengths[n] for n in (*kept, *new)) <= PIECES for kept, new in whole)
    assert all(kept[0] == 0 for kept, _ in whole[1:])
    for end in range(1, len(lengths)):
        part = list(windows(lengths[:end]))
        assert part[:-1] == whole[: len(part) - 1]
        assert part[-1][0] == whole[len(part) - 1][0]


def test_only_shipped_faults_over_their_threshold_are_reported() -> None:
    for talk in (SHORT, LONG):
        for reply in faults_of(talk):
            assert list(reply.probabilities) == list(detector().faults)
            for slug, fault in detector().faults.items():
                over = fault.shipped and reply.probabilities[slug] >= fault.threshold
                assert (slug in reply.reported) == over


def test_the_likeliest_fault_of_a_family_stands_for_it() -> None:
    alone = contested(np.array([1.0, -9.0, 0.5]), [[0, 1], [2]])
    shared = contested(np.array([1.0, 0.9, 0.5]), [[0, 1], [2]])
    assert shared[0] > alone[0]
    assert shared[1] < shared[0]


def test_a_user_who_points_out_a_mistake_objects() -> None:
    talk = [*SHORT[:2], ("user", "no, you got that wrong. I said not green and you showed me a green one!")]
    plain = [*SHORT[:2], ("user", "great, I'll take it, thanks")]
    objecting, content = (detector().predict(each)[-1].acts["objects"] for each in (talk, plain))
    assert objecting > 0.5 > content


def _work(logs: Sequence[dict[str, Any]]) -> list[float]:
    """Layers times pieces for each log, in units of one pass of its messages."""
    judge, costs = EmbeddedJudge(), []
    for log in logs:
        stack = detector()._weights().stack
        before = stack.work + strategies()._stack.work
        asyncio.run(all_verdicts(judge, input_of(log)))
        texts = [rendered(each["content"], each.get("recommendations") or ()) for each in log["messages"]]
        pieces = sum(len(cut(text)) for text in texts)
        costs.append((stack.work + strategies()._stack.work - before) / (len(stack.layers) * pieces))
    return costs


@pytest.mark.slow
def test_a_conversation_is_read_once_and_nothing_of_it_is_kept() -> None:
    logs = [{"messages": said_in(number)} for number in range(3)]
    assert _work([*logs, logs[-1]]) == pytest.approx([1, 1, 1, 1])
