"""`crs-eval exam`."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from .. import options
from ..file_formats import by_suffix
from ..inputs import placed_objects
from ..judge_commands import console, split
from ..options import ASKING, LoadOptions, spread
from ..records import write_atomically

if TYPE_CHECKING:
    from .results import ExamResults
    from .taking import Examiner


@spread
def exam(
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
        list[str] | None,
        typer.Option(help="Your own rated conversations. May be repeated.", metavar="FILE"),
    ] = None,
    sample: Annotated[int | None, typer.Option(help="Pairs to draw, evenly over the faults.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.", min=0)] = 0,
    faults: Annotated[str | None, typer.Option(help="Faults to examine.", metavar="A,B")] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Estimate calls and tokens, and ask no judge.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A .json or .html file.")] = None,
    judging: options.JudgingOption = None,
    grouping: options.GroupingOption = None,
    cache: options.CacheOption = None,
    load: LoadOptions,
) -> None:
    """Say which judge to trust for what: how often it sees each fault of a reply."""
    from ..connection import connected
    from ..remote import Remote
    from .outputs import WRITERS
    from .tables import print_exam
    from .taking import Examiner, OwnExam

    write = by_suffix(out, WRITERS) if out else None
    own = OwnExam({"pairs": placed_objects(pairs or ()), "absolute": placed_objects(absolute or ())})
    body = {
        "judging": judging.value if judging else None,
        "grouping": grouping,
        "cache": cache,
        "sample": sample,
        "seed": seed if sample else None,
        "faults": split(faults),
    }
    judges = list(dict.fromkeys([judge, *(against or ())]))

    async def examined(address: str) -> "ExamResults | None":
        async with Remote(address, load.api_key) as remote:
            examiner = Examiner(remote, own, body, load.at_once, load.max_cost)
            return await _each(examiner, judges, only_estimate=estimate)

    named = [name for name in judges if name]
    with connected(load.url, load.api_key, judge=judge, judges=named) as connection:
        results = asyncio.run(examined(connection.url))
    if results is None:
        return
    print_exam(Console(width=None if sys.stdout.isatty() else 120) if out is None else console(), results)
    if out is not None and write is not None:
        write_atomically(out, write(results))
        console().print(f"The report is in {out}.", highlight=False, markup=False)


async def _each(
    examiner: "Examiner", judges: Sequence[str | None], *, only_estimate: bool
) -> "ExamResults | None":
    from ..progress import RunProgress
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
        with RunProgress(console(), label, len(found["ids"])) as progress:
            sitting = await examiner.take(judge, found["ids"], progress.advance)
        name = judge or " + ".join(sorted({one.judge for one in sitting.factors}))
        exams.append(TakenExam(name, found, reported(sitting)))
    return ExamResults(exams)


def _told(judge: str | None, found: dict[str, Any]) -> str:
    """Return an estimate as a line, with its cost where CRS_EVAL_PRICES names the judge's price."""
    from ...domain.completion import Usage
    from ..studies.estimate import known_prices

    name = judge or "the default judge"
    size = f"{name}: {found['pairs']} pairs, {found['conversations']} conversations"
    if not found["calls"]:
        return f"{size}, no calls of a language model."
    tokens = found["input_tokens"], found["output_tokens"]
    price = known_prices().of(judge) if judge else None
    cost = "" if price is None else f", cost about {price.of(Usage(*tokens)):.4g}"
    return f"{size}, at most {found['calls']:,} calls, {tokens[0]:,} input and {tokens[1]:,} output tokens{cost}."
