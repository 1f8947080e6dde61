"""Every cell of every notebook runs, in order, against a started service; outputs are not kept in the files."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.pages.snippets import ROOT
from tests.patience import PATIENCE

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_runs(notebook: Path, environment: Mapping[str, str], service: str) -> None:
    cells = [
        cell
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells), "strip the outputs"
    done = subprocess.run(
        [sys.executable, "-"],
        input="\n\n".join("".join(cell["source"]) for cell in cells),
        cwd=notebook.parent,
        env={**environment, "CRS_EVAL_URL": service, "PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout
