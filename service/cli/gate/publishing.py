"""Publish a judgement: a terminal, files, GitHub. All of it is told also where the gate had to stop."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console

from ..configuration import Regression
from ..file_formats import by_suffix
from ..options import AudienceOptions
from ..records import write_atomically
from .page import gate_page
from .results import GateJudgement
from .telling import annotations, as_json, comment, junit, summary

Writer = Callable[[GateJudgement, float], str]
_WRITERS: Mapping[str, Writer] = {
    ".json": lambda judgement, _: as_json(judgement),
    ".md": lambda judgement, _: summary(judgement),
    ".html": gate_page,
}


def check_reports(audience: AudienceOptions) -> None:
    """Raise CommandError, before anything is judged, for a report whose format is unknown."""
    for path in audience.report or ():
        by_suffix(path, _WRITERS)


def publish(
    judgement: GateJudgement,
    audience: AudienceOptions,
    console: Console,
    margin: float = Regression().margin,
) -> None:
    """Write every file and annotation that somebody wants."""
    for path in audience.report or ():
        _put(path, by_suffix(path, _WRITERS)(judgement, margin), console)
    if audience.junit is not None:
        _put(audience.junit, junit(judgement), console)
    if audience.comment is not None:
        _put(audience.comment, comment(judgement), console)
    if audience.step_summary is not None:
        with audience.step_summary.open("a", encoding="utf-8", errors="replace") as file:
            file.write(summary(judgement))
    if audience.annotate:
        for line in annotations(judgement):
            sys.stdout.write(f"{line}\n")


def _put(path: Path, text: str, console: Console) -> None:
    # A file's name may hold bytes that are not UTF-8.
    write_atomically(path, text.encode("utf-8", "replace").decode("utf-8"))
    console.print(f"Written: {path}", highlight=False, markup=False)
