"""Shared parts of the clients' tests: a service and a log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.service_process import ROOT, running_service


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """A service with the embedded judge."""
    with running_service({}) as service:
        yield service


@pytest.fixture(scope="session")
def log() -> dict[str, Any]:
    """A conversation that has something for most factors."""
    found: dict[str, Any] = json.loads((ROOT / "examples" / "logs" / "mediocre.json").read_text())["log"]
    return found


@pytest.fixture(scope="session")
def log_file(log: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a file."""
    path = tmp_path_factory.mktemp("log") / "log.json"
    path.write_text(json.dumps(log))
    return path
