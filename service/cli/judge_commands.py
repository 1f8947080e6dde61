"""`score`, `evaluate`, `debate` and `simulate`: one request for each conversation."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console

from . import options
from .inputs import Source
from .options import AT_ONCE


class SimulatorName(StrEnum):
    """The kinds of simulated users that talk."""

    SCRIPTED = "scripted"
    PERSONA = "persona"
    TARGET = "target"
    TARGET_FREE = "target-free"


def console() -> Console:
    """Where progress and remarks go: standard error, so that results can be piped."""
    return Console(stderr=True, width=None if sys.stderr.isatty() else 110)


def split(names: str | None) -> list[str] | None:
    """`a,b` as a list; None stays None."""
    return [name.strip() for name in names.split(",") if name.strip()] if names else None


def score(
    logs: options.Logs,
    *,
    out: options.Out = None,
    also: options.Also = None,
    factors: options.Factors = None,
    rubric: options.Rubric = None,
    judge: options.Judge = None,
    samples: options.Samples = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
    skip_unreadable: options.SkipUnreadable = False,
    fresh: options.Fresh = False,
    config: options.Config = None,
) -> None:
    """Judge conversations on factors, each score with its reasons."""
    _judge("/score", locals(), {})


def evaluate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    also: options.Also = None,
    debate: Annotated[bool, typer.Option(help="Let roles debate the verdicts.")] = True,
    factors: options.Factors = None,
    rubric: options.Rubric = None,
    judge: options.Judge = None,
    samples: options.Samples = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
    skip_unreadable: options.SkipUnreadable = False,
    fresh: options.Fresh = False,
    config: options.Config = None,
) -> None:
    """Judge, debate and measure conversations: all that can be said of each."""
    _judge("/evaluate", locals(), {"debate": debate})


def debate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    also: options.Also = None,
    max_rounds: Annotated[int | None, typer.Option(min=1, max=10, help="4 unless said.")] = None,
    factors: options.Factors = None,
    rubric: options.Rubric = None,
    judge: options.Judge = None,
    samples: options.Samples = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
    skip_unreadable: options.SkipUnreadable = False,
    fresh: options.Fresh = False,
    config: options.Config = None,
) -> None:
    """Let roles debate each conversation to one score, 0-100."""
    _judge("/debate", locals(), {"max_rounds": max_rounds})


def simulate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    also: options.Also = None,
    user: Annotated[SimulatorName, typer.Option(help="Who plays the user.")] = SimulatorName.SCRIPTED,
    crs: Annotated[
        str | None,
        typer.Option(
            help="Whom it talks to: a name that the service knows, or name=URL for a private service. "
            "Without it, each log gets the next message of its user."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same users.")] = 0,
    max_rounds: Annotated[int | None, typer.Option(min=1, max=50)] = None,
    factors: options.Factors = None,
    judge: Annotated[str | None, typer.Option(help="The model that plays the user, name:model.")] = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
    skip_unreadable: options.SkipUnreadable = False,
    fresh: options.Fresh = False,
) -> None:
    """Let simulated users talk to a recommender. Each log says who the user is; its messages may be empty."""
    from .conversations import Request, finish, run_request

    name, equals, _ = (crs or "").partition("=")
    simulator: dict[str, Any] = {"type": user.value, "judge": judge, "max_rounds": max_rounds}

    def prepare(source: Source) -> Mapping[str, Any]:
        own = int.from_bytes(source.conversation.encode()[-3:], "big")
        fields = {**simulator, "seed": (seed * 1_000_003 + own) % 2**31}
        return {"simulator": {key: value for key, value in fields.items() if value is not None}}

    body = {"crs": name or None, "score": split(factors) if crs else None, "cache": cache and cache.value}
    request = Request(
        path="/simulate",
        logs=logs,
        body=body,
        url=url,
        key=api_key,
        catalog=catalog,
        crs=crs if equals else None,
        out=out,
        also=also or (),
        at_once=at_once,
        max_cost=max_cost,
        fresh=fresh,
        skip_unreadable=skip_unreadable,
        prepare=prepare,
    )
    shown = console()
    raise typer.Exit(finish(run_request(request, shown), request, shown))


def _judge(path: str, given: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
    from .configuration import load_configuration
    from .conversations import finish, run_request
    from .scores import Run
    from .tables import print_overview

    request = scoring_request(path, given, extra, load_configuration(given["config"]).score)
    shown = console()
    outcome = run_request(request, shown)
    print_overview(shown, Run("this run", outcome.records))
    raise typer.Exit(finish(outcome, request, shown))


def scoring_request(path: str, given: Mapping[str, Any], extra: Mapping[str, Any], defaults: Any) -> Any:
    """The request that a command's options make, over what `crs-eval.toml` says."""
    from .conversations import Request
    from .rubrics import rubric_in

    said = defaults.model_dump(exclude_none=True)
    catalog = given["catalog"] or said.pop("catalog", None)
    cache = given["cache"]
    body = {
        **said,
        "factors": split(given["factors"]) or list(said.get("factors", ())) or None,
        "rubrics": [rubric_in(path) for path in given.get("rubric") or ()] or None,
        "judge": given["judge"] or said.get("judge"),
        "samples": given["samples"] or said.get("samples"),
        "cache": cache.value if cache else said.get("cache"),
        **extra,
    }
    body.pop("catalog", None)
    return Request(
        path=path,
        logs=given["logs"],
        body=body,
        url=given["url"],
        key=given["api_key"],
        catalog=catalog,
        out=given["out"],
        also=given["also"] or (),
        at_once=given["at_once"],
        max_cost=given["max_cost"],
        fresh=given["fresh"],
        skip_unreadable=given["skip_unreadable"],
    )


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)
    ] = 8000,
) -> None:
    """Serve over HTTP. Settings are environment variables that begin with CRS_EVAL_."""
    import os

    from ..main import serve as serve_here
    from .private_service import CLIENT_VARIABLES

    for name in CLIENT_VARIABLES:  # of the command line, and no settings
        os.environ.pop(name, None)
    raise typer.Exit(serve_here(host, port))
