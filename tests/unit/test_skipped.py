"""The summary of a run: what was left out is named."""

import subprocess
import sys
from pathlib import Path

from tools.service_process import ROOT


def test_skipped_tests_are_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "test_tea.py").write_text(
        'import pytest\n\ndef test_brew():\n    pytest.skip("there is no kettle")\n\ndef test_pour():\n    pass\n'
    )
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "tests.conftest",
        "--rootdir",
        tmp_path,
        tmp_path,
    ]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    (line,) = [line for line in done.stdout.splitlines() if "there is no kettle" in line]
    assert "test_brew" in line
    assert "test_pour" not in line
