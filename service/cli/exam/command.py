"""`crs-eval exam` and `crs-eval exam make`."""

from pathlib import Path
from typing import Annotated

import typer

from .. import options
from ..file_formats import by_suffix
from ..files import check_outputs
from ..inputs import placed_objects
from ..judge_commands import split
from ..options import LoadOptions, spread

app = typer.Typer(help="Measure how often a judge finds each fault, to choose between judges.")


@app.callback(invoke_without_command=True)
@spread
def exam(
    context: typer.Context,
    *,
    judge: options.Judge = None,
    against: Annotated[
        list[str] | None,
        options.judge_option(
            help="Another judge to examine on the same pairs. May be repeated.", metavar="NAME"
        ),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(help="Your own pairs, instead of the shipped exam. May be repeated.", metavar="FILE"),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(help="Number of pairs to draw, evenly over the faults.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the sample.", min=0)] = 0,
    faults: Annotated[
        str | None, typer.Option(help="Faults to examine, separated by commas.", metavar="A,B")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only estimate calls and tokens, without calling a judge.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File for the report: .json, .html, .csv or .xml (JUnit)."),
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
    from .results import WRITERS, write_report
    from .taking import examined

    check_names("fault", split(faults) or (), list(load_faults()))
    if out is not None:
        by_suffix(out, WRITERS)
    check_outputs([out], pairs or ())
    own = placed_objects(pairs or ())
    body = {
        "judging": judging.value if judging else None,
        "grouping": grouping,
        "cache": cache,
        "sample": sample,
        "seed": seed if sample else None,
        "faults": split(faults),
    }
    names = list(dict.fromkeys([judge, *(against or ())]))
    results = examined(names, body, own, load, only_estimate=estimate)
    if results is not None:
        write_report(results, out)


@app.command()
def make(
    log: Annotated[str, typer.Argument(help="File with one conversation.", show_default=False)],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to add the pair to.")],
) -> None:
    """Write a pair from a real conversation: choose a reply, name a fault, and type the faulty text."""
    from .making import make_pair

    make_pair(log, out)
