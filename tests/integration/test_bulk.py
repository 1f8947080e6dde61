"""The bulk example against real replicas: all logs once, through an interruption and a replica that is away."""

import gzip
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from service.cli.scores import load_run
from tests import forked
from tests.patience import PATIENCE
from tests.registries import CORE
from tools.service_process import ROOT, free_port, running_service

LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
MANY, FEW = int(os.environ.get("BULK_LOGS", "60")), 12
PART = 5


@pytest.fixture(scope="module")
def services() -> Iterator[list[str]]:
    with ExitStack() as stack:
        yield [stack.enter_context(running_service({})) for _ in range(2)]


@pytest.fixture
def source(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "logs.jsonl"
    first = LOG["messages"][0]
    with path.open("w") as out:
        for number in range(getattr(request, "param", FEW)):
            message = first | {"content": f"{first['content']} ({number})"}
            log = LOG | {"id": f"log-{number}", "messages": [message, *LOG["messages"][1:]]}
            out.write(json.dumps(log if number % 2 else {"log": log}) + "\n")
    return path


SCRIPT = str(ROOT / "examples" / "bulk" / "score.py")


def words(source: Path, target: Path, services: list[str], part: int = PART) -> list[str]:
    named = [word for url in services for word in ("--service", url)]
    return [str(source), str(target), "--part", str(part), "--workers", "2", *named]


def run(
    source: Path, target: Path, services: list[str], part: int = PART
) -> "subprocess.CompletedProcess[str]":
    return forked.run(SCRIPT, words(source, target, services, part), ROOT, os.environ)


def answers(target: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for part in sorted(target.glob("*.jsonl")) for line in part.read_text().splitlines()
    ]


@pytest.mark.parametrize("source", [MANY], indirect=True)
def test_an_interrupted_run_goes_on_where_it_was(source: Path, tmp_path: Path, services: list[str]) -> None:
    target = tmp_path / "scores"
    given = words(source, target, services)
    with forked.Process(SCRIPT, given, env=os.environ, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        while not list(target.glob("*.jsonl")):
            assert process.poll() is None, "it ended before it wrote a part"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    stood = {part: part.stat().st_mtime_ns for part in target.glob("*.jsonl")}
    assert stood
    done = run(source, target, services)
    assert done.returncode == 0, done.stderr
    assert f"{len(stood)} stood already" in done.stdout
    assert all(part.stat().st_mtime_ns == written for part, written in stood.items())
    records = answers(target)
    assert [record["conversation"] for record in records] == [f"log-{number}" for number in range(MANY)]
    assert all(len(record["answer"]["verdicts"]) == len(CORE) for record in records)


def test_a_replica_that_is_away_costs_no_log(source: Path, tmp_path: Path, services: list[str]) -> None:
    done = run(source, tmp_path / "scores", [f"http://127.0.0.1:{free_port()}", *services])
    assert done.returncode == 0, done.stderr
    assert "asking elsewhere" in done.stderr
    assert len(answers(tmp_path / "scores")) == FEW


def test_a_log_that_does_not_fit_is_told_and_spoils_no_other(
    source: Path, tmp_path: Path, services: list[str]
) -> None:
    with source.open("a") as out:
        out.write('{"messages": []}\n')
    done = run(source, tmp_path / "scores", services)
    assert done.returncode == 2
    assert "1 logs without verdicts" in done.stdout
    *fine, refused = answers(tmp_path / "scores")
    assert all(record["answer"] for record in fine)
    assert (refused["failure"]["status"], refused["answer"]) == (422, None)
    assert (refused["conversation"], refused["position"]) == (f"{source.name}:{FEW + 1}", FEW + 1)


def test_parts_are_results_that_the_command_line_reads(
    source: Path, tmp_path: Path, services: list[str]
) -> None:
    target = tmp_path / "scores"
    assert run(source, target, services).returncode == 0
    folder = load_run(str(target))
    assert folder.conversations == [f"log-{number}" for number in range(FEW)]
    compared = forked.run(forked.COMMAND_LINE, ["compare", target, target], ROOT, os.environ)
    assert compared.returncode == 0, compared.stderr
    assert "coherence" in compared.stderr
    plain = tmp_path / "plain.jsonl"
    scored: list[str | Path] = ["score", source, "--url", services[0], "-o", plain]
    assert forked.run(forked.COMMAND_LINE, scored, ROOT, os.environ).returncode == 0
    whole = load_run(str(plain))
    one, other = folder.records[7], whole.records[7]
    assert (one.conversation, one.request, one.digest) == (other.conversation, other.request, other.digest)
    assert one.comparison_key == other.comparison_key


def test_parts_of_another_source_or_size_are_not_taken_for_this_ones(
    source: Path, tmp_path: Path, services: list[str]
) -> None:
    target = tmp_path / "scores"
    assert run(source, target, services).returncode == 0
    smaller = run(source, target, services, part=4)
    source.write_text("".join(source.read_text().splitlines(keepends=True)[1:]))
    for done in (smaller, run(source, target, services)):
        assert done.returncode == 2
        assert "parts of another source or part size" in done.stderr
    assert len(answers(target)) == FEW


def test_broken_lines_are_named_before_anything_is_asked(source: Path, tmp_path: Path) -> None:
    with source.open("ab") as out:
        out.write(
            b'{"messages": [\n"text"\n{"id": "log-3", "messages": []}\n{"id": "caf\xe9", "messages": []}\n'
        )
    done = run(source, tmp_path / "scores", [f"http://127.0.0.1:{free_port()}"])
    assert done.returncode == 2
    for told in (
        f"{source}:{FEW + 1}: not JSON",
        f"{source}:{FEW + 2}: not a JSON object",
        f"{source}:{FEW + 3}: its id 'log-3' is that of {source}:4",
        f"{source}:{FEW + 4}: /id: not UTF-8",
    ):
        assert told in done.stderr
    assert not (tmp_path / "scores").exists()


def test_gzip_is_read_and_a_service_that_refuses_is_told(
    source: Path, tmp_path: Path, services: list[str]
) -> None:
    packed = tmp_path / "logs.jsonl.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    assert run(packed, tmp_path / "scores", services).returncode == 0
    assert len(answers(tmp_path / "scores")) == FEW
    wrong = run(packed, tmp_path / "more", [f"{services[0]}/nowhere"])
    assert wrong.returncode == 4
    assert "404" in wrong.stderr
    assert "Traceback" not in wrong.stderr
