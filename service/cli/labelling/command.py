"""`crs-eval label sample`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...domain.plurals import counted
from ..exits import CommandError
from ..inputs import objects
from ..judge_commands import print_lines, split
from ..options import judge_option
from ..records import Record, write_atomically

if TYPE_CHECKING:
    from .sheet import LabellingSheet

_MANY_QUESTIONS = 5
_REPEATED = 10
"""One conversation in so many comes twice."""
_LEAST_REPEATED = 3
_SMALL = 20

app = typer.Typer(no_args_is_help=True, help="Let people label some of the judged conversations.")


@app.callback()
def label() -> None:
    """Let people label some of the judged conversations."""


@app.command("sample")
def sample(
    results: Annotated[
        list[str], typer.Argument(help="Results of crs-eval score, debate or simulate.", show_default=False)
    ],
    *,
    size: Annotated[int, typer.Option("--size", "-n", help="Number of conversations.", min=2)] = 60,
    logs: Annotated[
        list[str] | None,
        typer.Option(help="The judged logs. May be repeated. Not needed for results of simulate."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="File for the sheet (.html); a .csv is written next to it.")
    ] = Path("labels.html"),
    by: Annotated[
        Literal["random", "system"],
        typer.Option(help="random, or system: the same number from each system, reweighted by calibrate."),
    ] = "random",
    factors: Annotated[
        str | None,
        judge_option(help="Factors or protocols to label. Default: those of the results.", metavar="A,B"),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            help="Number of conversations that appear twice, unannounced. Default: one in ten.", min=0
        ),
    ] = None,
    catalog: Annotated[
        Path | None, typer.Option(help="Catalogue (.jsonl), if the logs name items by its ids.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed: the same seed gives the same sample.")] = 0,
) -> None:
    """Draw conversations for people to label, without system and judge, as one offline HTML file and as CSV."""
    from ..names import chosen_factors
    from .judged import draw, judged_records, with_logs
    from .sheet import LabellingSheet, sheet_item

    if out.suffix.lower() != ".html":
        raise CommandError(f"{out}: the name of the sheet must end in .html.")
    records = judged_records(results)
    questions = chosen_factors(split(factors) or _judged_factors(records))
    slugs = [factor.slug for factor in questions]
    judged = with_logs(records, logs or ())
    scored = [one for one in judged if one.is_scored(slugs)]
    if len(scored) < 2:
        raise CommandError(
            "Fewer than two conversations have a score on these factors, so there is no sample to draw."
        )
    drawn = draw([one.record.system for one in scored], size, by, seed)
    usual = max(len(drawn) // _REPEATED, _LEAST_REPEATED if len(drawn) >= _SMALL else 0)
    again = usual if repeats is None else repeats
    if again > len(drawn) // 2:
        raise CommandError(f"--repeats {again} is more than half of the {len(drawn)} conversations.")
    items = objects([str(catalog)]) if catalog else []
    titles = {str(item["id"]): str(item["title"]) for item in items if item.get("id") and item.get("title")}
    shown = [sheet_item(scored[one.place], one, questions, titles) for one in drawn]
    sheet = LabellingSheet(questions, shown, again)
    files = {out: sheet.html(), out.with_suffix(".csv"): sheet.csv()}
    for path, text in files.items():
        if path.exists() and path.read_bytes() != text.encode():
            raise CommandError(
                f"{path} already exists and may contain labels. Choose another name with --out."
            )
    for path, text in files.items():
        write_atomically(path, text)
    _tell(sheet, len(scored), out, by)


def _judged_factors(records: Sequence["Record"]) -> list[str]:
    found = dict.fromkeys(verdict["factor"] for record in records for verdict in record.verdicts)
    if not found:
        raise CommandError(
            "The results contain no verdicts on factors. Name the factors to rate with --factors."
        )
    return list(found)


def _tell(sheet: "LabellingSheet", population: int, out: Path, by: str) -> None:
    count, questions = len(sheet.items), len(sheet.factors)
    print_lines(
        f"{counted(count, 'conversation', of=population)} in {out}, with {counted(questions, 'question')} about each; "
        f"asked twice: {sheet.repeats}. {out.with_suffix('.csv')} has the same conversations for spreadsheets."
    )
    print_lines(
        "Open it in a browser, label the conversations, and export the labels. Several people can do this. Then run "
        "crs-eval calibrate RESULTS --labels labels-NAME.jsonl -o calibration.json, with one --labels for each person."
    )
    if questions > _MANY_QUESTIONS:
        answers = questions * (count + sheet.repeats)
        print_lines(
            f"That makes {answers} answers per person. Use --factors to ask fewer questions.", style="yellow"
        )
    if by != "random" and count == population:
        print_lines("All conversations are drawn, so --by has no effect.", style="yellow")
