"""The distribution holds the whole service under its import name, and keeps the fixed layout."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.slow  # wheels are built


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what an editable install brings; `clone` beside it is what it was built from."""
    clone = tmp_path_factory.mktemp("site") / "clone"
    folder = clone.parent / "editable"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    build = "import sys; from setuptools.build_meta import build_editable; build_editable(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=clone, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(script: str, *folders: Path) -> "subprocess.CompletedProcess[str]":
    """Return what a script prints where only these folders and what the lock names can be imported."""
    paths = [*map(str, folders), *(path for path in sys.path if path.endswith("-packages"))]
    return subprocess.run(
        [sys.executable, "-S", "-P", "-c", script],
        cwd=folders[0],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
        capture_output=True,
        text=True,
    )


SAME = """
import importlib, site, sys
site.addsitedir({install!r})
import {first}.judges, {second}.judges
assert crs_eval is service
for name in ("app", "errors", "cli.program", "judges.embedded", "workers.pool", "worker"):
    first, second = (importlib.import_module(f"{{package}}.{{name}}") for package in ({first!r}, {second!r}))
    assert first is second is sys.modules[f"service.{{name}}"], name
    assert first.__spec__.name == f"service.{{name}}"
from crs_eval.errors import ConfigurationError
assert ConfigurationError is service.errors.ConfigurationError
print(service.__file__)
"""


@pytest.mark.parametrize(("first", "second"), [("crs_eval", "service"), ("service", "crs_eval")])
def test_a_checkout_has_one_copy_of_every_module(editable: Path, first: str, second: str) -> None:
    ran = run(SAME.format(install=str(editable), first=first, second=second), editable)
    assert ran.stdout.strip() == str(editable.parent / "clone/service/__init__.py"), ran.stderr


def test_a_checkout_brings_no_other_name(editable: Path) -> None:
    script = f"import site; site.addsitedir({str(editable)!r}); import crs_eval, importlib.util as u"
    script += "; print([name for name in ('research', 'tools', 'tests', 'setup') if u.find_spec(name)])"
    assert run(script, editable).stdout == "[]\n"


@pytest.mark.parametrize("module", ["crs_eval", "crs_eval.cli.program", "service", "service.cli.program"])
def test_each_name_runs_as_a_module(editable: Path, module: str) -> None:
    script = f"import runpy, site, sys; site.addsitedir({str(editable)!r}); sys.argv[1:] = ['--help']; "
    ran = run(f"{script}runpy.run_module({module!r}, run_name='__main__')", editable)
    assert ran.returncode == 0, ran.stderr
    assert "--help" in ran.stdout


def test_another_package_named_service_is_not_taken_for_ours(editable: Path, tmp_path: Path) -> None:
    (tmp_path / "service").mkdir()
    (tmp_path / "service/__init__.py").write_text("")
    ran = run(f"import site; site.addsitedir({str(editable)!r}); import crs_eval", tmp_path, editable)
    assert f"{tmp_path / 'service/__init__.py'} comes first on the path; install a wheel" in ran.stderr


def test_locks_carry_hashes_and_no_addresses() -> None:
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        assert "--hash=sha256:" in text
        assert "://" not in text


REQUIREMENTS = Path(__file__).parents[2] / "requirements"
EXTRA = {"psycopg", "psycopg-binary", "sqlalchemy", "tzdata"}


def locked(name: str) -> dict[str, str]:
    return dict(
        re.findall(r"^([a-z0-9._-]+)(?:\[[^]]+\])?==(\S+)", (REQUIREMENTS / name).read_text(), re.MULTILINE)
    )


def test_the_extra_adds_its_own_packages_to_the_base_install_and_changes_none() -> None:
    base, live = locked("runtime.txt"), locked("live.txt")
    assert not EXTRA & base.keys()
    assert live.keys() - base.keys() == EXTRA
    assert {name: live[name] for name in base} == base


WITHOUT = """
import sys
for name in {packages!r}:
    sys.modules[name] = None
from service.cli.program import main
sys.argv = {command!r}
sys.exit(main())
"""
EXTRAS = ("aiohttp", "anthropic", "fastapi", "httptools", "mcp", "openai", "opentelemetry", "pandas", "prometheus_client",
          "redis", "sqlalchemy", "starlette", "structlog", "uvicorn", "uvloop")  # fmt: skip


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("score chats.txt --quiet", None),
        ("import chats.txt -o logs.jsonl", None),
        ("metrics chats.txt", None),
        ("exam --sample 1", None),
        ("score chats.txt --workers 1", "service"),
        ("serve", "service"),
        ("live", "live"),
        ("mcp", "mcp"),
    ],
)
def test_without_extras_the_command_line_judges(command: str, extra: str | None, tmp_path: Path) -> None:
    (tmp_path / "chats.txt").write_text("User: A film, please.\nBot: Do you like comedies?\n")
    script = WITHOUT.format(packages=EXTRAS, command=["crs-eval", *command.split()])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == (0 if extra is None else 2), done.stderr
    assert extra is None or f"crs-eval[{extra}]" in done.stderr


def test_the_lock_of_the_library_has_no_extra() -> None:
    lock = (ROOT / "requirements" / "library.txt").read_text()
    names = {line.partition("==")[0].replace("-", "_") for line in lock.splitlines() if "==" in line}
    assert not names & {*EXTRAS, "opentelemetry_sdk"}
    assert "numpy" in names
