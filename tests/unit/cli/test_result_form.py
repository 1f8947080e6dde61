"""Results that `crs-eval score` would not write: the line and the field are named."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from service.cli.exits import CommandError
from service.cli.records import write_records
from service.cli.scores import Run, load_run
from tests.unit.cli.making import fault, record, verdict


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"score": "3.5"}, "score"),
        ({"score": True}, "score"),
        ({"score": None}, "scale, 0 to 4"),
        ({"score": 40}, "scale, 0 to 4"),
        ({"scale": {"min": 4, "max": 4}}, "scale from 4 to 4"),
        ({"scale": {"max": 4}}, "scale.min"),
        ({"status": "ok"}, "status"),
        ({"status": "failed", "score": None}, "`reason`"),
        ({"faults": [{"fault": "rude"}]}, "faults.0.message"),
        ({"faults": [fault("rude", 1, 7)]}, "faults.0.probability"),
    ],
)
def test_a_wrong_verdict_names_its_line_and_its_field(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    made = [record(name, {"coherence": 3}) for name in "ab"]
    assert made[1].answer
    made[1].answer["verdicts"][0] |= change
    path = tmp_path / "now.jsonl"
    write_records(path, made)
    with pytest.raises(CommandError) as refused:
        load_run(str(path))
    assert "now.jsonl:2" in str(refused.value)
    assert field in str(refused.value)


@pytest.mark.parametrize(
    ("change", "field"),
    [({"conversation": 7}, "conversation"), ({"answered": 7}, "answered"), ({"replies": -1}, "replies")],
)
def test_a_wrong_record_names_its_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    path = tmp_path / "now.jsonl"
    path.write_text(json.dumps({**asdict(record("a", {"coherence": 3})), **change}), encoding="utf-8")
    with pytest.raises(CommandError, match=f"writes: {field}"):
        load_run(str(path))


def test_two_scales_of_a_factor_are_no_mean() -> None:
    made = [record(name, {"coherence": 3}) for name in "ab"]
    assert made[1].answer
    made[1].answer["verdicts"] = [verdict("coherence", 3, scale={"max": 5, "min": 1})]
    with pytest.raises(CommandError, match=r"from 0 to 4, and from 1 to 5 \(b\)"):
        _ = Run("now", made).factors
