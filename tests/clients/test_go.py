"""The Go client: vetted, built without fetching a module, and run against a running service."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.journey import README_LOG, expect, expect_readme, readme, travel
from tools import toolchains
from tools.service_process import ROOT

CLIENT = ROOT / "clients" / "go"
JOURNEY = Path(__file__).parent / "journeys" / "journey.go"
MODULE = f"module journey\n\ngo 1.19\n\nrequire crseval v0.0.0\n\nreplace crseval => {CLIENT}\n"
NO_MODULES = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}


@pytest.fixture(scope="module")
def go(have: Callable[[Callable[[], Path]], Path]) -> Path:
    return have(toolchains.go)


@pytest.fixture(scope="module")
def journey(go: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("go")
    shutil.copy(JOURNEY, folder)
    (folder / "go.mod").write_text(MODULE)
    _run([go, "build", "-o", folder / "journey", "."], folder)
    return folder / "journey"


def test_vet_finds_nothing(go: Path) -> None:
    """It compiles too: without the prefix that `make clients` asks for, enums collide."""
    _run([go, "vet", "./..."], CLIENT)
    assert _run([go.resolve().parent / "gofmt", "-l", *sorted(CLIENT.glob("*.go"))], CLIENT) == ""


def test_needs_the_standard_library_alone(go: Path) -> None:
    """Unions would need a module that cannot be had everywhere."""
    listed = _run([go, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./..."], CLIENT)
    assert set(listed.split()) == {"crseval", "crseval/generated", "crseval/examples/score"}


def test_the_journey(journey: Path, url: str, log: dict[str, Any], log_file: Path) -> None:
    expect(travel([journey], url, log_file, CLIENT), url, log)


def test_its_example_runs(go: Path, url: str) -> None:
    told = _run([go, "run", "./examples/score", url], CLIENT)
    assert told.startswith("mean ")
    assert "coherence scored" in told


def test_the_call_in_the_readme(go: Path, url: str, tmp_path: Path) -> None:
    imports = "".join(f'"{name}"\n' for name in ("context", "fmt", "crseval", "crseval/generated"))
    messages = "".join(
        f"*generated.NewMessage(generated.ROLE_{message['role'].upper()}, {json.dumps(message['content'])}),\n"
        for message in README_LOG["messages"]
    )
    (tmp_path / "go.mod").write_text(MODULE)
    (tmp_path / "main.go").write_text(
        f"package main\n\nimport (\n{imports})\n\nfunc main() {{\nctx := context.Background()\n"
        f"log := *generated.NewLog([]generated.Message{{\n{messages}}})\n{readme('go', url)}}}\n"
    )
    expect_readme(_run([go, "run", "."], tmp_path), url)


def _run(command: Sequence[str | Path], cwd: Path) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | NO_MODULES,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout
