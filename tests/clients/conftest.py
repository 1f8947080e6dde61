"""What the tests of the clients share: a service, a log, and what to do without a toolchain."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tools import toolchains
from tools.service_process import ROOT, running_service

T = TypeVar("T")


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


@pytest.fixture(scope="session")
def have() -> Callable[[Callable[[], T]], T]:
    """Fetches a toolchain, or skips, saying why; where all toolchains are required, it fails."""

    def fetch(toolchain: Callable[[], T]) -> T:
        try:
            return toolchain()
        except toolchains.UnavailableError as reason:
            if toolchains.required():
                pytest.fail(str(reason))
            pytest.skip(str(reason))

    return fetch
