"""Tables against cases that are worked by hand, every format read back, and charts that are the same bytes each time."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from typer.testing import CliRunner

from service.cli.program import app
from service.cli.records import write_records
from service.cli.tabulating.formats import (
    StudyTable,
    as_html,
    as_latex,
    chart,
    heat_map,
    lines,
    table_of,
    tex,
)
from service.cli.tabulating.summary import Measured, summarise
from tests.unit.cli.making import record

EVIL = r'<script>alert(1)</script> & 50% of_it \ "$x$" | **b**'


def scores(system: str, values: dict[str, list[float]], factor: str = "coherence") -> list[Measured]:
    return [Measured(system, factor, user, value) for user, each in values.items() for value in each]


def test_a_cell_by_hand() -> None:
    table = summarise("T", scores("a", {"u1": [1, 3], "u2": [4]}))
    cell = table.cells["a", "coherence"]
    assert cell.mean == pytest.approx(8 / 3)
    assert cell.sd == pytest.approx((((1 - 8 / 3) ** 2 + (3 - 8 / 3) ** 2 + (4 - 8 / 3) ** 2) / 2) ** 0.5)
    # A resample of two users is u1 twice (mean 2), both (8/3), or u2 twice (4).
    assert (cell.low, cell.high) == (2.0, 4.0)
    assert (cell.n, cell.users) == (3, 2)


def test_a_difference_by_hand() -> None:
    table = summarise(
        "T", [*scores("a", {"u": [3], "v": [4], "w": [4]}), *scores("b", {"u": [1], "v": [1], "w": [2]})]
    )
    (found,) = table.differences
    assert found.difference == pytest.approx((2 + 3 + 2) / 3)
    # All three users say the same: two of eight signs are as far.
    assert (found.p, found.adjusted, found.paired, found.users) == (0.25, 0.25, True, 3)
    # Of 27 resamples of users 8 hold the differences of 2 alone, and one that of 3 alone: more than one in 40.
    assert (found.low, found.high) == (2.0, 3.0)
    # The variance is (4 + 9 + 4 - 3 * (7 / 3) ** 2) / 2.
    assert found.effect == pytest.approx((7 / 3) / (1 / 3) ** 0.5)


def test_unshared_users_are_compared_as_two_samples() -> None:
    numbers = [*scores("a", {"u": [1], "v": [2]}), *scores("b", {"x": [3], "y": [4]})]
    (found,) = summarise("T", numbers).differences
    assert (found.paired, found.difference, found.p, found.users) == (False, -2.0, 2 / 6, 4)


def apart(by: float, users: int) -> list[Measured]:
    """Two systems on as many users, the first better by this much, each time."""
    first = {f"u{n}": [2.0 + by + n % 2] for n in range(users)}
    return [*scores("a", first), *scores("b", {f"u{n}": [2.0 + n % 2] for n in range(users)})]


def test_the_best_of_three_beats_both() -> None:
    third = scores("c", {f"u{n}": [3.0 + n % 2] for n in range(9)})  # as good as the first
    assert summarise("T", apart(1, 9)).podium("coherence") == ["a"]
    assert summarise("T", [*apart(1, 9), *third]).podium("coherence") == []


@pytest.fixture
def hostile() -> StudyTable:
    numbers = [*apart(1, 6), *(Measured(EVIL, "coherence", f"u{n}", 0.0) for n in range(6))]
    return table_of("t", summarise(EVIL, numbers))


def test_latex_is_balanced_and_escaped(hostile: StudyTable) -> None:
    text = as_latex(hostile)
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    plain = re.sub(r"\\[&%$#_{}]", "", text)
    assert plain.count("{") == plain.count("}")
    row = next(line for line in plain.splitlines() if line.startswith("coherence"))
    assert row.count(" & ") == 3
    assert tex("a_b & 5%") == r"a\_b \& 5\%"
    assert tex("\\~^") == r"\textbackslash{}\textasciitilde{}\textasciicircum{}"


def test_html_runs_nothing(hostile: StudyTable) -> None:
    assert "<script" not in as_html(hostile)


def command(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["table", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_takes_files_of_systems(tmp_path: Path) -> None:
    for system, level in (("ours", 4), ("old", 1)):
        records = [record(f"user-{n}", {"coherence": level, "novelty": 2 if n else None}) for n in range(12)]
        write_records(
            tmp_path / f"{system}.jsonl",
            [replace(one, system=system if system == "old" else None) for one in records],
        )
    files = [str(tmp_path / "ours.jsonl"), str(tmp_path / "old.jsonl")]
    text = command(*files)
    assert "| factor | ours, n = 12 | old, n = 12 |" in text
    assert re.search(r"\| novelty \|( 2\.00 \(0\.00\) \[2\.00, 2\.00\], n = 11 \|){2}", text)
    assert re.search(r"\| coherence \| \*\*4\.00 \(0\.00\) \[4\.00, 4\.00\]\*\* \| 1\.00", text)
    assert "| mean of factors |" in text
    # Two systems with the same users: the table of differences has p-values, 2 of 4,096 signs, times three rows.
    assert re.search(r"\| ours \| old \| 3\.000 \| 3\.000 \| 3\.000 \| 0\.0005 \| 0\.001 \|", text)
    assert "Differences" not in command(files[0])
    chosen = command(*files, "--systems", "old,ours", "--factors", "novelty")
    assert "| factor | old, n = 11 | ours, n = 11 |" in chosen
    assert "coherence" not in chosen
    command(
        *files, "-o", str(tmp_path / "t.tex"), "-o", str(tmp_path / "t.html"), "-o", str(tmp_path / "t.csv")
    )
    assert r"\textbf{4.00" in (tmp_path / "t.tex").read_text()
    assert all("0.0005" in (tmp_path / name).read_text() for name in ("t.tex", "t.html"))


def test_users_come_from_the_logs(tmp_path: Path) -> None:
    records = [record(f"c{n}", {"coherence": n % 5}) for n in range(8)]
    write_records(tmp_path / "r.jsonl", records)
    logs = [
        {"id": f"c{n}", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"user": f"u{n // 4}"}}
        for n in range(8)
    ]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(log) + "\n" for log in logs))
    out = tmp_path / "t.csv"
    command(str(tmp_path / "r.jsonl"), "--logs", str(tmp_path / "logs.jsonl"), "-o", str(out))
    (row,) = csv.DictReader(io.StringIO(out.read_text()))
    assert (row["n"], row["users"]) == ("8", "2")


def test_bad_input_says_what_is_wrong(tmp_path: Path) -> None:
    write_records(tmp_path / "r.jsonl", [record("c", {"coherence": 1})])
    once = str(tmp_path / "r.jsonl")
    for arguments, message in (
        ((once, once), "several results"),
        ((once, "--factors", "coherense"), "Did you mean 'coherence'"),
        ((once, "-o", "t.pdf"), "unknown suffix"),
    ):
        done = CliRunner().invoke(app, ["table", *arguments])
        assert message in str(done.exception)
    write_records(tmp_path / "none.jsonl", [record("c", {"coherence": None})])
    assert "has a score" in str(CliRunner().invoke(app, ["table", str(tmp_path / "none.jsonl")]).exception)


NAMES = ("<b>x</b> & $\\frac$", "_old", "中文")


def texts(svg: str) -> list[str | None]:
    root = ElementTree.fromstring(svg)
    return [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("kind", ["chart", "lines", "heat map"])
def test_names_are_shown_as_they_are(kind: str) -> None:
    numbers = [Measured(name, "coherence", user, 1.0) for name in NAMES for user in "uv"]
    charts: dict[str, Callable[[], str]] = {
        "chart": lambda: chart(summarise("T", numbers), 0, 4),
        "lines": lambda: lines("T", {name: [0.1, None, 0.5] for name in NAMES}, "turn"),
        "heat map": lambda: heat_map("T", NAMES, [[1.0, 0.5, None]] * 3),
    }
    svg = charts[kind]()
    assert svg == charts[kind]()
    assert mpl.rcParams["svg.hashsalt"] is None  # settings of a notebook around are left alone
    shown = [f"coherence, {name}" for name in NAMES] if kind == "chart" else list(NAMES)
    assert set(shown) <= set(texts(svg))


def test_a_study_without_a_session_has_an_empty_chart() -> None:
    assert "T" in texts(chart(summarise("T", []), 0, 1))
    assert "turn" in texts(lines("T", {}, "turn"))
