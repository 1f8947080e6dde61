"""The TypeScript client: compiled strictly, and run by Node against a running service."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service import __version__
from tests.clients.journey import SAID, expect, expect_readme, first_call, output_of, readme, shown, travel
from tools import toolchains
from tools.service_process import ROOT

CLIENT = ROOT / "clients" / "typescript"
JOURNEY = Path(__file__).parent / "journeys" / "journey.mts"
FAULTY = ("A warm jacket under 100 euros, please.", "The Fjord Parka is a favourite. It costs 149 euros.")
Have = Callable[[Callable[[], Path]], Path]


@pytest.fixture(scope="module")
def node(have: Have) -> Path:
    return have(toolchains.node)


@pytest.fixture(scope="module")
def modules(have: Have) -> Path:
    return have(toolchains.node_modules)


@pytest.fixture(scope="module")
def programs(url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """docs/clients.md's programs, and the one of the client's own README, for each status of a verdict."""
    folder = tmp_path_factory.mktemp("readme")
    texts = {status: readme("typescript", url, said) for status, said in SAID.items()}
    texts |= {f"first call, {status}": first_call("typescript", url, said) for status, said in SAID.items()}
    texts["faults"] = first_call("typescript", url, FAULTY)
    texts["overall"] = readme("typescript", url, FAULTY) + shown(
        ROOT / "docs" / "clients.md", "typescript", 1
    )
    found = {name: folder / f"{name}.mts" for name in texts}
    for name, program in found.items():
        program.write_text(texts[name].replace("crs-eval-client", str(CLIENT / "src" / "index.ts")))
    return found


def test_all_of_it_compiles_strictly(
    node: Path, modules: Path, programs: dict[str, Path], tmp_path: Path
) -> None:
    """The client, its examples, the journey and docs/clients.md's programs, in one run: each would read the client again."""
    settings = tmp_path / "tsconfig.json"
    include = [str(source) for source in (CLIENT / "src", CLIENT / "examples", JOURNEY, *programs.values())]
    types = {"typeRoots": [str(modules / "@types")]}
    settings.write_text(
        json.dumps({"extends": str(CLIENT / "tsconfig.json"), "include": include, "compilerOptions": types})
    )
    output_of([node, modules / "typescript" / "bin" / "tsc", "-p", settings])


def test_the_journey(node: Path, url: str, log: dict[str, Any], log_file: Path) -> None:
    journey = travel([node, JOURNEY], url, log_file, CLIENT)
    expect(journey, url, log, f"typescript/{__version__}")
    assert journey.output["stopped"] == ["verdict", "AbortError"]


def test_its_example_runs(node: Path, url: str) -> None:
    output = output_of([node, CLIENT / "examples" / "score.ts", url])
    assert output.startswith("mean ")
    assert "coherence scored" in output
    assert output.endswith("read 2 of 2\n")


@pytest.mark.parametrize("status", SAID)
def test_the_program_in_the_readme(status: str, node: Path, programs: dict[str, Path], url: str) -> None:
    expect_readme(output_of([node, programs[status]]), url, status)


@pytest.mark.parametrize("status", SAID)
def test_the_first_call_of_its_readme(status: str, node: Path, programs: dict[str, Path], url: str) -> None:
    output = output_of([node, programs[f"first call, {status}"]])
    overall = output.split("\n", 1)[0]
    assert overall == "null" if status == "not_assessable" else 0 <= float(overall) <= 4


def test_the_overall_score_and_all_faults(node: Path, programs: dict[str, Path]) -> None:
    overall, faults = output_of([node, programs["faults"]]).split("\n", 1)
    assert 0 <= float(overall) <= 4
    assert faults.startswith("breaks-constraint [")
    _, answer = output_of([node, programs["overall"]]).split("\n", 1)
    assert answer.startswith(overall)
    assert "fault: 'breaks-constraint'" in answer


@pytest.mark.parametrize("folder", [CLIENT, ROOT / "clients" / "page"])
def test_the_lock_names_no_address_to_fetch_from(folder: Path) -> None:
    """The machine decides where packages come from."""
    lock = json.loads((folder / "package-lock.json").read_text())
    assert len(lock["packages"]) > 20
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
