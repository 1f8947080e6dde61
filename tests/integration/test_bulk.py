"""The bulk example against real replicas: all logs once, through an interruption and a replica that is away."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tools.service_process import ROOT, free_port, running_service

LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
MANY, FEW = 1000, 60
PART = 25


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


def command(source: Path, target: Path, services: list[str]) -> list[str]:
    named = [word for url in services for word in ("--service", url)]
    script = str(ROOT / "examples" / "bulk" / "score.py")
    return [sys.executable, script, str(source), str(target), "--part", str(PART), "--workers", "2", *named]


def run(source: Path, target: Path, services: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(source, target, services), capture_output=True, text=True, timeout=600, check=False
    )


def answers(target: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for part in sorted(target.glob("*.jsonl")) for line in part.read_text().splitlines()
    ]


@pytest.mark.parametrize("source", [MANY], indirect=True)
def test_an_interrupted_run_goes_on_where_it_was(source: Path, tmp_path: Path, services: list[str]) -> None:
    target = tmp_path / "scores"
    with subprocess.Popen(command(source, target, services), stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        while not list(target.glob("*.jsonl")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    stood = {part: part.stat().st_mtime_ns for part in target.glob("*.jsonl")}
    assert stood
    done = run(source, target, services)
    assert done.returncode == 0, done.stderr
    assert f"{len(stood)} stood already" in done.stdout
    assert all(part.stat().st_mtime_ns == written for part, written in stood.items())
    lines = answers(target)
    assert sorted(int(line["custom_id"]) for line in lines) == list(range(MANY))
    assert all(line["status"] == 200 and len(line["body"]["verdicts"]) == 12 for line in lines)


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
    assert done.returncode == 1
    assert "1 logs without verdicts" in done.stdout
    statuses = [line["status"] for line in answers(tmp_path / "scores")]
    assert statuses.count(200) == FEW
    assert statuses.count(422) == 1
