"""The service as people run it: a process of its own, real HTTP, real signals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import forked
from tests.patience import PATIENCE
from tools.service_process import ROOT, free_port, wait_for

BODY: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("CRS_EVAL_JUDGES_=x", "CRS_EVAL_JUDGES_: no such setting; did you mean CRS_EVAL_JUDGES?"),
        ("CRS_EVAL_JUDGE=nobody", "nobody: no such judge"),
        ("CRS_EVAL_JUDGE_COHERENSE=builtin", "CRS_EVAL_JUDGE_COHERENSE: no such factor"),
        ("CRS_EVAL_REDIS_URL=host:6379", "CRS_EVAL_REDIS_URL: should be redis://"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_names_itself(setting: str, said: str) -> None:
    name, value = setting.split("=")
    environment = {"PATH": "/usr/bin:/bin", name: value}
    done = forked.run(forked.SERVICE, ["--port", str(free_port())], ROOT, environment)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_it_stops_when_told_to_and_answers_what_it_took(tmp_path: Path) -> None:
    log = tmp_path / "log"
    port = free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "service", "--port", str(port)],
            cwd=ROOT,
            stderr=out,
            start_new_session=True,
        )
        url = f"http://127.0.0.1:{port}"
        wait_for(port, process)
        assert httpx2.post(f"{url}/score", json={"log": BODY["log"]}).status_code == 200
        os.killpg(process.pid, signal.SIGTERM)  # as systemd does: all processes get it
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    events = {line["event"] for line in lines}
    assert {"ready", "request", "stopped"} <= events
    assert "worker_lost" not in events
