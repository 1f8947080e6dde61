"""`crs-eval import`: other formats to logs."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...domain.plurals import counted
from ...importing.entries import Fault
from ...importing.formats import AUTO, format_names
from ..exits import CommandError
from ..file_formats import json_lines
from ..files import STDIN, check_outputs, read_json
from ..judge_commands import print_lines
from ..options import ReadingOptions, one_of, spread
from ..records import write_atomically

if TYPE_CHECKING:
    from ...importing.imported import Imported


@spread
def import_logs(
    files: Annotated[
        list[str], typer.Argument(help="Files or folders; - for standard input.", show_default=False)
    ],
    *,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="Format of the files. auto detects it for each entry. docs/importing.md shows what is kept of each format.",
            **one_of((AUTO, *format_names())),
        ),
    ] = AUTO,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="File for the logs, one per line; - for standard output.", show_default=False
        ),
    ],
    labels: Annotated[
        Path | None, typer.Option(help="File for the labels. Default: <out>.labels.jsonl; none with -o -.")
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(help="For ievalm and concept: the table of items, entity2id.json or id2entity.json."),
    ] = None,
    read: ReadingOptions,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if anything cannot be read.")
    ] = False,
) -> None:
    """Convert conversations in other formats to logs. Reports entries that cannot be read, and counts fields that are left out."""
    from .reading import imported, wanted

    check_outputs([out, labels or out.parent / f"{out.stem}.labels.jsonl"], files)
    faults: list[Fault] = []
    made, under_way = imported(files, faults, source, wanted(read, _names(names)))
    print_lines(*under_way.summary, *map(str, faults))
    if not made or (strict and faults):
        raise CommandError(f"{counted(len(faults), 'place')} could not be read. Nothing was written.")
    labels_at = _write(made, out, labels)
    logs_at = "standard output" if str(out) == STDIN else str(out)
    print_lines(*_account(made, logs_at, labels_at, unreadable=len(faults), around=under_way.left))


def _write(made: "Sequence[Imported]", out: Path, labels: Path | None) -> str | None:
    """Write the logs, and the labels apart from them. Returns where the labels are; None where they are nowhere."""
    text = json_lines(imported.log for imported in made)
    to_stdout = str(out) == STDIN
    if to_stdout:
        sys.stdout.write(text)
    else:
        write_atomically(out, text)
    rows = json_lines(label for imported in made for label in imported.labels)
    target = labels or (None if to_stdout else out.with_suffix(".labels.jsonl"))
    if not rows or target is None:
        return None
    write_atomically(target, rows)
    return str(target)


def _names(path: Path | None) -> Mapping[str, str]:
    """Titles by number, whichever way round the table is."""
    if path is None:
        return {}
    table = read_json(path)
    if not isinstance(table, dict):
        raise CommandError(f"--names {path} is not a JSON object.")
    if all(str(key).isdigit() for key in table):
        return {str(key): str(title) for key, title in table.items()}
    return {str(number): str(title) for title, number in table.items()}


def _account(
    made: "Sequence[Imported]",
    logs: str,
    labels: str | None,
    *,
    unreadable: int,
    around: Mapping[str, int],
) -> Iterator[str]:
    """Summarise an import. `logs` and `labels` are its outputs (None: not written), `around` counts content beside conversations."""
    from ...importing.imported import kept_of, named, total

    rows = [label for imported in made for label in imported.labels]
    written = f"{counted(len(made), 'log')} {'is' if len(made) == 1 else 'are'} in {logs}"
    written += f", {counted(len(rows), 'label')} in {labels}" if labels else ""
    yield f"{written}."
    kept = total(kept_of(imported, labels=labels is not None) for imported in made)
    yield f"Kept: {_listed(kept)}."
    left = total([around, *(imported.left for imported in made), *map(named, () if labels else rows)])
    yield f"Left out: {_listed(left) or 'nothing'}."
    if rows and not labels:
        yield "--labels FILE keeps the labels."
    if unreadable:
        yield f"Not readable: {counted(unreadable, 'place')}, listed above."


def _listed(counts: "Counter[str]") -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
