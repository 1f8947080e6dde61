"""The measurement of the gate on real conversations: what is paired with what, and what that shows."""

from dataclasses import replace

import numpy as np

from research import gate_real_logs
from research.gate_real_logs import FAULTS, LEAK, MEANS, WEAKNESSES, Judged, false_failures, found
from research.gate_swaps import held_out, swapped
from research.measure_gate import swap_table
from service.cli.configuration import GateSettings
from service.cli.gate.results import RuleState
from tests.unit.cli.making import fault, record, run

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
        "shows raw JSON": [hello, asked, LEAK],
        "falls silent after a reply": [hello, asked],
        "repeats its first reply": [hello, asked, hello],
        "answers somebody else": ["Where to?", asked, "Where to?"],
        "stops after 3 words": ["Hello, what would", asked, "Try Paper Lanterns"],
    }


def test_silence_is_no_open_end() -> None:
    silent = WEAKNESSES["falls silent after a reply"](LOG, OTHER)
    assert [message["role"] for message in silent["messages"]] == ["assistant", "user"]
    assert silent["complete"]


def test_pairs_are_halves_or_the_same_conversations() -> None:
    whole = run("set", {f"c{i}": {"coherence": i % 5} for i in range(80)})
    weak = {i: replace(whole.records[i], request=f"weak-{i}") for i in range(30)}
    one = Judged("set", whole, {"rude": weak})
    digests = [record.request for record in whole.records]
    (before, now), *_ = gate_real_logs._halves(one, 40, 2)
    assert {record.request for side in (before, now) for record in side.records} == set(digests)
    (before, now), *_ = gate_real_logs._planted(one, "rude", 5, 40, 2)
    pairs = list(zip(before.records, now.records, strict=True))
    changed = [(a.request, b.request) for a, b in pairs if a.request != b.request]
    assert len(pairs) == 40
    assert len(changed) == 8
    assert all(f"weak-{a.removeprefix('digest-c')}" == b for a, b in changed)


def test_an_unchanged_set_rarely_fails_and_a_weak_one_often() -> None:
    rng = np.random.default_rng(5)
    mood = rng.random(120)
    scores = {
        f"c{i}": {f: float(4 * (rng.random() < 0.3 + 0.5 * mood[i])) for f in ("coherence", "novelty")}
        for i in range(120)
    }
    worse = run("weak", {name: dict.fromkeys(by, 0.0) for name, by in scores.items()}).records
    rude = [replace(one, answer=record("", scores[one.conversation], faults=[fault("off-topic")]).answer)
            for one in worse]  # fmt: skip
    weak = {"repeats itself": dict(enumerate(worse)), "off-topic": dict(enumerate(rude))}
    one = Judged("set", run("set", scores), weak)
    halves = {share.n: share for share in false_failures([one], GateSettings(), halves=60)}
    assert halves[50].of(RuleState.FAIL) <= 0.05
    assert halves[100].by_set == {}
    caught = {(share.what, share.every, share.n): share for share in found([one], GateSettings(), samples=4)}
    assert caught["repeats itself", 1, 50].by(MEANS) == 1
    assert caught["off-topic", 5, 50].by("off-topic") == caught["off-topic", 5, 50].by(FAULTS) == 1
    assert caught["off-topic", 5, 200].samples == 0
    assert "| `off-topic` |" in swap_table(list(caught.values()))


def test_swaps_of_the_corpus_are_planted_whole() -> None:
    one = next(held_out("final"))
    planted = list(swapped(one))
    assert {fault for fault, _ in planted} == {swap["fault"] for swap in one["swaps"]} - {"none"}
    for fault_, messages in planted:
        assert messages != one["messages"]
        assert len(one["messages"]) - len(messages) == (fault_ == "no-reply")
