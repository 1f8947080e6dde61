"""The Python client, both ways, against a running service."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.journey import SAID, expect, expect_readme, readme, travel
from tools.service_process import ROOT

CLIENT = ROOT / "clients" / "python"
JOURNEYS = Path(__file__).parent / "journeys"
BY_HAND = ["crs_eval_client/easy", "crs_eval_client/__init__.py", "examples"]


@pytest.mark.parametrize("kind", ["sync", "aio"])
def test_the_journey(kind: str, url: str, log: dict[str, Any], log_file: Path) -> None:
    command = (sys.executable, "-W", "error", JOURNEYS / "journey.py", kind)
    expect(travel(command, url, log_file, CLIENT, {"PYTHONPATH": str(CLIENT)}), url, log)


def test_its_example_runs(url: str) -> None:
    done = subprocess.run(
        [sys.executable, "examples/evaluate_recommender.py", url],
        cwd=CLIENT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(CLIENT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "coherence" in done.stdout
    assert "3 done" in done.stdout
    assert "session: " in done.stdout


@pytest.mark.parametrize("status", SAID)
def test_the_program_in_the_readme(status: str, url: str, tmp_path: Path) -> None:
    program = tmp_path / "readme.py"
    program.write_text(readme("python", url, SAID[status]))
    done = subprocess.run(
        [sys.executable, program],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(CLIENT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    expect_readme(done.stdout, url, status)
    _clean([sys.executable, "-m", "mypy", program], {"MYPYPATH": str(CLIENT)})


def test_types_hold_strictly() -> None:
    """A model named as its own field is a trap: mypy takes the field for the object."""
    _clean([sys.executable, "-m", "mypy", *BY_HAND, JOURNEYS / "journey.py"], {"MYPYPATH": str(CLIENT)})


def test_the_hand_written_part_keeps_to_the_rules() -> None:
    _clean([sys.executable, "-m", "ruff", "check", "--ignore", "T201", *BY_HAND], {})
    _clean(
        [sys.executable, "-m", "ruff", "format", "--check", *BY_HAND, "--config", ROOT / "pyproject.toml"], {}
    )


def _clean(command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command, cwd=CLIENT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
