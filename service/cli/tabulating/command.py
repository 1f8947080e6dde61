"""`crs-eval table`: results as a table for a paper."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..exits import CommandError
from ..file_formats import by_suffix
from ..files import check_outputs
from ..inputs import read_logs
from ..judge_commands import console, split
from ..records import write_atomically


def table(
    results: Annotated[
        list[str], typer.Argument(help="Results of crs-eval score, evaluate or debate: files or folders.")
    ],
    *,
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", "-o", help="File for the table: .md, .csv, .tex or .html. May be repeated."),
    ] = None,
    factors: Annotated[str | None, typer.Option(help="Rows, separated by commas, in this order.")] = None,
    systems: Annotated[str | None, typer.Option(help="Columns, separated by commas, in this order.")] = None,
    logs: Annotated[
        list[str] | None, typer.Option(help="The judged logs, whose `metadata.user` names the user of each.")
    ] = None,
) -> None:
    """Make a table of systems by factors: means with intervals, the best three, and p-values of the differences."""
    from ..names import check_names
    from . import formats, summary

    check_outputs(out or (), [*results, *(logs or ())])
    writers = [(path, by_suffix(path, formats.SHEET_WRITERS)) for path in out or ()]
    users = {one.conversation: one.user for one in read_logs(logs)[0] if one.user} if logs else {}
    runs = summary.load(results)
    numbers = [one for run in runs for one in summary.measured(run, users)]
    if not numbers:
        raise CommandError(f"No conversation in {', '.join(results)} has a score.")
    rows, columns = split(factors), split(systems)
    check_names("factor in the results", rows or (), list(dict.fromkeys(one.factor for one in numbers)))
    check_names("system in the results", columns or (), list(dict.fromkeys(one.system for one in numbers)))
    made = formats.system_sheets(summary.summarise("Systems by factor", numbers, columns, rows))
    keys = {key for run in runs for key in run.keys.values()}
    if len(keys) > 1:
        remark = f"These results have {len(keys)} different comparison keys: they were not all judged in the same way."
        console().print(remark, style="yellow", highlight=False)
    if not writers:
        sys.stdout.write(formats.SHEET_WRITERS[".md"](made))
    for path, write in writers:
        write_atomically(path, write(made))
        console().print(f"The table is in {path}.", highlight=False)
