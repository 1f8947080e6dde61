"""`score`, `evaluate`, `debate` and `simulate`: one request for each conversation."""

import os
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from . import options
from .exits import CommandError, need_extra
from .inputs import Source, present
from .options import RunOptions, ScoringOptions, ShowOptions, spread


def console(*, quiet: bool = False) -> Console:
    """Return where progress and remarks go: standard error, so that results can be piped."""
    return Console(stderr=True, width=None if sys.stderr.isatty() else 110, quiet=quiet, highlight=False)


def output() -> Console:
    """Return where answers go: standard output, wide enough for tables in a pipe."""
    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def print_lines(*lines: str, style: str | None = None, to: Console | None = None) -> None:
    """Print lines verbatim, without markup: remarks, or part of an answer for `output()`."""
    shown = to or console()
    for line in lines:
        shown.print(line, style=style, markup=False, soft_wrap=True)


def split(names: str | None) -> list[str] | None:
    """`a,b` as a list; None where it names nothing."""
    return [name.strip() for name in (names or "").split(",") if name.strip()] or None


@spread
def score(
    logs: options.Logs,
    *,
    out: options.Out = None,
    scoring: ScoringOptions,
    running: RunOptions,
    provider_batch: Annotated[
        bool,
        options.run_option(
            "--provider-batch", help="Call models through their provider's batch API, at half the price."
        ),
    ] = False,
    config: options.Config = None,
    wanted: ShowOptions,
) -> None:
    """Judge conversations: the score and worst fault of each, all faults, and the means of factors."""
    from .conversations import by_batch, finish, run_request, scoring_request
    from .outputs import show
    from .score_view import exit_under
    from .scores import Run

    if wanted.quiet and wanted.verbose:
        raise CommandError("--quiet and --verbose cannot be combined.")
    request = scoring_request("/score", logs, scoring, running, out=out, config=config)
    if provider_batch:
        request = by_batch(request)
    shown = console(quiet=wanted.quiet)
    outcome = run_request(request, shown)
    result = Run("this run", outcome.records)
    show(result, wanted, shown, written=out is not None)
    ended = finish(outcome, request, console(), piped=False)
    raise typer.Exit(exit_under(result, wanted.fail_under, ended, console()))


@spread
def evaluate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    debate: Annotated[bool, typer.Option(help="Let roles debate the verdicts.")] = True,
    scoring: ScoringOptions,
    running: RunOptions,
    config: options.Config = None,
) -> None:
    """Judge, debate and measure each conversation in one run."""
    from .conversations import judge, scoring_request

    judge(scoring_request("/evaluate", logs, scoring, running, out=out, config=config, debate=debate))


@spread
def debate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    max_rounds: Annotated[
        int | None, typer.Option(min=1, max=10, help="Maximum number of rounds. Default: 4.")
    ] = None,
    stop: Annotated[bool, typer.Option(help="Stop when all roles agree.")] = True,
    evidence: Annotated[
        Literal["faults"] | None,
        typer.Option(help="Show models the faults that the embedded judge finds.", show_default=False),
    ] = None,
    scoring: ScoringOptions,
    running: RunOptions,
    config: options.Config = None,
) -> None:
    """Let roles debate each conversation and agree on one score, 0-100."""
    from .conversations import judge, scoring_request

    extra = {"max_rounds": max_rounds, "to_the_end": not stop or None, "evidence": evidence}
    judge(scoring_request("/debate", logs, scoring, running, out=out, config=config, **extra))


@spread
def simulate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    user: Annotated[str, typer.Option()] = "scripted",
    crs: Annotated[
        str | None,
        typer.Option(
            help="Recommender to talk to: a name from the service's settings, or without --url name=URL. "
            "Default: only return each user's next message."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed: the same seed gives the same users.")] = 0,
    judge: Annotated[str | None, typer.Option(help="Model that plays the user, as provider:model.")] = None,
    temperature: options.Temperature = None,
    max_rounds: Annotated[int | None, typer.Option(min=1, max=50, help="Maximum number of rounds.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Setting of the simulated user, such as items_on_screen=10 or variant=published. May be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    factors: Annotated[str | None, options.judge_option(metavar="A,B")] = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    running: RunOptions,
) -> None:
    """Let simulated users talk to a recommender. Each log describes one user; its messages may be empty."""
    from ..simulators.kinds import kinds
    from .conversations import Request, finish, run_request
    from .names import check_names

    check_names("simulated user", [user], [kind.name for kind in kinds().values() if kind.build is not None])
    recommender, equals, _ = (crs or "").partition("=")
    if factors and not recommender:
        raise CommandError("--factors requires --crs, because it scores whole sessions.")
    simulator: dict[str, Any] = {
        "type": user,
        "judge": judge,
        "temperature": temperature,
        "max_rounds": max_rounds,
    }
    kind = kinds()[user]
    for one in settings or ():
        name, _, value = (part.strip() for part in one.partition("="))
        check_names(f"setting of {user}", [name], [*kind.settings, *(["variant"] if kind.variants else ())])
        if name == "variant":
            check_names(f"variant of {user}", [value], list(kind.variants))
        elif not value.isdecimal():
            raise CommandError(f"--set {one}: the value must be a whole number, such as {name}=5.")
        simulator[name] = value if name == "variant" else int(value)

    def prepare(source: Source) -> Mapping[str, Any]:
        own = int.from_bytes(source.conversation.encode()[-3:], "big")
        return {"simulator": present({**simulator, "seed": (seed * 1_000_003 + own) % 2**31})}

    body = {"crs": recommender or None, "score": split(factors), "cache": cache}
    request = Request("/simulate", logs, running, body, catalog, crs if equals else None, out or (), prepare)
    shown = console()
    raise typer.Exit(finish(run_request(request, shown), request, shown))


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 chooses a free one.", min=0, max=65535)
    ] = 8000,
) -> None:
    """Start the HTTP service. Its settings are environment variables that begin with CRS_EVAL_."""
    need_extra("service", "fastapi", "uvicorn")
    from ..main import serve as serve_here
    from ..settings import CLIENT_VARIABLES

    for name in CLIENT_VARIABLES:  # of the command line, and no settings
        os.environ.pop(name, None)
    raise typer.Exit(serve_here(host, port))
