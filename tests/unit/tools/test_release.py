"""Parts of a release: archives that depend on their files alone, and one version for all."""

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import yaml

from service import __version__
from tools import chart
from tools.release.readiness import obstacles
from tools.service_process import ROOT
from tools.toolchains import helm


def test_all_artefacts_have_one_version() -> None:
    read = {
        "clients/python/pyproject.toml": r'^version = "(.+)"',
        "clients/java/pom.xml": r"<version>(.+?)</version>",
        "clients/java/src/main/java/crseval/client/CrsEval.java": r'VERSION = "(.+)"',
        "clients/go/client.go": r'Version = "(.+)"',
        "clients/typescript/src/easy/connect.ts": r"VERSION = '(.+)'",
        "k8s/chart/Chart.yaml": r"^version: (.+)\nappVersion: \1$",
        "k8s/base/deployment.yaml": r"image: crs-eval:(.+)",
        "compose.yaml": r"image: crs-eval:(.+)",
        "Dockerfile": r"ARG VERSION=(.+)",
    }
    for name, pattern in read.items():
        found = re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)
        assert found, name
        assert found[1] == __version__, name
    assert json.loads((ROOT / "clients/typescript/package.json").read_text())["version"] == __version__


def test_what_a_release_would_leave_undone_is_said(tmp_path: Path) -> None:
    for folder in ("openapi/released", "docker"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "openapi/openapi.json").write_text("{}")
    (tmp_path / "openapi/released/2.0.0.json").write_text("{}")
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [2.0.0] - 2030-01-01\n\n- One.\n")
    (tmp_path / "docker/images.env").write_text(f"A_IMAGE=python:3@sha256:{'0' * 64}\n")
    assert obstacles(tmp_path, "2.0.0") == []
    (tmp_path / "openapi/openapi.json").write_text("{ }")
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n\n- Two.\n\n## [2.0.0] - 2030-01-01\n")
    (tmp_path / "docker/images.env").write_text("A_IMAGE=python:3\nB_IMAGE=redis:7\n")
    contract, changes, digests = obstacles(tmp_path, "2.0.0")
    assert "make release-contract" in contract
    assert "move them to 2.0.0" in changes
    assert "no digest of A_IMAGE, B_IMAGE: run make digests" in digests
    assert "openapi/released/3.0.0.json" in obstacles(tmp_path, "3.0.0")[0]


PAGE = (chart.ROOT.parent / "docs" / "install.md").read_text()


def commands(program: str) -> list[list[str]]:
    """The words of each command of the page, with made-up values for the shell's variables."""
    lines = re.sub(r"\\\n\s+", "", PAGE).splitlines()
    found = [line.removeprefix("$ ") for line in lines if line.startswith(f"$ {program} ")]
    filled = (
        re.sub(r"\$\(.*?\)\"|\$\w+", lambda got: "v" * 40 + ('"' if got[0].endswith('"') else ""), one)
        for one in found
    )
    return [shlex.split(one) for one in filled]


def test_helm_takes_its_lines(have: Callable[[Callable[[], Path]], Path]) -> None:
    program = have(helm)
    lines = commands("helm install")
    assert len(lines) == 2
    for _, _, name, *words in lines:
        done = subprocess.run(
            [program, "template", name, *words, "--kube-version", chart.KUBERNETES],
            cwd=chart.ROOT.parent,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        secrets = [one for one in yaml.safe_load_all(done.stdout) if one and one["kind"] == "Secret"]
        assert bool(secrets) == any("keys.values" in word for word in words)


def test_overlays_and_components_are_those_that_there_are() -> None:
    assert {line[-1] for line in commands("kubectl apply")} == {
        "k8s/overlays/small",
        "k8s/overlays/production",
    }
    table = re.findall(r"^\| `([a-z-]+)` \|", PAGE.partition("\n## kubectl\n")[2], re.MULTILINE)
    assert set(table) == {path.name for path in (chart.ROOT / "components").iterdir()}
