"""Golden files, and how they are renewed."""

import os
from pathlib import Path


def assert_text(file: Path, now: str, test: str) -> None:
    """Fail where a golden text is missing or another one, with the command that renews it. With `UPDATE_GOLDEN=1` it is
    written first."""
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(now, encoding="utf-8")
    assert file.exists(), f"there is no {file.name}: {command(test)}"
    assert now == file.read_text(encoding="utf-8"), f"{file.name} is another one: {command(test)}"


def command(test: str) -> str:
    """The command that renews the golden file of a test, given by its `__file__`."""
    return f"run UPDATE_GOLDEN=1 .venv/bin/python -m pytest tests/golden/{Path(test).name}"
