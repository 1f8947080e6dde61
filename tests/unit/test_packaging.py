"""The distribution holds the whole service under its import name, and the fixed layout stands."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheels of the service (`service`) and of the extra (`encoder`) hold, unpacked; `clone` is what they were
    built from."""
    folder = tmp_path_factory.mktemp("site")
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    for name, source in (("service", clone), ("encoder", clone / "extras" / "encoder")):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*command, "--wheel-dir", str(folder / f"{name}-wheel"), str(source)], check=True)
        (wheel,) = (folder / f"{name}-wheel").glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / name)
    return folder


def run(script: str, *folders: Path) -> "subprocess.CompletedProcess[str]":
    """What a script prints where only these folders and what the lock names can be imported."""
    paths = [*map(str, folders), *(path for path in sys.path if path.endswith("-packages"))]
    return subprocess.run(
        [sys.executable, "-S", "-P", "-c", script],
        cwd=folders[0],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_wheel_holds_every_module_and_every_data_file(site: Path) -> None:
    packed = {
        str(path.relative_to(site / "service/crs_eval")) for path in (site / "service/crs_eval").rglob("*")
    }
    listing = subprocess.run(
        ["git", "ls-files", "service"], cwd=site / "clone", check=True, capture_output=True, text=True
    )
    ours = {line.removeprefix("service/") for line in listing.stdout.splitlines()}
    assert ours - packed == set()
    script = "import crs_eval.app, crs_eval.settings as s; crs_eval.app.create_app(s.Settings()); print(crs_eval.app.__file__)"
    assert str(site / "service") in run(script, site / "service").stdout


def test_the_encoder_is_an_install_of_its_own(site: Path) -> None:
    script = """
import crs_eval.app, crs_eval.settings as s
crs_eval.app.create_app(s.Settings(sentence_encoder=True))
import crs_eval_encoder
print(crs_eval_encoder.__file__)
"""
    without = run(script, site / "service")
    assert without.returncode == 1
    assert "run pip install 'crs-eval[encoder]'" in without.stderr
    ran = run(script, site / "service", site / "encoder")
    assert str(site / "encoder") in ran.stdout, ran.stderr
    assert not list((site / "service").rglob("heads.npz"))
    assert sum(path.stat().st_size for path in (site / "encoder").rglob("*")) <= 18_000_000
    (licences,) = (site / "encoder").glob("*.dist-info/licenses")
    assert "Apache License" in (licences / "LICENSE").read_text("utf-8")
    notice = (licences / "NOTICE").read_text("utf-8")
    assert "text is in LICENSE beside this file" in notice
    assert "MIT License" in notice


def test_every_package_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = set(project["tool"]["setuptools"]["packages"])
    found = {
        ".".join(("crs_eval", *path.parent.relative_to(ROOT / "service").parts))
        for path in (ROOT / "service").rglob("*.py")
    }
    data = {name for name in named if not (ROOT / "service" / "/".join(name.split(".")[1:])).is_dir()}
    assert found <= named
    assert not data


def test_locks_carry_hashes_and_no_addresses() -> None:
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        assert "--hash=sha256:" in text
        assert "://" not in text
