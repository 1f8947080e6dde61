"""Golden files: how they are renewed, and what they lack."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def golden(file: Path, now: dict[str, Any]) -> dict[str, Any]:
    """Return what a golden file holds. With `UPDATE_GOLDEN=1` it is written first."""
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(
            json.dumps(now, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
        )
    held: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return held


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


def assert_names(held: Iterable[str], asked: Iterable[str], test: str) -> None:
    """Fail where a golden file names other factors than there are, by their names."""
    held, asked = set(held), set(asked)
    assert asked <= held, f"the golden file lacks {', '.join(sorted(asked - held))}: {command(test)}"
    assert held <= asked, (
        f"the golden file names {', '.join(sorted(held - asked))}, which are gone: {command(test)}"
    )
