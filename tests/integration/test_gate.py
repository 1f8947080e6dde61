"""The gate as CI runs it: logs in, a verdict out, in every form that CI systems read."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tools.service_process import ROOT, running_service

COMMAND = [sys.executable, "-m", "service.cli.program"]
N = 40


def log(number: int, reply: str) -> dict[str, Any]:
    """A conversation in which the recommender says the same thing twice, whatever it is."""
    wish = ("a comedy", "something quiet", "a film for the family", "a mystery")[number % 4]
    return {
        "id": f"situation-{number}",
        "messages": [
            {"role": "user", "content": f"I would like {wish}, please."},
            {"role": "assistant", "content": reply},
            {"role": "user", "content": "No, I have seen that. Something else?"},
            {
                "role": "assistant",
                "content": f"Then what about Winter Arithmetic (2012)? It is {wish}."
                if "?" in reply
                else reply,
            },
        ],
    }


GOOD = "How about Paper Lanterns (2009)? It is what you wish for, since it was made that way. Does that suit you?"
BAD = "The The The last Last."


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_service({}) as address:
        yield address


@pytest.fixture(scope="module")
def runs(url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Results of a good and a bad recommender, and their logs."""
    folder = tmp_path_factory.mktemp("runs")
    made = {}
    for name, reply in (("good", GOOD), ("bad", BAD)):
        logs = folder / f"{name}-logs.jsonl"
        logs.write_text("".join(json.dumps(log(n, reply)) + "\n" for n in range(N)))
        made[f"{name} logs"] = logs
        made[name] = folder / f"{name}.jsonl"
        assert call("score", logs, "--url", url, "-o", made[name], cwd=folder).returncode == 0
    return made


def call(*arguments: str | Path, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=clean(environment),
        capture_output=True,
        text=True,
        check=False,
    )


def clean(more: dict[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CRS_EVAL_", "GITHUB_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "160", **more}


def test_a_regression_fails_and_everyone_is_told(tmp_path: Path, runs: dict[str, Path]) -> None:
    told = ("--junit", "j.xml", "--comment", "c.md", "--report", "g.html", "--report", "g.json")
    summary = tmp_path / "summary.md"
    done = call(
        "gate", runs["bad"], "--baseline", runs["good"], *told, cwd=tmp_path,
        GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "## Recommender quality: ❌ fail" in summary.read_text()
    assert 1 <= sum(line.startswith("::error") for line in done.stdout.splitlines()) <= 10
    assert int(ElementTree.parse(tmp_path / "j.xml").getroot().get("failures", "")) >= 1
    assert json.loads((tmp_path / "g.json").read_text())["verdict"] == "fail"
    assert "<svg" in (tmp_path / "g.html").read_text()
    assert len((tmp_path / "c.md").read_bytes()) < 64_000


def test_the_same_passes(tmp_path: Path, runs: dict[str, Path]) -> None:
    done = call("gate", runs["good"], "--baseline", runs["good"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert call("gate", runs["good"], "--baseline", runs["bad"], cwd=tmp_path).returncode == 0


def test_logs_are_scored_on_the_way(tmp_path: Path, runs: dict[str, Path], url: str) -> None:
    (tmp_path / "crs-eval.toml").write_text(
        '[score]\nfactors = ["coherence", "grammatical-correctness"]\n[[gate.rules]]\nfactor = "grammatical-correctness"\nmean = 3\n'
    )
    arguments = ("--url", url, "--out", "r.jsonl")
    assert call("gate", runs["good logs"], *arguments, cwd=tmp_path).returncode == 0
    done = call("gate", runs["bad logs"], "--baseline", runs["good logs"], *arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    kept = (tmp_path / "r.jsonl").read_text(), (tmp_path / "r.baseline.jsonl").read_text()
    assert [text.count("\n") for text in kept] == [N, N]


def test_other_evaluators_do_not_compare(tmp_path: Path, runs: dict[str, Path]) -> None:
    other = tmp_path / "other.jsonl"
    records = [json.loads(line) for line in runs["good"].read_text().splitlines()]
    for record in records:
        record["answer"]["comparison_key"] = "0123456789abcdef"
        for verdict in record["answer"]["verdicts"]:
            verdict["judge"] = {"name": "openai", "model": "some-model"}
    other.write_text("".join(json.dumps(record) + "\n" for record in records))
    for command in (("gate", runs["good"], "--baseline", other), ("compare", other, runs["good"])):
        done = call(*command, cwd=tmp_path)
        assert done.returncode == 3
        assert "crs-eval score" in done.stderr
        assert "judged by openai:some-model, and by builtin" in done.stderr


def test_two_systems_are_compared(tmp_path: Path, runs: dict[str, Path]) -> None:
    done = call("compare", runs["good"], runs["bad"], "-o", "c.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    losses = {r["factor"]: r["loss"] for r in json.loads((tmp_path / "c.json").read_text())["results"]}
    assert losses["overall"] > 0.5


def test_calibration(tmp_path: Path, runs: dict[str, Path], url: str) -> None:
    alone = call("gate", "calibrate", runs["good"], cwd=tmp_path)
    assert alone.returncode == 2
    assert "give a second run, or logs" in alone.stderr
    done = call("gate", "calibrate", runs["good"], runs["bad"], "--resamplings", "20", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "smallest visible drop" in done.stderr
    again = call("gate", "calibrate", runs["good logs"], "--url", url, "--resamplings", "20", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "no noise of its own" in again.stderr


def test_nothing_to_decide_by(tmp_path: Path, runs: dict[str, Path]) -> None:
    done = call("gate", runs["good"], cwd=tmp_path)
    assert done.returncode == 2
    assert "--baseline" in done.stderr


@pytest.mark.parametrize(("run", "verdict", "code"), [("good", "pass", 0), ("bad", "fail", 1)])
def test_the_action(tmp_path: Path, runs: dict[str, Path], run: str, verdict: str, code: int) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "gate")
    given = {"run": str(runs[run]), "baseline": str(runs["good"]), "results": "out"}
    values = {name: given.get(name, entry.get("default", "")) for name, entry in action["inputs"].items()}
    variables = {
        name: values[str(text).removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }
    wrapper = tmp_path / "crs-eval"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} -m service.cli.program "$@"\n')
    wrapper.chmod(0o755)
    output = tmp_path / "output"
    environment = clean({**variables, "CRS_EVAL": str(wrapper), "GITHUB_OUTPUT": str(output)})
    done = subprocess.run(
        ["bash", "-euc", step["run"]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    lines = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert lines["verdict"] == verdict
    assert all((tmp_path / lines[name]).is_file() for name in ("comment", "report"))
