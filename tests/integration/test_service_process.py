"""The service as people run it: a process of its own, real HTTP, real signals."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import forked
from tests.patience import PATIENCE
from tools.service_process import ROOT, answers, free_port, running_service

BODY: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_service({"CATALOGS": str(ROOT / "examples" / "crs")}) as url:
        yield url


def test_a_body_that_never_ends_is_cut_off(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        answer = b""
        try:
            for _ in range(400):
                connection.sendall(chunk)
        except OSError:
            pass  # the service hung up, as it should
        try:
            answer = connection.recv(65536)
        except OSError:
            return
    assert b" 413 " in answer


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("CRS_EVAL_JUDGES_=x", "CRS_EVAL_JUDGES_: no such setting; did you mean CRS_EVAL_JUDGES?"),
        ("CRS_EVAL_LIST_CUTOFF=many", "CRS_EVAL_LIST_CUTOFF: "),
        ("CRS_EVAL_JUDGE=nobody", "nobody: no such judge"),
        ("CRS_EVAL_JUDGE_COHERENSE=builtin", "CRS_EVAL_JUDGE_COHERENSE: no such factor"),
        ("CRS_EVAL_CATALOGS=/nowhere", "/nowhere"),
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
            [sys.executable, "-m", "service", "--port", str(port)], cwd=ROOT, stderr=out
        )
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + PATIENCE
        while not answers(port) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert httpx2.post(f"{url}/score", json={"log": BODY["log"]}).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {"ready", "request", "stopped"} <= {line["event"] for line in lines}
