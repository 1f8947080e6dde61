"""The measurement of the gate on real conversations: what is paired with what, and what that shows."""

import numpy as np

from research import gate_real_logs
from research.gate_real_logs import UNCHANGED, WEAKNESSES, Judged, shares
from service.cli.configuration import Gate
from service.cli.gate.results import State
from tests.unit.cli.making import run

LOG = {
    "messages": [
        {"role": "assistant", "content": "Hello, what would you like to see today?"},
        {"role": "user", "content": "A film"},
        {"role": "assistant", "content": "Try Paper Lanterns (2009)."},
    ]
}
OTHER = {"messages": [{"role": "assistant", "content": "Where to?"}]}


def test_weaknesses_change_replies_alone() -> None:
    replies = {
        name: [message["content"] for message in plant(LOG, OTHER)["messages"]]
        for name, plant in WEAKNESSES.items()
    }
    hello, asked = LOG["messages"][0]["content"], "A film"
    assert replies == {
        "repeats its first reply": [hello, asked, hello],
        "answers somebody else": ["Where to?", asked, "Where to?"],
        "stops after 3 words": ["Hello, what would", asked, "Try Paper Lanterns"],
    }


def test_pairs_are_halves_or_the_same_conversations() -> None:
    whole = run("set", {f"c{i}": {"coherence": i % 5} for i in range(80)})
    digests = [record.request for record in whole.records]
    for paired in (False, True):
        rng = np.random.default_rng(0)
        (before, now), *_ = gate_real_logs._samples(whole, whole, 40, 2, paired=paired, rng=rng)
        first, second = ([record.request for record in side.records] for side in (before, now))
        assert before.conversations == now.conversations
        assert (first == second) is paired
        assert (set(first) | set(second) == set(digests)) is not paired


def test_an_unchanged_set_rarely_fails_and_a_weak_one_often() -> None:
    rng = np.random.default_rng(5)
    mood = rng.random(120)
    scores = {
        f"c{i}": {f: float(4 * (rng.random() < 0.3 + 0.5 * mood[i])) for f in ("coherence", "novelty")}
        for i in range(120)
    }
    worse = {
        name: {f: s if i % 3 else 0.0 for f, s in by.items()} for i, (name, by) in enumerate(scores.items())
    }
    one = Judged("set", run("set", scores), {weakness: run("weak", worse) for weakness in WEAKNESSES})
    found = {
        (share.what, share.paired, share.n): share for share in shares([one], Gate(), halves=60, samples=10)
    }
    assert found[UNCHANGED, False, 60].of(State.FAIL) <= 0.05
    paired, random = (found["repeats its first reply", pairs, 60].of(State.FAIL) for pairs in (True, False))
    assert paired >= 0.9
    assert paired >= random
    assert found[UNCHANGED, False, 100].by_set == {}
