"""The GitHub action as a job runs it: its install step for real, then its verdict by what was installed."""

import os
import subprocess
from pathlib import Path

import yaml

from tools.service_process import ROOT

STEPS = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]


def test_the_install_step_gives_a_command_that_decides(tmp_path: Path) -> None:
    """A wheel is built from the checkout, with what the lock names beside it; nothing of this environment is used."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CRS_EVAL_", "PYTHON"))}
    job = {
        **kept,
        "PYTHON": "python3",
        "GITHUB_ACTION_PATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    install, decide = STEPS
    assert install["env"] == {"PYTHON": "${{ inputs.python-version }}"}
    _step(install["run"], tmp_path, job)
    command = tmp_path / "crs-eval" / "bin" / "crs-eval"
    version = subprocess.run(
        [command, "--version"], cwd=tmp_path, env=kept, capture_output=True, text=True, check=True
    )
    assert version.stdout.startswith("crs-eval ")
    logs = str(ROOT / "examples" / "logs" / "good.json")
    given = {"RUN": logs, "BASELINE": logs, "PAIR_BY": "line", "RESULTS": "out"}
    empty = dict.fromkeys(decide["env"], "")
    _step(decide["run"], tmp_path, {**job, **empty, **given, "ALLOW_INCONCLUSIVE": "true"})
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert outputs["verdict"] in {"pass", "inconclusive"}  # one pair says little
    assert (tmp_path / outputs["report"]).is_file()


def _step(script: str, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
