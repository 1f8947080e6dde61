"""Results in every format, from logs whose texts want to be more than text."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.outputs import FRAME, check_format, write_results
from service.cli.records import Record
from tests.unit.cli.making import record

EVIL = '<script>alert(1)</script>=cmd|"x'


@pytest.fixture
def records() -> list[Record]:
    hostile = record(EVIL, {"coherence": 1, "novelty": None}, rationale=EVIL)
    assert hostile.answer is not None
    hostile.answer["verdicts"][0]["evidence"] = [
        {"message": 0, "quote": EVIL, "effect": None, "message_id": None}
    ]
    lost = Record("lost", None, "/score", "d", None, {"status": 503, "detail": EVIL})
    return [record("fine", {"coherence": 4, "novelty": 2}), hostile, lost]


def test_a_csv_has_a_row_a_verdict(tmp_path: Path, records: list[Record]) -> None:
    write_results(tmp_path / "r.csv", records)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert [(row["conversation"], row["factor"], row["score"]) for row in rows] == [
        ("fine", "coherence", "4"),
        ("fine", "novelty", "2"),
        (EVIL, "coherence", "1"),
        (EVIL, "novelty", ""),
        ("lost", "", ""),
    ]
    assert rows[-1]["status"] == "failed"


def test_a_report_is_one_file_whose_data_nothing_can_leave(tmp_path: Path, records: list[Record]) -> None:
    write_results(tmp_path / "r.html", records)
    page = (tmp_path / "r.html").read_text()
    frame = FRAME.read_text()
    before, after = frame.split("{{results}}")
    assert page.startswith(before)
    assert page.endswith(after)
    data = page.removeprefix(before).removesuffix(after)
    assert not re.search("[<>&\u2028\u2029]", data)
    told = json.loads(data)
    assert [one["conversation"] for one in told] == ["fine", EVIL, "lost"]
    assert told[1]["answer"] == records[1].answer
    assert told[2]["failure"] == records[2].failure


def test_other_formats(tmp_path: Path, records: list[Record]) -> None:
    write_results(tmp_path / "r.md", records)
    assert "| coherence | 2.50 of 4 |" in (tmp_path / "r.md").read_text()
    write_results(tmp_path / "r.json", records)
    assert [one["conversation"] for one in json.loads((tmp_path / "r.json").read_text())] == [
        "fine",
        EVIL,
        "lost",
    ]


def test_an_unknown_suffix_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(CommandError, match=r"\.jsonl"):
        check_format(Path("results.xlsx"))


@pytest.fixture
def debates() -> list[Record]:
    said = {"judge": {"name": "builtin", "model": None}, "score": 71}
    scored = record("held", {"coherence": 4, "novelty": 2}).answer or {}
    failed = {"debate": None, "debate_failure": {"code": "upstream-failed", "detail": "3 of 4 roles"}}
    return [
        Record(
            "held",
            "ours",
            "/debate",
            "1",
            {**scored, "overall": 71.25, "rounds": [{"statements": [said]}]},
            None,
        ),
        Record("lost", "ours", "/evaluate", "2", {**scored, **failed}, None),
    ]


def test_a_debates_own_score_is_exported(tmp_path: Path, debates: list[Record]) -> None:
    write_results(tmp_path / "r.csv", debates)
    rows = [
        row
        for row in csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text()))
        if row["factor"] == "overall"
    ]
    told = [(row["conversation"], row["status"], row["score"], row["max"], row["judge"]) for row in rows]
    assert told == [("held", "scored", "71.25", "100", "builtin"), ("lost", "failed", "", "100", "")]
    assert rows[1]["reason"] == "upstream-failed: 3 of 4 roles"
    write_results(tmp_path / "r.md", debates)
    text = (tmp_path / "r.md").read_text()
    assert "| mean of factors | 3.00 of 4 |" in text
    assert "| overall | 71.25 of 100 |  | 1 | 0 | 1 |" in text
