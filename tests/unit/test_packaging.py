"""The distribution holds the whole service under its import name, and the fixed layout stands."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_wheel_holds_every_module_and_every_data_file(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(copy)], check=True, capture_output=True
    )
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(tmp_path), str(copy)], check=True)
    (wheel,) = tmp_path.glob("crs_eval-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {
            name.removeprefix("crs_eval/") for name in archive.namelist() if name.startswith("crs_eval/")
        }
        archive.extractall(tmp_path / "site")
    listing = subprocess.run(
        ["git", "ls-files", "service"], cwd=copy, check=True, capture_output=True, text=True
    )
    ours = {line.removeprefix("service/") for line in listing.stdout.splitlines()}
    assert ours - packed == set()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    script = "import crs_eval.app, crs_eval.settings as s; crs_eval.app.create_app(s.Settings()); print(crs_eval.app.__file__)"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert str(tmp_path / "site") in ran.stdout


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
