"""The bulk example with Ray, in the environment that `make bulk` installs."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from service.cli.scores import load_run
from tests.patience import PATIENCE
from tests.registries import CORE
from tools.service_process import ROOT

PYTHON = ROOT / ".cache" / "bulk" / "bin" / "python"
LOG: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
MANY = int(os.environ.get("BULK_LOGS", "200"))
PART = 10
LONG = 10 * PATIENCE


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "logs.jsonl"
    first, *rest = LOG["messages"]
    logs = [
        LOG
        | {"id": f"log-{number}", "messages": [first | {"content": f"{first['content']} ({number})"}, *rest]}
        for number in range(MANY)
    ]
    path.write_text("".join(json.dumps(log) + "\n" for log in [*logs, {"id": "refused", "messages": []}]))
    return path


def started(source: Path, target: Path) -> "subprocess.Popen[bytes]":
    script = ROOT / "examples" / "bulk" / "score.py"
    command = [str(PYTHON), str(script), str(source), str(target), "--part", str(PART)]
    return subprocess.Popen(command, cwd=source.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def records(target: Path) -> list[dict[str, Any]]:
    files = sorted((target / "records").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_run_that_was_killed_continues_and_each_log_has_one_record(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "scores"
    run = started(source, target)
    deadline = time.monotonic() + LONG
    while not list((target / "done").glob("*")):
        assert run.poll() is None, "it ended before it wrote a part"
        assert time.monotonic() < deadline
        time.sleep(0.1)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert len(records(target)) < MANY
    assert started(source, target).wait(LONG) == 0
    found = {record["conversation"]: record for record in records(target)}
    assert len(records(target)) == len(found) == MANY + 1
    refused = found.pop("refused")
    assert (refused["answer"], refused["failure"]["status"]) == (None, 422)
    assert all(len(record["answer"]["verdicts"]) == len(CORE) for record in found.values())
    assert sorted(load_run(str(target / "records")).conversations) == sorted([*found, "refused"])
    before = sorted((target / "records").iterdir())
    assert started(source, target).wait(LONG) == 0
    assert sorted((target / "records").iterdir()) == before
