"""`crs-eval import`: other formats to logs."""

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..files import STDIN, read_text
from ..judging import console
from ..stopping import CommandError, Exit

if TYPE_CHECKING:
    from .imported import Importer


class Format(StrEnum):
    """What is imported."""

    CHAT = "chat"
    REDIAL = "redial"
    CRSARENA = "crsarena"
    IEVALM = "ievalm"
    CONCEPT = "concept"
    INSPIRED = "inspired"
    CSV = "csv"


def import_logs(
    files: Annotated[
        list[str], typer.Argument(help="Files or folders; - is standard input.", show_default=False)
    ],
    *,
    source: Annotated[Format, typer.Option("--from", help="The format.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Where the logs go, a line each; - is standard output.", show_default=False
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Where labels go, apart from the logs; <out>.labels.jsonl unless said, nowhere beside -o -."
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="Which recommender spoke, where the data does not say.")
    ] = None,
    domain: Annotated[str | None, typer.Option(help="movie, book, restaurant, ...")] = None,
    names: Annotated[
        Path | None,
        typer.Option(help="ievalm, concept: the table of items, entity2id.json or id2entity.json."),
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="csv: ours=theirs, as role=speaker. May be repeated.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if anything cannot be read.")
    ] = False,
) -> None:
    """Make logs of conversations in another format. What cannot be read is named, what is left out is counted."""
    from pydantic import ValidationError

    from ...api.wire.log import Log
    from ..inputs import Fault, Json
    from ..records import write_atomically
    from .account import account
    from .imported import Imported, UnreadableError, Wanted

    wanted = Wanted(system, domain, _names(names), dict(pair.partition("=")[::2] for pair in column or ()))
    faults: list[Fault] = []
    made: dict[str, Imported] = {}
    try:
        for number, imported in enumerate(_importers()[source](files, wanted, faults), 1):
            try:
                Log.model_validate_json(json.dumps(imported.log))
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                faults.append(Fault(imported.place, f"{place}: {first['msg']}"))
                continue
            name = imported.log.get("id", f"line-{number}")
            if name in made:
                faults.append(Fault(imported.place, f"its id {name!r} is that of {made[name].place}"))
                continue
            made[name] = imported
    except UnreadableError as error:
        raise CommandError(str(error)) from None
    shown = console()
    for fault in faults:
        shown.print(str(fault), markup=False, highlight=False, soft_wrap=True)
    if not made or (strict and faults):
        raise CommandError(f"{len(faults)} places could not be read; nothing was written.")
    text = "".join(_line(imported.log) for imported in made.values())
    if to_stdout := str(out) == STDIN:
        sys.stdout.write(text)
    else:
        write_atomically(out, text)
    rows: list[Json] = [label for imported in made.values() for label in imported.labels]
    target = labels or (None if to_stdout else out.with_suffix(".labels.jsonl"))
    if rows and target:
        write_atomically(target, "".join(map(_line, rows)))
    logs_at = "standard output" if to_stdout else str(out)
    labels_at = str(target) if rows and target else None
    for line in account(list(made.values()), logs_at, labels_at, unreadable=len(faults)):
        shown.print(line, markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(Exit.PASS)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _names(path: Path | None) -> Mapping[str, str]:
    """Titles by number, whichever way round the table is."""
    if path is None:
        return {}
    try:
        table = json.loads(read_text(path))
    except ValueError as error:
        raise CommandError(f"--names {path} is not JSON: {error}") from None
    if not isinstance(table, dict):
        raise CommandError(f"--names {path} is no JSON object.")
    if all(str(key).isdigit() for key in table):
        return {str(key): str(title) for key, title in table.items()}
    return {str(number): str(title) for title, number in table.items()}


def _importers() -> "Mapping[Format, Importer]":
    from .chats import read_chats
    from .crsarena import read_crsarena
    from .redial import read_redial
    from .rows import read_csv, read_inspired
    from .simulations import read_concept, read_ievalm

    return {
        Format.CHAT: read_chats,
        Format.REDIAL: read_redial,
        Format.CRSARENA: read_crsarena,
        Format.IEVALM: read_ievalm,
        Format.CONCEPT: read_concept,
        Format.INSPIRED: read_inspired,
        Format.CSV: read_csv,
    }
