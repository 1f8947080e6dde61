"""Results in every format, from logs whose texts want to be more than text."""

import csv
import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.cli.exits import CommandError, Exit
from service.cli.file_formats import cell, markdown, script_json, xml
from service.cli.outputs import FRAME, write_results
from service.cli.program import main
from service.cli.records import Record, stored_records, write_records
from service.cli.run import Job
from tests.factories import known
from tests.unit.cli.making import fault, rating, record

EVIL = '<script>alert(1)</script>=cmd|"x'


@pytest.fixture
def records() -> list[Record]:
    hostile = record(EVIL, {"coherence": 1, "novelty": None}, rationale=EVIL)
    known(hostile.answer)["verdicts"][0]["evidence"] = [
        {"message": 0, "quote": EVIL, "effect": None, "message_id": None}
    ]
    lost = Record("lost", None, "/score", "d", None, {"status": 503, "detail": EVIL})
    return [record("fine", {"coherence": 4, "novelty": 2}), hostile, lost]


def rows_of(path: Path, records: list[Record]) -> list[dict[str, str]]:
    """Return the rows of a CSV of these records."""
    write_results(path, records)
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_a_csv_has_a_row_a_verdict(tmp_path: Path, records: list[Record]) -> None:
    rows = rows_of(tmp_path / "r.csv", records)
    assert [(row["conversation"], row["factor"], row["score"]) for row in rows] == [
        ("fine", "coherence", "4"),
        ("fine", "novelty", "2"),
        (EVIL, "coherence", "1"),
        (EVIL, "novelty", ""),
        ("lost", "", ""),
    ]
    assert rows[-1]["status"] == "failed"


def test_a_csv_has_the_overall_score_and_the_faults(tmp_path: Path) -> None:
    named = [fault("breaks-constraint", 1, 1), fault("abandons", None, 0.8)]
    judged = record("a", {"coherence": 1}, faults=named)
    known(judged.answer)["summaries"] = [{"overall": 1.5}]
    first, last = rows_of(tmp_path / "r.csv", [judged])
    assert [last[name] for name in ("factor", "status", "score", "min", "max", "judge")] == [
        "overall", "scored", "1.5", "0", "4", "builtin",
    ]  # fmt: skip
    assert first["faults"] == last["faults"] == "abandons breaks-constraint:1"


def test_a_report_is_one_file_whose_data_nothing_can_leave(tmp_path: Path, records: list[Record]) -> None:
    write_results(tmp_path / "r.html", records)
    page = (tmp_path / "r.html").read_text()
    frame = FRAME.read_text()
    before, after = frame.split("{{results}}")
    assert page.startswith(before)
    assert page.endswith(after)
    data = page.removeprefix(before).removesuffix(after)
    assert not re.search("[<>&\u2028\u2029]", data)
    exported = json.loads(data)
    assert [one["conversation"] for one in exported] == ["fine", EVIL, "lost"]
    assert exported[1]["answer"] == records[1].answer
    assert exported[2]["failure"] == records[2].failure


def test_other_formats(tmp_path: Path, records: list[Record]) -> None:
    write_results(tmp_path / "r.md", records)
    assert "| coherence | 2.50 of 4 |" in (tmp_path / "r.md").read_text()
    write_results(tmp_path / "r.json", records)
    written = json.loads((tmp_path / "r.json").read_text())
    assert [one["conversation"] for one in written] == ["fine", EVIL, "lost"]


def test_an_unknown_suffix_is_refused() -> None:
    with pytest.raises(CommandError, match=r"\.jsonl"):
        write_results(Path("results.xlsx"), [])


@pytest.fixture
def debates() -> list[Record]:
    said = {"judge": {"name": "builtin", "model": None}, "score": 71}
    held, lost = (record(name, {"coherence": 4, "novelty": 2}) for name in ("held", "lost"))
    debate = {"overall": 71.25, "rounds": [{"statements": [said]}]}
    failed = {"debate": None, "debate_failure": {"code": "upstream-failed", "detail": "3 of 4 roles"}}
    return [
        replace(one, answer={**(one.answer or {}), **more}) for one, more in ((held, debate), (lost, failed))
    ]


def test_a_debates_own_score_is_exported(tmp_path: Path, debates: list[Record]) -> None:
    rows = [row for row in rows_of(tmp_path / "r.csv", debates) if row["factor"] == "overall"]
    cells = [(row["conversation"], row["status"], row["score"], row["max"], row["judge"]) for row in rows]
    assert cells == [("held", "scored", "71.25", "100", "builtin"), ("lost", "failed", "", "100", "")]
    assert rows[1]["reason"] == "upstream-failed: 3 of 4 roles"
    write_results(tmp_path / "r.md", debates)
    text = (tmp_path / "r.md").read_text()
    assert "| mean of factors | 3.00 of 4 |" in text
    assert "| overall | 71.25 of 100 |  | 1 | 0 | 1 |" in text


def test_records_come_back(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    written = [record("a", {"coherence": 3}), record("b", {"coherence": None})]
    write_records(path, written)
    assert list(stored_records(path).values()) == written


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    line = record("a", {"coherence": 3}).line()
    path.write_text(line + line[: len(line) // 2].replace('"a"', '"b"'))
    assert list(stored_records(path)) == ["digest-a"]


def test_another_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "logs.jsonl"
    path.write_text('{"messages": []}\n')
    with pytest.raises(CommandError, match=r"logs.jsonl exists, and line 1 is not a result"):
        stored_records(path)


def test_a_digest_knows_content_and_not_order() -> None:
    def digest(path: str, body: dict[str, object]) -> str:
        return Job("c", None, path, body).digest

    assert digest("/score", {"a": 1, "b": [2]}) == digest("/score", {"b": [2], "a": 1})
    assert digest("/score", {"a": 1}) != digest("/debate", {"a": 1})
    assert digest("/score", {"a": "\ud800"}) != digest("/score", {"a": "?"})


def test_failures_are_asked_for_again() -> None:
    assert record("a", {"coherence": 3, "novelty": None}).complete
    assert not record("a", {"coherence": "timeout"}).complete


def test_markdown_calls_nobody_and_opens_nothing() -> None:
    text = markdown("@team see [x](http://evil.example) <img src=x>\n| a | `b` <!-- -->")
    assert not [sign for sign in ("@team", "http://", "<img", "<!--", "\n") if sign in text]
    assert all(escaped in text for escaped in (r"\|", r"\[x\]"))


def test_long_text_is_cut() -> None:
    assert len(markdown("word " * 200, longest=50)) == 50


def test_a_cell_is_no_formula() -> None:
    assert cell('=HYPERLINK("x")') == '\'=HYPERLINK("x")'
    assert cell("\n=1+1") == "'\n=1+1"
    assert cell("\r\n@SUM(A1)").startswith("'")
    assert cell("plain") == "plain"


@pytest.mark.parametrize(
    "command",
    [
        "score chats.json -o chats.json",
        "score folder -o folder/chats.csv",
        "import folder/chats.csv -o ./folder/../folder/chats.csv",
        "import chats.labels.jsonl -o chats.jsonl",
        "metrics chats.json -o chats.json",
        "agreement chats.json -o chats.json",
        "align chats.json -o chats.json",
        "exam --pairs chats.json -o chats.json",
        "table chats.json -o chats.json",
        "calibrate x.jsonl --labels chats.json -o chats.json",
        "compare chats.json x.jsonl -o chats.json",
        "gate x.jsonl --baseline chats.json --comment chats.json",
        "gate chats.json --baseline x.jsonl -o chats.json",
        "score chats.json -o new.jsonl -o folder.md",
        "table chats.json -o folder.md",
    ],
)
def test_no_command_writes_over_what_it_reads_or_a_folder(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("folder", "folder.md"):
        (tmp_path / folder).mkdir()
    for name in ("chats.json", "chats.labels.jsonl", "folder/chats.csv"):
        (tmp_path / name).write_text("[]", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["crs-eval", *command.split()])
    assert main() == Exit.USAGE
    assert re.search("would be overwritten|is a folder", capsys.readouterr().err)


@pytest.mark.parametrize("command", ["agreement", "align", "metrics"])
def test_a_refused_entry_is_named_by_its_place_in_the_file(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entries: dict[str, dict[str, Any]] = {
        "agreement": rating(),
        "align": {"candidate": "Try it.", "reference": "Why?"},
        "metrics": {"id": "c", "messages": [{"role": "user", "content": "Hi"}]},
    }
    good = entries[command]
    (tmp_path / "x.jsonl").write_text(
        f"{json.dumps(good)}\n\n{json.dumps({**good, 'id': 7})}\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["crs-eval", command, "x.jsonl"])
    assert main() == Exit.USAGE
    assert "x.jsonl:3: /id: " in capsys.readouterr().err


@pytest.mark.slow
@given(st.text())
def test_xml_holds_any_text(text: str) -> None:
    element = ElementTree.Element("a", {"b": xml(text)})
    element.text = xml(text)
    ElementTree.fromstring(ElementTree.tostring(element, "unicode"))


def test_nothing_ends_a_script() -> None:
    hostile = ["</script><!--", "a\u2028b\u2029", "&amp;", "\ud800"]
    text = script_json(hostile)
    assert json.loads(text) == hostile
    assert text.isascii()
    assert not set("<>&") & set(text)
