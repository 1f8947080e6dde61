"""The PATH of `.ci/run`: what a bare Debian has, and nothing that happens to be installed beside it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bare_path, toolchains
from tools.service_process import ROOT

pytestmark = pytest.mark.skipif(shutil.which("apt-cache") is None, reason="there is no apt on PATH")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, ROOT / "tools" / "bare_path.py", place], check=True)
    return place


def test_the_readme_names_what_it_keeps(folder: Path) -> None:
    told = (ROOT / "README.md").read_text()
    for package in bare_path.ASKED:
        assert package in told
    names = {path.name for path in folder.iterdir()}
    assert {"python3", "git", "make", "sh", "awk", "sed", "apt-get"} <= names
    assert names.isdisjoint({"curl", "redis-server", "javac", "go", "chromium", "kubectl", "gcc"})


def test_its_programs_run(folder: Path) -> None:
    only = {"PATH": str(folder)}
    for command in (["git", "--version"], ["make", "--version"], ["awk", "BEGIN { exit 0 }"]):
        subprocess.run(command, env=only, check=True, capture_output=True)
    asked = ["python3", "-c", "import sys; print(sys.executable)"]
    done = subprocess.run(asked, env=only, check=True, capture_output=True, text=True)
    assert Path(done.stdout.strip()).parent != folder


def test_a_hidden_program_that_the_project_installs_is_found(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links, system, hidden = tmp_path / "links", tmp_path / "system", tmp_path / "hidden"
    for place in (system, hidden):
        place.mkdir()
    (system / "kettle").write_text("#!/bin/sh\necho boiling\n")
    (system / "kettle").chmod(0o755)
    (hidden / "apt-get").write_text("#!/bin/sh\n")  # it is installed already
    (hidden / "apt-get").chmod(0o755)
    monkeypatch.setattr(toolchains, "BIN", links)
    monkeypatch.setattr(toolchains, "DEBIAN_PATH", str(system))
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, (links, hidden, folder))))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    toolchains.debian("kettle", programs=["kettle"])
    assert subprocess.run(["kettle"], check=True, capture_output=True, text=True).stdout == "boiling\n"
