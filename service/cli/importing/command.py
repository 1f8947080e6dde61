"""`crs-eval import`: other formats to logs."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...importing.entries import json_fault
from ...importing.formats import AUTO, format_names
from ..exits import CommandError
from ..files import STDIN, read_text
from ..judge_commands import say

if TYPE_CHECKING:
    from ...importing.imported import Imported


def _format(name: str) -> str:
    known = (AUTO, *format_names())
    if name not in known:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(known)}.")
    return name


def import_logs(
    files: Annotated[
        list[str], typer.Argument(help="Files or folders; - is standard input.", show_default=False)
    ],
    *,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="The format; auto tells formats apart, by entry. docs/importing.md shows what is kept of each.",
            parser=_format,
            metavar=f"[{'|'.join((AUTO, *format_names()))}]",
        ),
    ] = AUTO,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="File of the logs, one a line; - is standard output.", show_default=False
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Option(
            help="File of the labels, separate from the logs; <out>.labels.jsonl by default, none with -o -."
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="Recommender that spoke, where the data does not say.")
    ] = None,
    domain: Annotated[str | None, typer.Option(help="movie, book, restaurant, ...")] = None,
    names: Annotated[
        Path | None,
        typer.Option(help="ievalm, concept: the table of items, entity2id.json or id2entity.json."),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            "--column",
            help="ours=theirs, as role=speaker,content=utterance, for any JSON or CSV; theirs may be a path (message.text).",
            show_default=False,
        ),
    ] = None,
    roles: Annotated[
        list[str] | None,
        typer.Option(help="Role of each name, as buyer=user,seller=assistant.", show_default=False),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            help="Of files that are not UTF-8, UTF-16 or Windows-1252: as shift_jis.", show_default=False
        ),
    ] = None,
    whole_files: Annotated[
        bool,
        typer.Option("--one-file-one-conversation", help="Join all that a file holds into one conversation."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if anything cannot be read.")
    ] = False,
) -> None:
    """Make logs of conversations in another format. Names entries that cannot be read, and counts fields that are left out."""
    from ...importing.entries import Fault
    from ...importing.imported import OptionError, Wanted
    from ...importing.reading import mapping
    from .account import account
    from .reading import imported

    faults: list[Fault] = []
    try:
        wanted = Wanted(
            system,
            domain,
            _names(names),
            mapping.fields(mapping.pairs(fields, "map")),
            mapping.roles(mapping.pairs(roles, "roles")),
            encoding,
            whole_files,
        )
        made, under_way = imported(files, faults, source, wanted)
    except OptionError as error:
        raise CommandError(f"--{error.option}: {error}") from None
    say(*under_way.told, *map(str, faults))
    if not made or (strict and faults):
        raise CommandError(f"{len(faults)} places could not be read; nothing was written.")
    labels_at = _write(made, out, labels)
    logs_at = "standard output" if str(out) == STDIN else str(out)
    say(*account(made, logs_at, labels_at, unreadable=len(faults), around=under_way.left))


def _write(made: "Sequence[Imported]", out: Path, labels: Path | None) -> str | None:
    """Write the logs, and the labels apart from them. Returns where the labels are; None where they are nowhere."""
    from ..records import write_atomically

    text = "".join(_line(imported.log) for imported in made)
    to_stdout = str(out) == STDIN
    if to_stdout:
        sys.stdout.write(text)
    else:
        write_atomically(out, text)
    rows = "".join(_line(label) for imported in made for label in imported.labels)
    target = labels or (None if to_stdout else out.with_suffix(".labels.jsonl"))
    if not rows or target is None:
        return None
    write_atomically(target, rows)
    return str(target)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _names(path: Path | None) -> Mapping[str, str]:
    """Titles by number, whichever way round the table is."""
    if path is None:
        return {}
    try:
        table = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--names {path} is not JSON: {json_fault(error)}") from None
    if not isinstance(table, dict):
        raise CommandError(f"--names {path} is no JSON object.")
    if all(str(key).isdigit() for key in table):
        return {str(key): str(title) for key, title in table.items()}
    return {str(number): str(title) for title, number in table.items()}
