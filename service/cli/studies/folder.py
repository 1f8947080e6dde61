"""The folder of a run: everything that went in and came out, and the journals from which it goes on."""

import json
import platform
import shutil
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ... import __version__
from ..exits import CommandError
from ..inputs import Json
from ..records import write_atomically
from ..run import Journal

CONFIGURATION = "study.json"
VERSIONS = "versions.json"
CALLS, ANSWERS = "calls", "answers.jsonl"
INPUTS = "inputs"
_FOLDERS = (CALLS, INPUTS, "tables", "figures", "logs", "verdicts", "pairs")
_TEXTS = ("users.jsonl", "humans.jsonl", "methods.md", "references.bib", "report.html")
_FILES = (VERSIONS, "costs.json", *_TEXTS)


class Folder:
    """A run's folder. `begin` pins what it is a run of."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def begin(self, configuration: Mapping[str, Any], *, fresh: bool) -> bool:
        """Note the configuration; whether the run goes on from an earlier stop. `fresh` clears what an earlier run
        left. Raises CommandError for the folder of another study, or of another configuration."""
        wanted = json.loads(json.dumps({**configuration, "version": __version__}))
        place = self.root / CONFIGURATION
        if fresh:
            self._clear()
        if place.is_file():
            self._compare(wanted, _known(place))
            return True
        if self.root.is_dir() and any(self.root.iterdir()):
            raise CommandError(
                f"{self.root} is not empty, and no folder of a study. Name another one by --out."
            )
        self.write(CONFIGURATION, json_text(wanted))
        self.write(VERSIONS, json_text({"began": _now()}))
        return False

    def finish(self, made_with: Json) -> None:
        """Note the versions and what the run was made with, and when it began and ended."""
        began = _known(self.root / VERSIONS)["began"]
        writers = {package: version(package) for package in ("pandas", "matplotlib")}
        own = {"crs-eval": __version__, "python": platform.python_version(), **writers}
        self.write(VERSIONS, json_text({**own, **made_with, "began": began, "ended": _now()}))

    def journal(self, step: str) -> Journal:
        """The journal of a step, with what it holds."""
        journal = Journal(self.root / CALLS / f"{step}.jsonl")
        journal.out.parent.mkdir(parents=True, exist_ok=True)
        journal.load(fresh=False)
        return journal

    @property
    def answers(self) -> Path:
        """Return where the run keeps the answers of models and recommenders."""
        path = self.root / CALLS / ANSWERS
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, content: str) -> None:
        """Write a file of the folder, whole or not at all."""
        write_atomically(self.root / name, content)

    def write_lines(self, name: str, values: Iterable[Json]) -> None:
        """Write JSON values, one a line."""
        self.write(name, "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values))

    def _compare(self, wanted: Json, known: Json) -> None:
        for name in sorted({*wanted, *known}):
            if wanted.get(name) != known.get(name):
                raise CommandError(
                    f"{self.root} holds a run with another {name.replace('_', ' ')}: {_short(known.get(name))}, not "
                    f"{_short(wanted.get(name))}. Name another folder, or start over with --fresh."
                )

    def _clear(self) -> None:
        if not (self.root / CONFIGURATION).is_file():
            return
        for name in _FOLDERS:
            shutil.rmtree(self.root / name, ignore_errors=True)
        (self.root / CONFIGURATION).unlink()
        for file in _FILES:
            (self.root / file).unlink(missing_ok=True)


def _known(place: Path) -> Json:
    try:
        known: Json = json.loads(place.read_text(encoding="utf-8"))
    except ValueError:
        raise CommandError(f"{place} is no configuration of a study. Name another folder by --out.") from None
    return known


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def json_text(value: Any) -> str:
    """A JSON value as a file of the folder holds it."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
