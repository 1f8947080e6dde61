"""Options of `metrics`, `align` and `simulate` that are those of their routes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tools.example_crs import running_crs

FILMS = ["Paper Lanterns (2009)", "The Glass Orchard (2014)", "Winter Arithmetic (2012)"]


def run(*arguments: str | Path, cwd: Path) -> tuple[int, Any, str]:
    done = forked.run(forked.COMMAND_LINE, arguments, cwd, forked.environment())
    return (
        done.returncode,
        json.loads(done.stdout) if done.returncode == 0 else None,
        " ".join(done.stderr.split()),
    )


def log(number: int, persona: str = "trust") -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "ground_truth": [FILMS[1]],
        "user": {"persona": persona},
        "messages": [
            {"role": "user", "content": "A film, please."},
            {"role": "assistant", "content": f"I recommend {FILMS[0]}.", "recommendations": FILMS},
            {"role": "user", "content": "Why?"},
            {"role": "assistant", "content": "Because it is quiet.", "recommendations": FILMS},
        ],
    }


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "logs.jsonl"
    made = [log(1), log(2, "boredom")]
    path.with_name("other.json").write_text(json.dumps(log(3)))
    path.write_text("".join(json.dumps(one) + "\n" for one in made))
    return path


@pytest.mark.slow
def test_metrics_are_cut_and_spread_as_asked(logs: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    same = {"content": f"I recommend {FILMS[0]}.", "recommendations": FILMS[:1]}
    pairs.write_text(json.dumps({"first": same, "second": same}) + "\n")
    code, answer, told = run(
        "metrics", logs, "--metrics", "recall,success_rate,consistent_action", "--k", "1,2", "--turns", "1",
        "--spread-over", "persona", "--reply-pairs", pairs, cwd=tmp_path,
    )  # fmt: skip
    assert code == 0, told
    rows = answer["rows"]
    recalls = {
        row["k"]: row["value"]
        for row in rows
        if row["metric"] == "recall" and row["scope"] == "last" and not row["group"]
    }
    assert (recalls[1], recalls[2]) == (0, 1)
    assert 10 not in recalls
    assert {row["turn"] for row in rows if row["metric"] == "success_rate"} == {1, None}
    assert any(row["group"].get("over") == "persona" for row in rows)
    assert 1.0 in [row["value"] for row in rows if row["metric"] == "consistent_action"]


@pytest.mark.slow
def test_many_logs_are_aligned_with_those_of_their_ids(logs: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned.jsonl"
    turned.write_text("".join(f"{line}\n" for line in reversed(logs.read_text().splitlines())))
    code, answer, told = run("align", "--candidate-log", logs, "--reference-log", turned, cwd=tmp_path)
    assert code == 0, told
    assert (answer["score"], answer["counted"]) == (1, 2)
    assert answer["stage_weighted"]["value"] == pytest.approx(1)
    assert answer["interval"] == {"low": 1, "high": 1, "level": 0.95}
    assert {pair["dialogue"] for pair in answer["pairs"]} == {
        json.loads(line)["id"] for line in logs.read_text().splitlines()
    }


@pytest.mark.slow
def test_sessions_are_scored_as_the_options_say(tmp_path: Path) -> None:
    path = tmp_path / "user.jsonl"
    path.write_text(json.dumps({**log(1), "messages": []}) + "\n")
    told = ("--factors", "coherence,novelty", "--factor-judge", "coherence=builtin", "--list-source", "text")
    with running_crs() as crs:
        arguments = ("simulate", path, "--crs", f"example={crs}/reply", "--max-rounds", "2", *told)
        code, record, said = run(*arguments, "--scored-by", "builtin", "--samples", "3", cwd=tmp_path)
        assert code == 0, said
        verdicts = record["answer"]["verdicts"]
        assert {verdict["judge"]["name"] for verdict in verdicts} == {"builtin"}
        assert {verdict["samples"]["requested"] for verdict in verdicts} == {3}
        code, _, said = run(*arguments, "--scored-by", "local:m", cwd=tmp_path)
        assert (code, "no judge 'local:m'" in said) == (2, True), said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("simulate", "logs.jsonl", "--scored-by", "builtin"), "need --crs and --factors"),
        (
            ("simulate", "logs.jsonl", "--factors", "novelty", "--factor-judging", "novelty=loud"),
            "FACTOR=WAY",
        ),
        (("simulate", "logs.jsonl", "--set", "max_rounds=60"), "50"),
        (("metrics", "logs.jsonl", "--k", "0"), "whole numbers from 1"),
        (("metrics", "logs.jsonl", "--turns", "x"), "whole numbers from 1"),
        (("align",), "one of the two"),
        (("align", "--candidate-log", "logs.jsonl"), "one of the two"),
        (
            ("align", "logs.jsonl", "--candidate-log", "logs.jsonl", "--reference-log", "logs.jsonl"),
            "one of the two",
        ),
        (("align", "--candidate-log", "logs.jsonl", "--reference-log", "other.json"), "paired by `id`"),
        (
            ("simulate", "logs.jsonl", "--set", "items_on_screen=3"),
            "no setting of scripted 'items_on_screen'",
        ),
        (
            ("simulate", "logs.jsonl", "--user", "target-free", "--set", "items_on_screen=many"),
            "a whole number",
        ),
        (
            ("simulate", "logs.jsonl", "--user", "persona", "--set", "variant=loud"),
            "no variant of persona 'loud'",
        ),
    ],
)
def test_wrong_options_are_told(arguments: tuple[str, ...], told: str, logs: Path, tmp_path: Path) -> None:
    code, _, said = run(*arguments, cwd=logs.parent)
    assert (code, told in said) == (2, True), said
