"""The Java client: compiled against openapi-generator's own jar and Debian's annotations, and run
against a running service. The hand-written part compiles without a warning."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.journey import SAID, expect, expect_readme, readme, travel
from tools import toolchains
from tools.service_process import ROOT

CLIENT = ROOT / "clients" / "java"
SOURCES = CLIENT / "src" / "main" / "java" / "crseval"
JOURNEY = Path(__file__).parent / "journeys" / "Journey.java"
QUICK = "-XX:TieredStopAtLevel=1"
Have = Callable[[Callable[[], Path]], Path]


@pytest.fixture(scope="module")
def javac(have: Have) -> Path:
    return have(toolchains.javac)


@pytest.fixture(scope="module")
def run(javac: Path, have: Have, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """`java` with all classes at hand."""
    classes = tmp_path_factory.mktemp("classes")
    path = f"{classes}:{have(toolchains.generator_jar)}:{toolchains.ANNOTATIONS}"
    compiler: list[str | Path] = [
        javac,
        f"-J{QUICK}",
        "--release",
        "17",
        "-proc:none",
        "-d",
        classes,
        "-cp",
        path,
    ]
    _run([*compiler, "-nowarn", *sorted((SOURCES / "generated").rglob("*.java"))])
    by_hand: list[Path] = [
        *sorted((SOURCES / "client").glob("*.java")),
        CLIENT / "examples" / "Score.java",
        JOURNEY,
    ]
    _run([*compiler, "-Xlint:all", "-Werror", *by_hand])
    return [javac.parent / "java", QUICK, "-cp", path]


def test_the_journey(run: list[str | Path], url: str, log: dict[str, Any], log_file: Path) -> None:
    expect(travel([*run, "Journey"], url, log_file, CLIENT), url, log)


def test_its_example_runs(run: list[str | Path], url: str) -> None:
    told = _run([*run, "Score", url])
    assert told.startswith("mean ")
    assert "coherence scored" in told


@pytest.mark.parametrize("status", SAID)
def test_the_program_in_the_readme(status: str, run: list[str | Path], url: str, tmp_path: Path) -> None:
    program = tmp_path / "Readme.java"
    program.write_text(readme("java", url, SAID[status]))
    expect_readme(_run([*run, program]), url, status)


def _run(command: Sequence[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout
