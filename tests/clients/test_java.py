"""The Java client: compiled against openapi-generator's own jar and Debian's annotations, and run
against a running service. The hand-written part compiles without a warning."""

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service import __version__
from tests.clients import maven
from tests.clients.journey import SAID, expect, expect_readme, first_call, output_of, shown, travel
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
    output_of([*compiler, "-nowarn", *sorted((SOURCES / "generated").rglob("*.java"))])
    by_hand: list[Path] = [
        *sorted((SOURCES / "client").glob("*.java")),
        CLIENT / "examples" / "Score.java",
        JOURNEY,
    ]
    output_of([*compiler, "-Xlint:all", "-Werror", *by_hand])
    return [javac.parent / "java", QUICK, "-cp", path]


def test_the_journey(run: list[str | Path], url: str, log: dict[str, Any], log_file: Path) -> None:
    expect(travel([*run, "Journey"], url, log_file, CLIENT), url, log, f"java/{__version__}")


def test_wrong_parts_do_not_compile(run: list[str | Path], tmp_path: Path) -> None:
    wrong = ["text(1)", 'items(List.of("j1"), null)', 'toolCall("search", 1, null)', "image(true, null)"]
    calls = "\n".join(f"Object part{number} = Parts.{call};" for number, call in enumerate(wrong))
    program = tmp_path / "Wrong.java"
    program.write_text(f"import crseval.client.Parts; import java.util.List;\nclass Wrong {{\n{calls}\n}}\n")
    with pytest.raises(AssertionError) as refused:
        output_of([*run, program])
    assert re.findall(r"Wrong.java:(\d): error", str(refused.value)) == ["3", "4", "5", "6"]


def test_maven_builds_it_from_its_pom(have: Have, tmp_path: Path) -> None:
    have(toolchains.maven)
    settings = maven.repository(tmp_path)
    shutil.copytree(CLIENT, tmp_path / "client")
    maven.run_maven(settings, tmp_path / "client", ["package"])
    (jar,) = (tmp_path / "client" / "target").glob("*.jar")
    with zipfile.ZipFile(jar) as packed:
        assert {"crseval/client/CrsEval.class", "crseval/generated/model/Verdict.class"} <= set(
            packed.namelist()
        )


def test_its_example_runs(run: list[str | Path], url: str) -> None:
    output = output_of([*run, "Score", url])
    assert output.startswith("mean ")
    assert "coherence scored" in output


@pytest.mark.parametrize("status", SAID)
def test_the_program_in_the_readme(status: str, run: list[str | Path], url: str, tmp_path: Path) -> None:
    program = tmp_path / "Readme.java"
    program.write_text(first_call("java", url, SAID[status]))
    expect_readme(output_of([*run, program]), url, status)


def test_the_page_of_clients_shows_the_same_program() -> None:
    page = shown(ROOT / "docs" / "clients.md", "java").replace("; // clients/java", ";")
    assert page == shown(CLIENT / "README.md", "java")
