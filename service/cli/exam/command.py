"""`crs-eval exam` and `crs-eval exam make`."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import options
from ..connection import Connection, connected
from ..file_formats import by_suffix
from ..inputs import placed_objects
from ..judge_commands import console, split
from ..options import ASKING, LoadOptions, spread
from ..records import write_atomically

if TYPE_CHECKING:
    from .results import ExamResults
    from .taking import Examiner, OwnExam

app = typer.Typer(help="Say which judge to trust for what: how often it sees each fault of a reply.")


ReportFormat = Literal["table", "html", "junit", "csv", "json"]
SUFFIXES: Mapping[str, ReportFormat] = {
    ".html": "html",
    ".xml": "junit",
    ".csv": "csv",
    ".json": "json",
    ".txt": "table",
}


@app.callback(invoke_without_command=True)
@spread
def exam(
    context: typer.Context,
    *,
    judge: options.Judge = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="One more judge, on the same pairs. May be repeated.", rich_help_panel=ASKING, metavar="NAME"
        ),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(help="Your own pairs, in place of the shipped exam. May be repeated.", metavar="FILE"),
    ] = None,
    absolute: Annotated[
        list[str] | None, typer.Option(help="Your own rated conversations. May be repeated.", metavar="FILE")
    ] = None,
    sample: Annotated[int | None, typer.Option(help="Pairs to draw, evenly over the faults.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.", min=0)] = 0,
    faults: Annotated[str | None, typer.Option(help="Faults to examine.", metavar="A,B")] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Estimate calls and tokens, and ask no judge.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .json, .html, .csv, .xml (JUnit) or .txt file.")
    ] = None,
    format_: Annotated[
        ReportFormat | None,
        typer.Option("--format", help="Form of the report. Default: by --out, or a table."),
    ] = None,
    judging: options.JudgingOption = None,
    grouping: options.GroupingOption = None,
    cache: options.CacheOption = None,
    load: LoadOptions,
) -> None:
    """Have a judge take an exam: pairs of a good conversation and the same with one fault."""
    if context.invoked_subcommand:
        return
    from ...faults import load_faults
    from ..names import check_names
    from .taking import OwnExam

    check_names("fault", split(faults) or (), list(load_faults()))
    usual: ReportFormat = by_suffix(out, SUFFIXES) if out else "table"
    form = usual if format_ is None else format_
    own = OwnExam({"pairs": placed_objects(pairs or ()), "absolute": placed_objects(absolute or ())})
    body = {
        "judging": judging.value if judging else None,
        "grouping": grouping,
        "cache": cache,
        "sample": sample,
        "seed": seed if sample else None,
        "faults": split(faults),
    }
    names = list(dict.fromkeys([judge, *(against or ())]))
    results = _examined(names, body, own, load, only_estimate=estimate)
    if results is not None:
        _write(results, form, out)


@app.command()
def make(
    log: Annotated[str, typer.Argument(help="A file with one conversation.", show_default=False)],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file that the pair is added to.")],
) -> None:
    """Write a pair from a real conversation: choose a reply, name a fault, and type the faulty text."""
    from .making import make_pair

    make_pair(log, out)


def _examined(
    judges: Sequence[str | None],
    body: dict[str, Any],
    own: "OwnExam",
    load: LoadOptions,
    *,
    only_estimate: bool,
) -> "ExamResults | None":
    from .taking import Examiner

    async def run(connection: Connection) -> "ExamResults | None":
        async with connection.remote() as remote:
            examiner = Examiner(remote, own, body, load.at_once, load.max_cost)
            return await _each(examiner, judges, only_estimate=only_estimate)

    with connected(load.url, load.api_key, workers=load.workers) as connection:
        return asyncio.run(run(connection))


async def _each(
    examiner: "Examiner", judges: Sequence[str | None], *, only_estimate: bool
) -> "ExamResults | None":
    from ..run import run_progress
    from .results import ExamResults, TakenExam
    from .taking import reported

    estimates = [await examiner.estimate(judge) for judge in judges]
    if only_estimate:
        for judge, found in zip(judges, estimates, strict=True):
            typer.echo(_told(judge, found))
        return None
    exams = []
    for number, (judge, found) in enumerate(zip(judges, estimates, strict=True), 1):
        label = f"judge {number} of {len(judges)}" if len(judges) > 1 else "exam"
        with run_progress(console(), label, len(found["ids"])) as advance:
            sitting = await examiner.take(judge, found["ids"], advance)
        name = judge or " + ".join(sorted({one.judge for one in sitting.factors}))
        exams.append(TakenExam(name, found, reported(sitting)))
    return ExamResults(exams)


def _told(judge: str | None, found: dict[str, Any]) -> str:
    """Return an estimate as a line, with its cost where CRS_EVAL_PRICES names the judge's price."""
    from ...domain.completion import Usage
    from ..studies.conduct import known_prices

    name = judge or "the default judge"
    size = f"{name}: {found['pairs']} pairs, {found['conversations']} conversations"
    if not found["calls"]:
        return f"{size}, no calls of a language model."
    tokens = found["input_tokens"], found["output_tokens"]
    price = known_prices().of(judge) if judge else None
    cost = "" if price is None else f", cost about {price.of(Usage(*tokens)):.4g}"
    return f"{size}, at most {found['calls']:,} calls, {tokens[0]:,} input and {tokens[1]:,} output tokens{cost}."


def _write(results: "ExamResults", form: ReportFormat, out: Path | None) -> None:
    from .results import exam_csv, exam_json, exam_page, junit, print_exam, table_text

    writers = {
        "table": table_text,
        "html": exam_page,
        "junit": junit,
        "csv": exam_csv,
        "json": exam_json,
    }
    if out is not None:
        write_atomically(out, writers[form](results))
        print_exam(console(), results)
        console().print(f"The report is in {out}.", highlight=False, markup=False)
    elif form == "table":
        from rich.console import Console

        print_exam(Console(width=None if sys.stdout.isatty() else 120), results)
    else:
        sys.stdout.write(writers[form](results))
