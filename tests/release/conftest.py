"""All that is published, built into a folder of its own; a service; and a log to ask about."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools import toolchains
from tools.release.__main__ import SBOM_TOOL
from tools.service_process import ROOT, running_service

REPOSITORY = "github.com/Some-Body/crs-eval"


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make release` writes, with a repository in the placeholder's place."""
    for needed in (
        toolchains.javac,
        toolchains.node_modules,
        toolchains.helm,
        toolchains.go,
        toolchains.maven,
    ):
        needed()
    if not SBOM_TOOL.exists():
        subprocess.run(["make", str(SBOM_TOOL.relative_to(ROOT))], cwd=ROOT, check=True, capture_output=True)
    return build(tmp_path_factory.mktemp("dist"))


def build(folder: Path) -> Path:
    """Build a release into `folder`."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.release", str(folder)],
        cwd=ROOT,
        env={**os.environ, "REPOSITORY": REPOSITORY},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """A service for the clients to ask."""
    with running_service({}) as service:
        yield service


@pytest.fixture(scope="session")
def log() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "good.json").read_text())["log"]
    return found
