"""`crs-eval compare` and `crs-eval gate`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import CommandError, Exit, command_error
from ..file_formats import by_suffix
from ..files import check_outputs
from ..judge_commands import console, output
from ..options import AudienceOptions, GateOptions, spread
from ..records import write_atomically

if TYPE_CHECKING:
    from .results import GateJudgement


@spread
def compare(
    first: Annotated[str, typer.Argument(help="Results (or logs) of one system.", show_default=False)],
    second: Annotated[
        str | None,
        typer.Argument(
            help="Results (or logs) of the other. Default: the first file has both.", show_default=False
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File for the report: .json or .md.")
    ] = None,
    asked: GateOptions,
) -> None:
    """Compare two systems on the same situations, factor by factor, with intervals and p-values."""
    from ..configuration import Regression
    from .runs import prepared, systems_of
    from .two_systems import WRITERS, compare_systems

    check_outputs([out], [first, second])
    write = by_suffix(out, WRITERS) if out else None
    run, other = (first, None) if second is None else (second, first)
    with prepared(run, other, asked) as work:
        left, right = work.runs()
        if left is None:
            left, right = systems_of(right, asked.pair_by)
        compared = compare_systems(left, right, work.gate.model_copy(update={"regression": Regression()}))
    try:
        compared.print(output())
    finally:  # also where nobody reads what is printed
        if out and write:
            write_atomically(out, write(compared))
            console().print(f"Written: {out}", markup=False)
    if not compared.factors.differences:
        raise typer.Exit(Exit.INCONCLUSIVE)


@spread
def gate(
    run: Annotated[
        str,
        typer.Argument(help="Results of crs-eval score, or logs to score first.", show_default=False),
    ],
    *,
    baseline: Annotated[str | None, typer.Option(help="Results or logs of the old version.")] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(help="File from crs-eval calibrate, to test regressions on people's scale."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File for the scores (.jsonl). A later run continues from it."),
    ] = None,
    audience: AudienceOptions,
    asked: GateOptions,
) -> None:
    """Pass or fail a recommender by the rules in crs-eval.toml and against a baseline."""
    from .notifications import WRITERS, print_judgement, publish
    from .results import stopped

    shown = console()
    written = (out, audience.junit, audience.comment, audience.step_summary, *(audience.report or ()))
    check_outputs(written, [run, baseline])
    for path in audience.report or ():
        by_suffix(path, WRITERS)
    try:
        judgement = _decided(run, baseline, asked, calibration, out)
    except Exception as error:
        ended = command_error(error)
        publish(stopped(ended), audience, shown)
        raise ended from error
    try:
        print_judgement(output(), judgement)
    finally:  # also where nobody reads what is printed
        publish(judgement, audience, shown)
    raise typer.Exit(judgement.exit)


def _decided(
    run: str, baseline: str | None, asked: GateOptions, labels: Path | None, out: Path | None
) -> "GateJudgement":
    """The judgement. Where the runs do not compare, the rules still hold."""
    from ..calibration.calibration_file import load_calibration
    from .judgement import judge, judge_alone
    from .results import stopped
    from .rules import metric_results
    from .runs import prepared

    if labels is not None and baseline is None:
        raise CommandError("--calibration requires --baseline, because it applies to regressions.")
    calibration = load_calibration(labels) if labels else None
    with prepared(run, baseline, asked, out) as work:
        if baseline is None and not work.gate.rules:
            raise CommandError(
                "There is nothing to check. Pass --baseline, or write rules in crs-eval.toml (docs/gate.md)."
            )
        measured = metric_results(work)
        before, now = work.runs()
        try:
            decided = judge(now, before, work.gate, calibration, asked=work.asked)
        except CommandError as error:
            return stopped(error, [*judge_alone(now, work.gate), *measured], now)
        return replace(decided, results=[*decided.results, *measured])
