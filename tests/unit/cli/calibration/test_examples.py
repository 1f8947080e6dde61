"""Anchors for a model's prompt, and what they bring to a judge that copies the nearest one."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.cli.calibration.command import calibrate
from service.cli.calibration.examples import AnchorExample, Gain, anchors_for, gain, held_out, picked
from service.cli.calibration.proof import told
from service.cli.exits import CommandError
from service.cli.inputs import json_digest
from service.cli.records import write_records
from tests.provider.behaviours import Answer
from tests.provider.server import ProviderServer
from tests.unit.cli.making import record

WORDS = ("nothing", "little", "something", "much", "everything")


def cross_validated(
    some: Sequence[AnchorExample], count: int, rate: Callable[[AnchorExample, Sequence[AnchorExample]], float]
) -> Gain:
    return gain([(one.people, one.judge, rate(one, anchors)) for one, anchors in held_out(some, count)])


def examples(count: int = 40) -> list[AnchorExample]:
    """Conversations whose wording says what people would give; the judge says 3 of 4 throughout, give or take."""
    source = random.Random(5)
    made = []
    for number in range(count):
        level = number % 5
        log = {"messages": [{"role": "assistant", "content": f"{WORDS[level]} suits you, number {number}"}]}
        judge = 0.75 + source.uniform(-0.1, 0.1)
        made.append(
            AnchorExample(f"c{number}", json_digest(log), "coherence", level / 4, judge, log, float(level))
        )
    return made


def test_the_anchors_are_from_both_ends_and_where_the_judge_errs_most() -> None:
    given = examples()
    chosen = picked(given, 4)
    assert [one.people for one in chosen[:2]] == [0, 0]
    assert all(one.people >= 0.5 for one in chosen[2:])
    low = [one for one in given if one.people == 0]
    assert {one.digest for one in chosen[:2]} == {
        one.digest for one in sorted(low, key=lambda one: -one.gap)[:2]
    }
    assert picked(given, 4) == picked(given[::-1], 4)
    assert len(picked(given[:1], 4)) == 1


def test_no_conversation_is_its_own_anchor() -> None:
    chosen = picked(examples(), 4)
    assert chosen[0] not in anchors_for(chosen[0], chosen)
    seen: list[tuple[str, set[str]]] = []

    def rate(one: AnchorExample, anchors: Sequence[AnchorExample]) -> float:
        seen.append((one.digest, {anchor.digest for anchor in anchors}))
        return one.judge

    gain = cross_validated(examples(), 4, rate)
    assert gain.before == gain.after
    assert len(seen) == gain.n == 40
    assert all(name not in anchors for name, anchors in seen)
    with pytest.raises(ValueError, match="5 parts take 5"):
        cross_validated(examples(3), 4, rate)


def nearest(payload: dict[str, Any]) -> str:
    """A model that repeats the score of the anchor whose first word is that of the conversation; 3 where there is none."""
    asked = json.loads(payload["messages"][-1]["content"])
    first = asked["text"].split()[0]
    scores = [anchor["score"] for anchor in asked["anchors"] if anchor["text"].split()[0] == first]
    return str(scores[0] if scores else 3)


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer(Answer(text=nearest)) as server:
        yield server


@pytest.mark.slow
def test_a_judge_that_copies_its_nearest_anchor_gains_from_them(provider: ProviderServer) -> None:
    def text(one: AnchorExample) -> str:
        return str(one.log["messages"][0]["content"])

    def rate(one: AnchorExample, anchors: Sequence[AnchorExample]) -> float:
        asked = {"text": text(one), "anchors": [{"text": text(a), "score": a.given} for a in anchors]}
        body = {"model": "scripted", "messages": [{"role": "user", "content": json.dumps(asked)}]}
        answer = httpx2.post(f"{provider.openai_url}/chat/completions", json=body).json()
        return float(answer["choices"][0]["message"]["content"]) / 4

    few, many = (cross_validated(examples(), count, rate) for count in (4, 20))
    assert provider.calls == 80
    assert few.after < 0.75 * few.before
    assert many.after < few.after


@pytest.mark.parametrize(
    ("without", "shown", "finding"),
    [
        ([0.75] * 20, [0.5] * 20, "showing anchors helps openai:m"),
        ([0.5] * 20, [0.75] * 20, "showing anchors makes errors larger for openai:m"),
        (
            [0.75] * 20,
            [0.75] * 10 + [0.9] * 5 + [0.55] * 5,
            "do not tell whether showing anchors helps openai:m",
        ),
    ],
)
def test_what_chance_can_bring_is_no_help(without: list[float], shown: list[float], finding: str) -> None:
    made = gain([(0.5, before, after) for before, after in zip(without, shown, strict=True)])
    (line,) = told({"coherence": made}, {"coherence": examples()}, "openai:m")
    assert finding in line


def test_the_command_writes_anchors_that_say_which_log_they_are(tmp_path: Path) -> None:
    logs = [{**one.log, "id": one.conversation, "system": "ours"} for one in examples()]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(log) + "\n" for log in logs))
    records = [
        replace(record(one.conversation, {"coherence": 4 * one.judge}), digest=json_digest(log))
        for one, log in zip(examples(), logs, strict=True)
    ]
    write_records(tmp_path / "results.jsonl", records)
    rating = {"factor": "coherence", "rater": "anna", "kind": "human"}
    rows = [{**rating, "conversation": one.conversation, "score": one.given} for one in examples()[:30]]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    results, labels, out = (
        [str(tmp_path / "results.jsonl")],
        [str(tmp_path / "labels.jsonl")],
        tmp_path / "anchors.json",
    )
    calibrate(results, labels=labels, logs=[str(tmp_path / "logs.jsonl")], examples=out, shots=6)
    anchors = json.loads(out.read_text())["anchors"]
    assert len(anchors) == 6
    assert {anchor["digest"] for anchor in anchors} <= {json_digest(log) for log in logs[:30]}
    assert all("system" not in anchor["log"] and "id" not in anchor["log"] for anchor in anchors)
    assert {anchor["score"] for anchor in anchors} >= {0.0}
    with pytest.raises(CommandError, match="give the logs that were judged"):
        calibrate(results, labels=labels, examples=out)
