"""`crs-eval compare`, `crs-eval gate` and `crs-eval gate calibrate`."""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import options
from ..judging import console, scoring_request
from ..options import AT_ONCE, RUNNING
from ..stopping import CommandError, Exit

TELLING = "Whom it tells"

Run = Annotated[
    str,
    typer.Argument(help="Results of crs-eval score, or logs (which are scored first).", show_default=False),
]
Baseline = Annotated[str | None, typer.Option(help="Results or logs of the system as it was.")]


class GateGroup(TyperGroup):
    """`gate RUN` is `gate check RUN`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["check", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=GateGroup,
    no_args_is_help=True,
    help="Decide whether a recommender passes: `gate RUN --baseline BASE`. See also `gate check --help`.",
)


def compare(
    baseline: Annotated[str, typer.Argument(help="Results (or logs) of one system.", show_default=False)],
    candidate: Annotated[str, typer.Argument(help="Results (or logs) of the other.", show_default=False)],
    *,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A .json, .md or .html file.")] = None,
    factors: options.Factors = None,
    judge: options.Judge = None,
    samples: options.Samples = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    config: options.Config = None,
) -> None:
    """Say how two systems differ on the same situations, factor by factor, with intervals."""
    from ..configuration import load_configuration
    from .judgement import judge as decide
    from .tables import print_differences

    configuration = load_configuration(config)
    given = {**locals(), "max_cost": None}
    runs = [_run(path, given, configuration, None) for path in (baseline, candidate)]
    gate = configuration.gate.model_copy(update={"rules": ()})
    judgement = decide(runs[1], runs[0], gate)
    print_differences(console(), judgement)
    if out is not None:
        _write(out, judgement, gate.regression.margin)
    if not any(result.difference for result in judgement.results):
        raise typer.Exit(Exit.INCONCLUSIVE)


@app.command("check")
def check(
    run: Run,
    *,
    baseline: Baseline = None,
    config: options.Config = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the scores of logs go (.jsonl), to go on from.")
    ] = None,
    report: Annotated[
        list[Path] | None, typer.Option(help="The judgement as .json, .md or .html.", rich_help_panel=TELLING)
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="JUnit XML.", rich_help_panel=TELLING)] = None,
    comment: Annotated[
        Path | None, typer.Option(help="Markdown for a comment, under 64 KB.", rich_help_panel=TELLING)
    ] = None,
    step_summary: Annotated[
        Path | None,
        typer.Option(
            help="A file to append the summary to.", envvar="GITHUB_STEP_SUMMARY", rich_help_panel=TELLING
        ),
    ] = None,
    annotate: Annotated[
        bool,
        typer.Option(
            help="At most ten annotations for GitHub.", envvar="GITHUB_ACTIONS", rich_help_panel=TELLING
        ),
    ] = False,
    factors: options.Factors = None,
    judge: options.Judge = None,
    samples: options.Samples = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
) -> None:
    """Pass, fail, inconclusive or error: by the rules in crs-eval.toml, and against a baseline."""
    from ..configuration import load_configuration
    from .judgement import EXITS
    from .judgement import judge as decide
    from .tables import print_judgement
    from .telling import annotations, summary
    from .telling import comment as as_comment

    given = locals()
    configuration = load_configuration(config)
    gate = configuration.gate
    if baseline is None and not gate.rules:
        raise CommandError(
            "There is nothing to decide by: give --baseline, or rules in crs-eval.toml (docs/gate.md)."
        )
    before = _run(baseline, given, configuration, _beside(out, "baseline")) if baseline else None
    judgement = decide(_run(run, given, configuration, out), before, gate)
    print_judgement(console(), judgement)
    for path in report or ():
        _write(path, judgement, gate.regression.margin)
    if junit is not None:
        from .junit import junit as as_junit

        _put(junit, as_junit(judgement))
    if comment is not None:
        _put(comment, as_comment(judgement))
    if step_summary is not None:
        with step_summary.open("a", encoding="utf-8") as file:
            file.write(summary(judgement))
    if annotate:
        for line in annotations(judgement):
            sys.stdout.write(f"{line}\n")
    raise typer.Exit(EXITS[judgement.state])


@app.command("calibrate")
def calibrate(
    run: Annotated[str, typer.Argument(help="Results of the system, or logs.", show_default=False)],
    again: Annotated[
        str | None,
        typer.Argument(
            help="A second run of the same, unchanged system. Without it the logs are scored twice, past the "
            "cache, which shows the judge's own noise alone.",
            show_default=False,
        ),
    ] = None,
    *,
    size: Annotated[int | None, typer.Option(help="Conversations in a run; all unless said.", min=2)] = None,
    resamplings: Annotated[int, typer.Option(min=20, max=10_000, rich_help_panel=RUNNING)] = 200,
    factors: options.Factors = None,
    judge: options.Judge = None,
    samples: options.Samples = None,
    catalog: options.Catalog = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
    config: options.Config = None,
) -> None:
    """Measure how often an unchanged system would fail, and the smallest drop that shows."""
    from ..configuration import load_configuration
    from ..scores import is_results
    from .calibrate import calibrate as measure
    from .tables import print_calibration

    if again is None and is_results(run):
        raise CommandError("One results file cannot show how much results vary: give a second run, or logs.")
    given = {**locals(), "cache": None}
    configuration = load_configuration(config)
    first = _run(run, given, configuration, None, past_cache=again is None)
    second = _run(again or run, given, configuration, None, past_cache=again is None)
    made = measure(first, second, configuration.gate, size=size, resamplings=resamplings)
    print_calibration(console(), made)


def _run(
    path: str, given: Mapping[str, Any], configuration: Any, out: Path | None, *, past_cache: bool = False
) -> Any:
    """The results at `path`; logs are scored first. Raises CommandError for a run without its end."""
    from ..scores import Run as Scores
    from ..scores import is_results, load_run
    from ..scoring import UNPROCESSABLE, run_request

    if is_results(path):
        return load_run(path)
    with tempfile.TemporaryDirectory() as folder:
        target = out or Path(folder) / "results.jsonl"
        options_given = {
            **given, "logs": [path], "out": target, "also": None, "fresh": False, "skip_unreadable": False,
            "max_cost": given.get("max_cost"),
        }  # fmt: skip
        extra = {"cache": "off"} if past_cache else {}
        request = scoring_request("/score", options_given, extra, configuration.score)
        outcome = run_request(request, console())
    if outcome.halt is not None:
        told = f"Not all of {path} was judged: {outcome.halt.value}. There is no verdict."
        raise CommandError(told, Exit.INCONCLUSIVE)
    refused = [r for r in outcome.records if r.failure and r.failure.get("status") in UNPROCESSABLE]
    if refused:
        first = refused[0]
        told = f"{len(refused)} of {len(outcome.records)} logs were refused"
        raise CommandError(f"{told}: {first.conversation}: {(first.failure or {})['detail']}")
    return Scores(path, outcome.records)


def _beside(out: Path | None, word: str) -> Path | None:
    return out.with_name(f"{out.stem}.{word}{out.suffix}") if out else None


def _write(path: Path, judgement: Any, margin: float) -> None:
    from .page import gate_page
    from .telling import as_json, summary

    writers = {
        ".json": lambda: as_json(judgement),
        ".md": lambda: summary(judgement),
        ".html": lambda: gate_page(judgement, margin),
    }
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise CommandError(f"{path}: the suffix says the format, and there are {', '.join(writers)}.")
    _put(path, writer())


def _put(path: Path, text: str) -> None:
    from ..records import write_atomically

    write_atomically(Path(os.fspath(path)), text)
    console().print(f"Written: {path}", highlight=False, markup=False)
