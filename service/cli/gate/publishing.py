"""Publish a judgement: a terminal, files, GitHub. All of it is told also where the gate had to stop."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ..configuration import Regression
from ..exits import CommandError
from ..records import write_atomically
from .junit import junit
from .page import gate_page
from .results import Judgement
from .telling import annotations, as_json, comment, summary

Writer = Callable[[Judgement, float], str]
_WRITERS: Mapping[str, Writer] = {
    ".json": lambda judgement, _: as_json(judgement),
    ".md": lambda judgement, _: summary(judgement),
    ".html": gate_page,
}


def report_writer(path: Path) -> Writer:
    """Return what writes a report in the format that the suffix says. Raises CommandError for an unknown one."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise CommandError(f"{path}: the suffix says the format, and there are {', '.join(_WRITERS)}.")
    return writer


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
            report_writer(path)

    @classmethod
    def named_in(cls, arguments: Sequence[str]) -> "Audience":
        """Those whom a command line names that could not be parsed."""
        named: dict[str, list[Path]] = {}
        for place, argument in enumerate(arguments):
            option, equals, value = argument.partition("=")
            values = [value] if equals else arguments[place + 1 : place + 2]
            named.setdefault(option, []).extend(map(Path, values))
        last = {option: paths[-1] for option, paths in named.items() if paths}
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        return cls(
            reports=named.get("--report", ()),
            junit=last.get("--junit"),
            comment=last.get("--comment"),
            step_summary=last.get("--step-summary") or (Path(summary) if summary else None),
            annotate="--annotate" in named or os.environ.get("GITHUB_ACTIONS") == "true",
        )

    def tell(self, judgement: Judgement, console: Console, margin: float = Regression().margin) -> None:
        """Write every file and annotation."""
        for path in self.reports:
            _put(path, report_writer(path)(judgement, margin), console)
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
