"""`crs-eval calibrate` from files to sentences, figures and the file; and anchors for a model's prompt."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.cli.calibration.calibration_file import AnchorExample, load_calibration, picked
from service.cli.calibration.command import calibrate
from service.cli.exits import CommandError
from service.cli.inputs import json_digest
from service.cli.records import Record, write_records
from service.usecases.wire.calibrate import CalibrateAnswer
from tests.unit.cli.making import rating, record

JUDGE_TOO_KIND = 1.0


def judged(names: Sequence[str], system: str = "ours", **more: Any) -> list[Record]:
    """Results of a judge who says people's score and one more."""
    source = random.Random(7)
    return [
        replace(record(name, {"coherence": source.choice([1, 2, 2, 3, 3, 3, 4])}, **more), system=system)
        for name in names
    ]


def people(records: Sequence[Record], **more: Any) -> list[dict[str, Any]]:
    scores = [max(one.verdicts[0]["score"] - JUDGE_TOO_KIND, 0) for one in records]
    return [
        rating(conversation=one.conversation, system=one.system, score=score) | more
        for one, score in zip(records, scores, strict=True)
    ]


def write(path: Path, rows: Sequence[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def results(tmp_path: Path) -> tuple[str, list[Record]]:
    records = judged([f"c{number}" for number in range(200)])
    write_records(tmp_path / "results.jsonl", records)
    return str(tmp_path / "results.jsonl"), records


def output_of(capsys: pytest.CaptureFixture[str]) -> str:
    """All that is printed: the calibration on standard output, warnings on standard error."""
    read = capsys.readouterr()
    return read.out + read.err


def test_what_people_would_give_comes_first(
    results: tuple[str, list[Record]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, records = results
    labels = write(tmp_path / "labels.jsonl", people(records[:40]))
    out = tmp_path / "shop.json"
    calibrate([path], labels=[labels], out=out)
    printed = capsys.readouterr()
    first = printed.out.splitlines()[0]
    truth = sum(one.verdicts[0]["score"] for one in records) / len(records) - JUDGE_TOO_KIND
    assert first.startswith(f"People would give ours {truth:.1f} of 4, between ")
    assert first.endswith(f"The judge alone says {truth + 1:.1f}.")
    assert "one person gave all labels" in printed.err
    kept = json.loads(out.read_text())
    CalibrateAnswer.model_validate_json(
        json.dumps({name: kept[name] for name in CalibrateAnswer.model_fields})
    )
    assert kept["maps"][0]["n"] == 40
    assert "anna" not in out.read_text(), "the file names no annotator"
    assert [label.score for label in load_calibration(out).labels] == [
        row["score"] for row in people(records[:40])
    ]


def test_repeats_and_several_annotators_stand_beside_the_figures(
    results: tuple[str, list[Record]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, records = results
    rows = people(records[:30]) + people(records[:20], rater="ben")
    again = people(records[:4], repeat=1)
    again[0]["score"] = 4 if rows[0]["score"] < 2 else 0
    labels = write(tmp_path / "labels.jsonl", rows + again)
    calibrate([path], labels=[labels])
    text = output_of(capsys)
    assert "annotators gave the same answer again for 3 of 4 conversations that appeared twice" in text
    assert "1.00 on 20" in text


def test_labels_among_the_results_are_told_from_results(
    results: tuple[str, list[Record]], tmp_path: Path
) -> None:
    path, records = results
    anna = write(tmp_path / "anna.jsonl", people(records[:30]))
    ben = write(tmp_path / "ben.jsonl", people(records[:30], rater="ben"))
    with pytest.raises(CommandError, match=r"ben\.jsonl contains labels, not results. Repeat --labels"):
        calibrate([path, ben], labels=[anna])


def test_labels_that_do_not_belong_are_left_out_and_counted(
    results: tuple[str, list[Record]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, records = results
    records = [replace(one, digest=f"{number:016x}") for number, one in enumerate(records)]
    write_records(Path(path), records)
    rows = people(records[:30])
    rows += [{**rows[0], "score": 4}]
    rows += [{**row, "conversation": f"gone-{row['conversation']}"} for row in rows[:2]]
    rows += [{**row, "digest": "f" * 16} for row in people(records[40:43])]
    calibrate([path], labels=[write(tmp_path / "labels.jsonl", rows)])
    text = output_of(capsys)
    assert "2 labels left out: the results do not have their conversations." in text
    assert "3 labels left out: their logs have changed since they were read." in text
    assert "1 label left out: the same annotator gave another one later." in text
    assert "30 of 200" in text
    with pytest.raises(CommandError, match="None of the 3 labels can be used: their logs have changed"):
        calibrate([path], labels=[write(tmp_path / "labels.jsonl", rows[-3:])])


def test_a_label_without_its_system_belongs_to_the_one_system_that_has_the_conversation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"c{number}" for number in range(40)]
    both = [*judged(names, "a"), *judged(["only-b", *names], "b")]
    write_records(tmp_path / "results.jsonl", both)
    rows = [*people(both[:30]), *people(both[41:71])]
    rows += [{k: v for k, v in row.items() if k != "system"} for row in people(both[40:41])]
    calibrate([str(tmp_path / "results.jsonl")], labels=[write(tmp_path / "l.jsonl", rows)])
    text = output_of(capsys)
    assert "People would give a " in text
    assert "People would give b " in text
    assert "31 of 41" in text
    assert "Differences on people" in text


def test_a_label_under_another_name_and_scale(
    results: tuple[str, list[Record]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, records = results
    rows = [{**row, "factor": "taste", "score": row["score"] * 25} for row in people(records[:30])]
    labels = write(tmp_path / "labels.jsonl", rows)
    with pytest.raises(CommandError, match="--same FACTOR=LABEL"):
        calibrate([path], labels=[labels])
    calibrate([path], labels=[labels], same=["coherence=taste"], scale=["taste=0:100"])
    assert " of 100, between " in output_of(capsys)
    with pytest.raises(CommandError, match="FACTOR=LABEL"):
        calibrate([path], labels=[labels], same=["coherence"])
    with pytest.raises(CommandError, match="lower end comes first"):
        calibrate([path], labels=[labels], scale=["taste=4:0"])
    with pytest.raises(CommandError, match="off the scale 0 to 4"):
        calibrate([path], labels=[labels], same=["coherence=taste"], scale=["taste=0:4"])


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"maps": []}', '{"labels_of": {}, "labels": []}'])
def test_a_gate_takes_no_other_file_for_a_calibration(tmp_path: Path, text: str) -> None:
    path = tmp_path / "shop.json"
    path.write_text(text)
    with pytest.raises(CommandError, match="is not a calibration with labels"):
        load_calibration(path)


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
    write(tmp_path / "logs.jsonl", logs)
    records = [
        replace(record(log["id"], {"coherence": 4 * one.judge}), digest=json_digest(log))
        for one, log in zip(examples(), logs, strict=True)
    ]
    write_records(tmp_path / "results.jsonl", records)
    rows = [rating(conversation=one.row["id"], score=4 * one.people) for one in examples()[:30]]
    write(tmp_path / "labels.jsonl", rows)
    results, labels, given = ([str(tmp_path / f"{name}.jsonl")] for name in ("results", "labels", "logs"))
    out = tmp_path / "anchors.json"
    calibrate(results, labels=labels, logs=given, examples=out, shots=6)
    anchors = json.loads(out.read_text())["anchors"]
    assert len(anchors) == 6
    assert {anchor["digest"] for anchor in anchors} <= {json_digest(log) for log in logs[:30]}
    assert all("system" not in anchor["log"] and "id" not in anchor["log"] for anchor in anchors)
    assert {anchor["score"] for anchor in anchors} >= {0.0}
    with pytest.raises(CommandError, match="pass the judged logs"):
        calibrate(results, labels=labels, examples=out)
