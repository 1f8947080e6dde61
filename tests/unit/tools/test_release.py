"""Parts of a release: archives that depend on their files alone, and one version for all."""

import json
import re
from pathlib import Path

from service import __version__
from tools.release.readiness import obstacles
from tools.service_process import ROOT


def test_all_artefacts_have_one_version() -> None:
    read = {
        "clients/python/pyproject.toml": r'^version = "(.+)"',
        "clients/java/pom.xml": r"<version>(.+?)</version>",
        "clients/java/src/main/java/crseval/client/CrsEval.java": r'VERSION = "(.+)"',
        "clients/go/client.go": r'Version = "(.+)"',
        "clients/typescript/src/easy/connect.ts": r"VERSION = '(.+)'",
        "k8s/chart/Chart.yaml": r"^appVersion: (.+)",
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
