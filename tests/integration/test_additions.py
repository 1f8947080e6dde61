"""Adding a factor, a role, a simulated user, a metric or a provider is one file, as CONTRIBUTING says: each is put into a copy of
the checkout, and what is derived is generated there. The tests that walk the registries demand of the additions what they demand
of all others."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.service_process import ROOT

ADDED = ROOT / "tests" / "additions" / "service"
WRITTEN = ("service", "tests", "docs", "openapi", "clients", "README.md", "pyproject.toml")
"""Folders that the copy has for itself: what is added to, what is generated, and the tests, which look for their checkout."""
REGISTRIES = (
    "tests/api/test_factor_registry.py",
    "tests/api/test_metric_registry.py",
    "tests/api/test_simulator_registry.py",
    "tests/integration/llm/test_provider_registry.py",
)
NAMES = ("warmth", "newcomer", "words_per_reply", "polite", "mistral")
UNWANTED = shutil.ignore_patterns("__pycache__", "node_modules", "generated", "go", "java", "dist", ".venv")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("additions")
    for entry in ROOT.iterdir():
        if entry.name not in WRITTEN:
            if not entry.name.startswith(".") or entry.name in {".venv", ".cache"}:
                (folder / entry.name).symlink_to(entry)
        elif entry.is_dir():
            shutil.copytree(entry, folder / entry.name, ignore=UNWANTED, copy_function=_copied)
        else:
            shutil.copy(entry, folder)
    shutil.copytree(ADDED, folder / "service", dirs_exist_ok=True)
    _run(folder, "-m", "tools.generate")
    return folder


def _copied(source: str, target: str) -> None:
    """Weights are linked: nobody writes them."""
    if source.endswith((".safetensors", ".npz", ".bin", ".onnx")):
        Path(target).symlink_to(source)
    else:
        shutil.copyfile(source, target)


def _run(folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_additions_meet_what_is_demanded_of_all(copy: Path) -> None:
    # The plugin of an installed checkout would import that checkout.
    options = ("-m", "pytest", "-v", "-p", "no:crs_eval", "-p", "no:cacheprovider", "-p", "no:xdist")
    output = _run(copy, *options, "-k", " or ".join(NAMES), *REGISTRIES)
    for name in NAMES:
        assert f"[{name}] PASSED" in output, f"no test is run on {name}"
