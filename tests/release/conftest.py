"""All that is published, built twice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import toolchains
from tools.release.__main__ import SBOM_TOOL
from tools.service_process import ROOT

REPOSITORY = "github.com/Some-Body/crs-eval"


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make release` writes, with a repository in the placeholder's place."""
    return build(tmp_path_factory.mktemp("dist"))


def build(folder: Path) -> Path:
    try:
        toolchains.javac()
        toolchains.node_modules()
        toolchains.helm()
    except toolchains.UnavailableError as missing:
        if toolchains.required():
            raise
        pytest.skip(str(missing))
    if not SBOM_TOOL.exists():
        subprocess.run(["make", str(SBOM_TOOL.relative_to(ROOT))], cwd=ROOT, check=True, capture_output=True)
    environment = {**os.environ, "REPOSITORY": REPOSITORY}
    done = subprocess.run(
        [sys.executable, "-m", "tools.release", str(folder)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder
