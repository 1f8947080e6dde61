"""The installed package, tried from outside the checkout.

`INSTALLED` names the environment; `make smoke` makes one from the wheel. Without it, the environment of the tests is
tried: an editable install of the checkout."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.serving import running
from tests.patience import PATIENCE
from tests.provider.server import ProviderServer
from tools.service_process import ROOT

JUDGE = "local:gpt-4o-mini"

Crs = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with `python` and `crs-eval`."""
    return (
        Path(os.environ["INSTALLED"]) / "bin" if "INSTALLED" in os.environ else Path(sys.executable).parent
    ).absolute()


@pytest.fixture
def crs_eval(programs: Path, tmp_path: Path) -> Crs:
    """Runs the command in an empty folder, without any path to the checkout."""
    environment = {"PATH": str(programs), "HOME": str(tmp_path), "LANG": "C.UTF-8", "COLUMNS": "160"}

    def run(*arguments: str | Path, program: str = "crs-eval") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [programs / program, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    return run


@pytest.fixture(scope="session")
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture(scope="session")
def url(programs: Path, provider: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service that the command started."""
    environment = {
        "PYTHONPATH": "",
        "CRS_EVAL_UPSTREAM_LOCAL": provider.openai_url,
        "CRS_EVAL_JUDGES": JUDGE,
        "CRS_EVAL_CATALOGS": str(ROOT / "examples" / "crs"),
    }
    with running(
        [str(programs / "crs-eval"), "serve"],
        environment,
        alive="/readyz",
        cwd=tmp_path_factory.mktemp("elsewhere"),
        patience=PATIENCE,
    ) as server:
        yield server.url
