"""The Go client: vetted, built without fetching a module, and run against a running service."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service import __version__
from tests.clients.journey import SAID, expect, expect_readme, first_call, output_of, shown, travel
from tools import toolchains
from tools.service_process import ROOT

CLIENT = ROOT / "clients" / "go"
JOURNEY = Path(__file__).parent / "journeys" / "journey.go"
MODULE = f"module journey\n\ngo 1.19\n\nrequire github.com/OWNER/crs-eval/clients/go/v2 v2.0.0\n\nreplace github.com/OWNER/crs-eval/clients/go/v2 => {CLIENT}\n"
MODULE_PATH = "github.com/OWNER/crs-eval/clients/go/v2"
ALONE = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
"""Neither modules from elsewhere nor a C compiler."""


@pytest.fixture(scope="module")
def go(have: Callable[[Callable[[], Path]], Path]) -> Path:
    return have(toolchains.go)


@pytest.fixture(scope="module")
def journey(go: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("go")
    shutil.copy(JOURNEY, folder)
    (folder / "go.mod").write_text(MODULE)
    output_of([go, "build", "-o", folder / "journey", "."], folder, **ALONE)
    return folder / "journey"


def test_vet_finds_nothing(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles too: without the prefix that `make clients` asks for, enums collide. A bare machine has
    no C compiler, which Go's net package would use."""
    monkeypatch.setenv("CC", "no-such-compiler")
    output_of([go, "vet", "./..."], CLIENT, **ALONE)
    by_hand = [*sorted(CLIENT.glob("*.go")), CLIENT / "parts", CLIENT / "examples"]
    assert output_of([go.resolve().parent / "gofmt", "-l", *by_hand], CLIENT, **ALONE) == ""


def test_wrong_parts_do_not_compile(go: Path, tmp_path: Path) -> None:
    wrong = ["Text(Image())", 'Items([]string{"j1"}, "")', 'ToolCall("search", 1, "")', 'Image("", true)']
    calls = "\n".join(f"var _ = parts.{call}" for call in wrong)
    (tmp_path / "go.mod").write_text(MODULE)
    (tmp_path / "main.go").write_text(
        f'package main\nimport "{MODULE_PATH}/parts"\n{calls}\nfunc main() {{}}\n'
    )
    with pytest.raises(AssertionError) as refused:
        output_of([go, "build", "-gcflags=-e", "."], tmp_path, **ALONE)
    assert set(re.findall(r"main.go:(\d)", str(refused.value))) == set("3456")


def test_needs_the_standard_library_alone(go: Path) -> None:
    """Unions would need a module that cannot be had everywhere."""
    listed = output_of([go, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./..."], CLIENT, **ALONE)
    packages = {f"{MODULE_PATH}/{name}" for name in ("generated", "parts", "examples/score")}
    assert set(listed.split()) == {MODULE_PATH} | packages


def test_the_journey(journey: Path, url: str, log: dict[str, Any], log_file: Path) -> None:
    expect(travel([journey], url, log_file, CLIENT), url, log, f"go/{__version__}")


def test_its_example_runs(go: Path, url: str) -> None:
    output = output_of([go, "run", "./examples/score", url], CLIENT, **ALONE)
    assert output.startswith("mean ")
    assert "coherence scored" in output


@pytest.mark.parametrize("status", SAID)
def test_the_program_in_the_readme(status: str, go: Path, url: str, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(MODULE)
    (tmp_path / "main.go").write_text(first_call("go", url, SAID[status]))
    output_of([go, "vet", "."], tmp_path, **ALONE)
    expect_readme(output_of([go, "run", "."], tmp_path, **ALONE), url, status)


def test_the_page_of_clients_shows_the_same_program() -> None:
    page = shown(ROOT / "docs" / "clients.md", "go")
    assert page == shown(CLIENT / "README.md", "go")
