"""Anchors for a model's prompt."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from service.cli.calibration.calibration_file import AnchorExample, picked
from service.cli.calibration.command import calibrate
from service.cli.exits import CommandError
from service.cli.inputs import json_digest
from service.cli.records import write_records
from tests.unit.cli.making import record

WORDS = ("nothing", "little", "something", "much", "everything")


def examples(count: int = 40) -> list[AnchorExample]:
    """Conversations whose wording says what people would give; the judge says 3 of 4 throughout, give or take."""
    source = random.Random(5)
    made = []
    for number in range(count):
        level = number % 5
        log = {"messages": [{"role": "assistant", "content": f"{WORDS[level]} suits you, number {number}"}]}
        judge = 0.75 + source.uniform(-0.1, 0.1)
        made.append(
            AnchorExample(level / 4, judge, json_digest(log), {**log, "id": f"c{number}", "system": "ours"})
        )
    return made


def test_the_anchors_are_from_both_ends_and_where_the_judge_errs_most() -> None:
    given = examples()
    chosen = picked(given, 4)
    assert [one.people for one in chosen[:2]] == [0, 0]
    assert all(one.people >= 0.5 for one in chosen[2:])
    low = [one for one in given if one.people == 0]
    assert {one.digest for one in chosen[:2]} == {
        one.digest for one in sorted(low, key=lambda one: -one.judge)[:2]
    }
    assert picked(given, 4) == picked(given[::-1], 4)
    assert len(picked(given[:1], 4)) == 1


def test_the_command_writes_anchors_that_say_which_log_they_are(tmp_path: Path) -> None:
    logs = [one.row for one in examples()]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(log) + "\n" for log in logs))
    records = [
        replace(record(log["id"], {"coherence": 4 * one.judge}), digest=json_digest(log))
        for one, log in zip(examples(), logs, strict=True)
    ]
    write_records(tmp_path / "results.jsonl", records)
    rating = {"factor": "coherence", "rater": "anna", "kind": "human"}
    rows = [{**rating, "conversation": one.row["id"], "score": 4 * one.people} for one in examples()[:30]]
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
    with pytest.raises(CommandError, match="pass the judged logs"):
        calibrate(results, labels=labels, examples=out)
