"""Publish a judgement: a terminal, files, GitHub. All of it is told also where the gate had to stop."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ..configuration import Regression
from ..file_formats import by_suffix
from ..records import write_atomically
from .junit import junit
from .page import gate_page
from .results import GateJudgement
from .telling import annotations, as_json, comment, summary

Writer = Callable[[GateJudgement, float], str]
_WRITERS: Mapping[str, Writer] = {
    ".json": lambda judgement, _: as_json(judgement),
    ".md": lambda judgement, _: summary(judgement),
    ".html": gate_page,
}


@dataclass(frozen=True)
class Audience:
    """Everyone who wants to be told."""

    reports: Sequence[Path] = ()
    junit: Path | None = None
    comment: Path | None = None
    step_summary: Path | None = None
    annotate: bool = False

    def __post_init__(self) -> None:
        for path in self.reports:
            by_suffix(path, _WRITERS)

    def tell(self, judgement: GateJudgement, console: Console, margin: float = Regression().margin) -> None:
        """Write every file and annotation."""
        for path in self.reports:
            _put(path, by_suffix(path, _WRITERS)(judgement, margin), console)
        if self.junit is not None:
            _put(self.junit, junit(judgement), console)
        if self.comment is not None:
            _put(self.comment, comment(judgement), console)
        if self.step_summary is not None:
            with self.step_summary.open("a", encoding="utf-8", errors="replace") as file:
                file.write(summary(judgement))
        if self.annotate:
            for line in annotations(judgement):
                sys.stdout.write(f"{line}\n")


def _put(path: Path, text: str, console: Console) -> None:
    # A file's name may hold bytes that are not UTF-8.
    write_atomically(path, text.encode("utf-8", "replace").decode("utf-8"))
    console.print(f"Written: {path}", highlight=False, markup=False)
