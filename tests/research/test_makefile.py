"""The makefile of `research/`: its targets run modules that exist, from wherever it is called."""

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tools.service_process import ROOT

MAKEFILE = ROOT / "research/Makefile"


def test_every_target_runs_a_module_that_exists() -> None:
    modules = re.findall(r"-m (research\.\w+)", MAKEFILE.read_text())
    assert len(modules) > 5
    assert [name for name in modules if find_spec(name) is None] == []


@pytest.mark.parametrize("place", [ROOT, ROOT / "research", Path("/")])
def test_what_runs_is_the_same_from_everywhere(place: Path) -> None:
    ran = subprocess.run(
        ["make", "--no-print-directory", "-n", "-o", "setup", "-f", str(MAKEFILE), "false-alarms"],
        cwd=place,
        check=True,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.strip() == (
        f"cd {ROOT} && .venv/bin/python -m research.measure_steering ../shared/data"
    )
