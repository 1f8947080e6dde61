"""`crs-eval metrics` on two systems: side by side, and their differences by hand."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from service.cli.program import app
from service.library import metrics

OLD, NEW = "AXXXXX", "AAAAAX"
"""The first item that each system shows to six users who want A."""


def _logs(system: str, shown: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{number}",
            "system": system,
            "messages": [
                {"role": "user", "content": "A film, please."},
                {"role": "assistant", "content": "This one?", "recommendations": [first, "Y"]},
            ],
            "ground_truth": ["A"],
        }
        for number, first in enumerate(shown)
    ]


def _files(folder: Path) -> list[str]:
    for name, shown in (("old", OLD), ("new", NEW)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, _logs(name, shown))))
    return [str(folder / "old.jsonl"), str(folder / "new.jsonl")]


def test_systems_are_columns_and_their_difference_is_tested_in_pairs(tmp_path: Path) -> None:
    out = tmp_path / "answer.json"
    wanted = ("--metrics", "hit_rate,conversation_turns", "--k", "1")
    done = CliRunner().invoke(app, ["metrics", *_files(tmp_path), *wanted, "-o", str(out)])
    assert done.exit_code == 0, done.output
    lines = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if "│" in line
    ]
    (session,) = [line for line in lines if line[:4] == ["hit_rate", "lists", "session", "1"]]
    assert [cell.split()[0] for cell in session[-3:]] == ["0.167", "0.833", "6"]
    # Four of six users gain, none loses: 2 of 64 signs are as far. The length never differs.
    differences = json.loads(out.read_text())["differences"]
    (hit,) = [one for one in differences if one["metric"] == "hit_rate@1, lists"]
    assert (hit["first"], hit["second"], hit["n"]) == ("old", "new", 6)
    assert round(hit["difference"], 3) == 0.667
    assert hit["p"] == 8 / 64  # the two users without a difference may have either sign
    assert hit["p_adjusted"] == 3 * 8 / 64
    tested = {one["metric"] for one in differences}
    assert tested == {"hit_rate@1, lists", "hit_rate, lists", "conversation_turns"}


def test_labels_other_than_the_system_are_kept_as_rows(tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    asked = ("--metrics", "hit_rate", "--group-by", "domain", "-o", str(out))
    done = CliRunner().invoke(app, ["metrics", *_files(tmp_path), *asked])
    assert done.exit_code == 0, done.output
    assert "Differences" not in done.stdout
    assert {row["n"] for row in csv.DictReader(out.read_text().splitlines())} == {"12"}


def test_a_cut_that_is_no_number_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["metrics", *_files(tmp_path), "--k", "1,ten"])
    assert "--k 1,ten:" in str(done.exception)


def test_the_library_takes_both_systems_at_once() -> None:
    rows = metrics(
        [*_logs("old", OLD), *_logs("new", NEW)], metrics=["hit_rate"], k=[1], group_by=["system"]
    ).rows
    found = {row.group["system"]: row.value for row in rows if (row.k, row.scope) == (1, "session")}
    assert found == {"old": 1 / 6, "new": pytest.approx(5 / 6)}
