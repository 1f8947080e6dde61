"""The gate as CI runs it: logs in, a verdict out, in every form that CI systems read."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.factories import in_turns
from tests.forked import crs_eval, environment, exits
from tools.service_process import ROOT

N = 40


def log(number: int, reply: str) -> dict[str, Any]:
    """A conversation in which the recommender says the same thing twice, whatever it is."""
    wish = ("a comedy", "something quiet", "a film for the family", "a mystery")[number % 4]
    return {
        "id": f"situation-{number}",
        "messages": in_turns(
            f"I would like {wish}, please.",
            reply,
            "No, I have seen that. Something else?",
            f"Then what about Winter Arithmetic (2012)? It is {wish}." if "?" in reply else reply,
        ),
    }


GOOD = "How about Paper Lanterns (2009)? It is what you wish for, since it was made that way. Does that suit you?"
BAD = "The The The last Last."


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
        assert crs_eval("score", logs, "--url", url, "-o", made[name], cwd=folder).returncode == 0
    return made


def test_a_regression_fails_and_everyone_is_told(tmp_path: Path, runs: dict[str, Path]) -> None:
    summary = tmp_path / "summary.md"
    done = exits(
        1, "gate", runs["bad"], "--baseline", runs["good"], *REPORTS, cwd=tmp_path,
        GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert "Verdict: ❌ fail" in done.stdout  # a pipe gets the report; progress goes to standard error
    assert "Rules" not in done.stderr
    assert "## Recommender quality: ❌ fail" in summary.read_text()
    assert 1 <= sum(line.startswith("::error") for line in done.stdout.splitlines()) <= 10
    assert int(ElementTree.parse(tmp_path / "j.xml").getroot().get("failures", "")) >= 1
    assert json.loads((tmp_path / "g.json").read_text())["verdict"] == "fail"
    assert "coherence: no regression" in (tmp_path / "g.html").read_text()
    assert len((tmp_path / "c.md").read_bytes()) < 64_000


def test_the_same_passes(tmp_path: Path, runs: dict[str, Path]) -> None:
    done = exits(0, "gate", runs["good"], "--baseline", runs["good"], cwd=tmp_path)
    assert "good.jsonl against itself, so nothing can be worse" in done.stdout.replace("\n", " ")
    done = crs_eval("gate", runs["good"], "--baseline", runs["bad"], "--report", "better.json", cwd=tmp_path)
    failed = {
        one["factor"]
        for one in json.loads((tmp_path / "better.json").read_text())["results"]
        if one["verdict"] == "fail"
    }
    assert failed.isdisjoint({"coherence", "effectiveness", "recoverability", "overall"})


def test_logs_are_scored_on_the_way(tmp_path: Path, runs: dict[str, Path], url: str) -> None:
    (tmp_path / "crs-eval.toml").write_text(
        '[score]\nfactors = ["coherence", "grammatical-correctness"]\n[[gate.rules]]\nfactor = "grammatical-correctness"\nmean = 3\n'
    )
    arguments = ("--url", url, "--out", "r.jsonl")
    assert crs_eval("gate", runs["good logs"], *arguments, cwd=tmp_path).returncode == 0
    exits(1, "gate", runs["bad logs"], "--baseline", runs["good logs"], *arguments, cwd=tmp_path)
    kept = (tmp_path / "r.jsonl").read_text(), (tmp_path / "r.baseline.jsonl").read_text()
    assert [text.count("\n") for text in kept] == [N, N]


def of_users(system: str, reply: str) -> Iterator[dict[str, Any]]:
    """Two conversations of each user under ids of their own."""
    for number in range(8):
        named = {"id": f"{system}-{number}", "system": system, "metadata": {"user": f"u{number // 2}"}}
        yield log(number, reply) | named


def test_the_systems_of_a_run_are_paired_by_user(tmp_path: Path, url: str) -> None:
    sides = {"good": list(of_users("good", GOOD)), "bad": list(of_users("bad", BAD))}
    for name, logs in {**sides, "both": sides["good"] + sides["bad"]}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in logs))
    exits(0, "score", "both.jsonl", "--url", url, "-o", "results.jsonl", cwd=tmp_path)
    by_user = ("good.jsonl", "bad.jsonl", "--url", url, "--pair-by", "user")
    for number, given in enumerate([("results.jsonl",), ("both.jsonl", "--url", url), by_user]):
        done = exits(0, "compare", *given, "-o", f"{number}.json", cwd=tmp_path)
        compared = json.loads((tmp_path / f"{number}.json").read_text())
        assert (compared["first"], compared["second"]) == ("good", "bad")
        assert "Difference: bad minus good" in done.stdout
        (overall,) = [one for one in compared["factors"] if one["name"] == "overall"]
        assert (overall["n"], overall["difference"] < -0.5) == (4, True)  # users, not conversations
    alone = crs_eval("compare", "good.jsonl", "--url", url, cwd=tmp_path)
    assert (alone.returncode, "contains 1 system, but two are needed" in alone.stderr) == (2, True)
    (tmp_path / "other.jsonl").write_text(json.dumps(log(1, GOOD)))
    unnamed = crs_eval("compare", "good.jsonl", "other.jsonl", "--pair-by", "user", cwd=tmp_path)
    assert (unnamed.returncode, "No `metadata.user` to pair by" in unnamed.stderr) == (2, True)


REPORTS = ("--junit", "j.xml", "--comment", "c.md", "--report", "g.html", "--report", "g.json")


def reported_verdict(code: int, *arguments: str | Path, folder: Path) -> tuple[str, str]:
    """Run a gate that ends so. Returns the verdict that every report has, and what is said on standard error."""
    summary = folder / "summary.md"
    done = exits(code, "gate", *arguments, *REPORTS, cwd=folder, GITHUB_STEP_SUMMARY=str(summary))
    root = ElementTree.parse(folder / "j.xml").getroot()
    state = str(json.loads((folder / "g.json").read_text())["verdict"])
    word = {"inconclusive": "❔ inconclusive", "error": "⚠️ error", "fail": "❌ fail"}[state]
    assert f"## Recommender quality: {word}" in summary.read_text()
    assert f"## Recommender quality: {word}" in (folder / "c.md").read_text()
    assert word in (folder / "g.html").read_text()
    assert root.find(f".//property[@value='{state}']") is not None
    counted = {"error": "errors", "inconclusive": "skipped", "fail": "failures"}[state]
    assert int(root.get(counted, "")) >= 1
    return state, done.stderr


def test_bad_results_end_with_2_and_everyone_is_told(tmp_path: Path, runs: dict[str, Path]) -> None:
    why = "half a surrogate pair"
    lines = runs["good"].read_text().splitlines()
    record = json.loads(lines[3])
    record["answer"]["verdicts"][0]["rationale"] = "half a \ud83d"
    (tmp_path / "now.jsonl").write_text("\n".join([*lines[:3], json.dumps(record), *lines[4:]]))
    verdict, said = reported_verdict(2, "now.jsonl", "--baseline", runs["good"], folder=tmp_path)
    assert verdict == "error"
    assert why in said
    assert "Traceback" not in said
    assert why in json.loads((tmp_path / "g.json").read_text())["results"][0]["detail"]


def test_a_service_that_is_away_ends_with_4_and_everyone_is_told(
    tmp_path: Path, runs: dict[str, Path]
) -> None:
    (tmp_path / "one.jsonl").write_text(json.dumps(log(1, GOOD)))
    away = ("one.jsonl", "--url", "http://127.0.0.1:9")
    exits(1, "gate", *away, "--baseline", runs["good"], cwd=tmp_path)  # 39 of 40 are missing for certain
    (tmp_path / "crs-eval.toml").write_text('[[gate.rules]]\nfactor = "coherence"\nmean = 3\n')
    assert reported_verdict(4, *away, folder=tmp_path)[0] == "error"


def test_logs_that_share_no_id_are_found_out_before_they_are_judged(
    tmp_path: Path, runs: dict[str, Path]
) -> None:
    logs = [{**log(n, GOOD), "id": f"other-{n}"} for n in range(N)]
    (tmp_path / "other.jsonl").write_text("".join(json.dumps(one) + "\n" for one in logs))
    unreachable = ("--url", "http://127.0.0.1:9")
    arguments = ("other.jsonl", "--baseline", runs["good logs"], *unreachable)
    verdict, said = reported_verdict(3, *arguments, folder=tmp_path)
    assert verdict == "inconclusive"
    assert "have no conversation in common" in said
    done = exits(3, "compare", "other.jsonl", runs["good logs"], *unreachable, cwd=tmp_path)
    assert "have no conversation in common" in done.stderr


def test_logs_without_ids_are_paired_by_line_only_where_that_is_said(
    tmp_path: Path, runs: dict[str, Path], url: str
) -> None:
    for name in ("good", "bad"):
        logs = [json.loads(line) for line in runs[f"{name} logs"].read_text().splitlines()]
        for one in logs:
            del one["id"]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in logs))
    arguments = ("bad.jsonl", "--baseline", "good.jsonl", "--url", url)
    done = exits(2, "gate", *arguments, cwd=tmp_path)
    assert "40 of 40 logs in good.jsonl" in done.stderr
    assert "--pair-by line" in done.stderr
    assert crs_eval("gate", *arguments, "--pair-by", "line", cwd=tmp_path).returncode == 1


def test_unknown_names_are_found_out_before_anything_is_asked(tmp_path: Path, runs: dict[str, Path]) -> None:
    unreachable = ("--url", "http://127.0.0.1:9")
    (tmp_path / "crs-eval.toml").write_text("[gate.regression.margins]\ncoherense = 1\n")
    done = exits(2, "gate", runs["good logs"], "--baseline", runs["good"], *unreachable, cwd=tmp_path)
    assert "There is no factor 'coherense'. Did you mean 'coherence'?" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("run", "baseline", "verdict", "code"),
    [("good", "good", "pass", 0), ("bad", "good", "fail", 1), ("good", "none.jsonl", "error", 2)],
)
def test_the_action_links_what_is_there(
    tmp_path: Path, runs: dict[str, Path], run: str, baseline: str, verdict: str, code: int
) -> None:
    done, lines = act(tmp_path, {"run": str(runs[run]), "baseline": str(runs.get(baseline, baseline))})
    assert done.returncode == code, done.stderr
    assert lines["verdict"] == verdict
    assert all((tmp_path / lines[name]).is_file() for name in ("comment", "report"))
    assert verdict in (tmp_path / lines["comment"]).read_text()


@pytest.mark.parametrize("run", ["--help", ""])
def test_the_action_passes_no_option_for_a_run(tmp_path: Path, runs: dict[str, Path], run: str) -> None:
    done, lines = act(tmp_path, {"run": run, "baseline": str(runs["good"])})
    assert (done.returncode, lines["verdict"]) == (2, "error")


def test_the_action_lets_no_path_write_outputs(tmp_path: Path, runs: dict[str, Path]) -> None:
    done, lines = act(tmp_path, {"run": str(runs["bad"]), "results": "out\nverdict=pass\nx=y"})
    assert (done.returncode, lines) == (2, {"verdict": "error"})


@pytest.mark.parametrize(
    ("inputs", "named"),
    [({"pair-by": "ids"}, "pair-by"), ({"cache": "on"}, "cache"), ({"max-cost": "2 $"}, "max-cost"),
     ({"max-cost": "1.2.3"}, "wrote no report")],
)  # fmt: skip
def test_the_action_names_a_wrong_input(
    tmp_path: Path, runs: dict[str, Path], inputs: dict[str, str], named: str
) -> None:
    done, lines = act(tmp_path, {"run": str(runs["good"]), "baseline": str(runs["good"]), **inputs})
    assert (done.returncode, lines) == (2, {"verdict": "error"})
    assert named in next(line for line in done.stdout.splitlines() if line.startswith("::error::"))


def act(tmp_path: Path, inputs: dict[str, str]) -> tuple["subprocess.CompletedProcess[str]", dict[str, str]]:
    """Return what the action's step does with these inputs, and its outputs."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "gate")
    given = {"results": "out", **inputs}
    values = {name: given.get(name, entry.get("default", "")) for name, entry in action["inputs"].items()}
    variables = {
        name: values[str(text).removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }
    wrapper = tmp_path / "crs-eval"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} -m service.cli.program "$@"\n')
    wrapper.chmod(0o755)
    output = tmp_path / "output"
    surroundings = environment(**variables, CRS_EVAL=str(wrapper), GITHUB_OUTPUT=str(output))
    done = subprocess.run(
        ["bash", "-euc", step["run"]],
        cwd=tmp_path,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    return done, dict(line.split("=", 1) for line in output.read_text().splitlines())


@pytest.mark.parametrize("option", [("--judge", "builtin"), ("--samples", "3"), ("--catalog", "films")])
def test_an_option_about_logs_is_refused_where_there_are_none(
    tmp_path: Path, runs: dict[str, Path], option: tuple[str, str]
) -> None:
    for sides in (("gate", runs["good"], "--baseline", runs["bad"]), ("compare", runs["bad"], runs["good"])):
        done = exits(2, *sides, *option, cwd=tmp_path)
        assert option[0] in done.stderr
    done = crs_eval("gate", runs["good"], "--baseline", runs["good"], "--out", "scores.jsonl", cwd=tmp_path)
    assert "scores.jsonl is not written" in done.stderr
