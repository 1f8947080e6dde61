"""`score`, `evaluate`, `debate` and `simulate`: one request for each conversation."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from . import options
from .inputs import Source
from .options import AT_ONCE

if TYPE_CHECKING:
    from ..simulators.kind import Kind


def factor_names() -> str:
    """The help of `--factors`."""
    from .names import factors_here

    known = factors_here()
    protocols = ", ".join(
        f"{one} ({', '.join(factor.slug for factor in known.of(one))})" for one in known.protocols
    )
    return f"Factors or protocols, separated by commas; core by default. There are {protocols}."


def simulator_names() -> str:
    """The help of `--user`."""
    return f"Who plays the user. {'; '.join(f'{kind.name}: {kind.says}' for kind in _talkers())}."


def _talkers() -> "list[Kind]":
    from ..simulators.kinds import kinds

    return [kind for kind in kinds().values() if kind.build is not None]


def console(*, quiet: bool = False) -> Console:
    """Return where progress and remarks go: standard error, so that results can be piped."""
    return Console(stderr=True, width=None if sys.stderr.isatty() else 110, quiet=quiet)


def split(names: str | None) -> list[str] | None:
    """`a,b` as a list; None stays None."""
    return [name.strip() for name in names.split(",") if name.strip()] if names else None


def score(
    logs: options.Logs,
    *,
    out: options.Out = None,
    factors: options.Factors = None,
    rubric: options.Rubric = None,
    examples: options.Examples = None,
    judge: options.Judge = None,
    panel: options.Panel = None,
    aggregate: options.AggregateOption = None,
    factor_judge: options.FactorJudge = None,
    mixture: options.MixtureOption = None,
    samples: options.Samples = None,
    variant: options.VariantOption = None,
    judging: options.JudgingOption = None,
    factor_judging: options.FactorJudging = None,
    layout: options.LayoutOption = None,
    grouping: options.GroupingOption = None,
    list_cutoff: options.ListCutoff = None,
    list_source: options.ListSourceOption = None,
    expected: options.Expected = None,
    anchors: options.Anchors = None,
    catalog: options.Catalog = None,
    cache: options.CacheOption = None,
    url: options.Url = None,
    api_key: options.Key = None,
    at_once: options.AtOnce = AT_ONCE,
    max_cost: options.MaxCost = None,
    skip_unreadable: options.SkipUnreadable = False,
    fresh: options.Fresh = False,
    config: options.Config = None,
    form: options.FormatOption = None,
    limit: options.Limit = None,
    fail_under: options.FailUnder = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Judge conversations: each one's score and worst fault, the faults of all, and the means of factors."""
    from .configuration import load_configuration
    from .conversations import finish, run_request
    from .exits import CommandError
    from .score_view import Shown, exit_under, show
    from .scores import Run

    if quiet and verbose:
        raise CommandError("--quiet and --verbose contradict each other: leave one out.")
    request = scoring_request("/score", locals(), {}, load_configuration(config).score)
    shown = console(quiet=quiet)
    outcome = run_request(request, shown)
    run = Run("this run", outcome.records)
    show(run, Shown(form, limit, whole=verbose, written=out is not None), shown)
    ended = finish(outcome, request, console(), piped=False)
    raise typer.Exit(exit_under(run, fail_under, ended, console()))


def evaluate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    debate: Annotated[bool, typer.Option(help="Let roles debate the verdicts.")] = True,
    factors: options.Factors = None,
    rubric: options.Rubric = None,
    examples: options.Examples = None,
    judge: options.Judge = None,
    panel: options.Panel = None,
    aggregate: options.AggregateOption = None,
    factor_judge: options.FactorJudge = None,
    mixture: options.MixtureOption = None,
    samples: options.Samples = None,
    variant: options.VariantOption = None,
    judging: options.JudgingOption = None,
    factor_judging: options.FactorJudging = None,
    layout: options.LayoutOption = None,
    grouping: options.GroupingOption = None,
    list_cutoff: options.ListCutoff = None,
    list_source: options.ListSourceOption = None,
    expected: options.Expected = None,
    anchors: options.Anchors = None,
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
    max_rounds: Annotated[int | None, typer.Option(min=1, max=10, help="4 by default.")] = None,
    stop: Annotated[bool, typer.Option(help="Stop when all roles agree.")] = True,
    factors: options.Factors = None,
    rubric: options.Rubric = None,
    examples: options.Examples = None,
    judge: options.Judge = None,
    panel: options.Panel = None,
    aggregate: options.AggregateOption = None,
    factor_judge: options.FactorJudge = None,
    mixture: options.MixtureOption = None,
    samples: options.Samples = None,
    variant: options.VariantOption = None,
    judging: options.JudgingOption = None,
    factor_judging: options.FactorJudging = None,
    layout: options.LayoutOption = None,
    grouping: options.GroupingOption = None,
    list_cutoff: options.ListCutoff = None,
    list_source: options.ListSourceOption = None,
    expected: options.Expected = None,
    anchors: options.Anchors = None,
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
    _judge("/debate", locals(), {"max_rounds": max_rounds, "to_the_end": not stop or None})


def simulate(
    logs: options.Logs,
    *,
    out: options.Out = None,
    user: Annotated[str, typer.Option()] = "scripted",
    crs: Annotated[
        str | None,
        typer.Option(
            help="Recommender that it talks to: a name that the service knows, or name=URL for a private service. "
            "Without it, each log gets the next message of its user."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the draw: the same seed gives the same users.")
    ] = 0,
    temperature: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=2,
            help="Of the model, or of the rules, that play the user; a model's is 0 by default.",
        ),
    ] = None,
    max_rounds: Annotated[int | None, typer.Option(min=1, max=50)] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting of that user, as in items_on_screen=10 or variant=published. May be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    factors: options.Factors = None,
    judge: Annotated[str | None, typer.Option(help="The model that plays the user, name:model.")] = None,
    scored_by: Annotated[
        str | None,
        typer.Option(
            help="Judge of the sessions: builtin, or name:model; by default the service's choice.",
            rich_help_panel=options.ASKING,
            metavar="NAME",
        ),
    ] = None,
    rubric: options.Rubric = None,
    panel: options.Panel = None,
    aggregate: options.AggregateOption = None,
    factor_judge: options.FactorJudge = None,
    mixture: options.MixtureOption = None,
    samples: options.Samples = None,
    variant: options.VariantOption = None,
    judging: options.JudgingOption = None,
    factor_judging: options.FactorJudging = None,
    layout: options.LayoutOption = None,
    grouping: options.GroupingOption = None,
    list_cutoff: options.ListCutoff = None,
    list_source: options.ListSourceOption = None,
    expected: options.Expected = None,
    anchors: options.Anchors = None,
    examples: options.Examples = None,
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
    from .exits import CommandError
    from .names import check_names

    check_names("simulated user", [user], [kind.name for kind in _talkers()])
    name, equals, _ = (crs or "").partition("=")
    scoring = _way({**locals(), "judge": scored_by}, {})
    if scoring and not (name and factors):
        raise CommandError("Nothing is to be scored: --scored-by and the like need --crs and --factors.")
    given = _settings_of(user, settings or [])
    simulator: dict[str, Any] = {
        "type": user,
        "judge": judge,
        "temperature": temperature,
        "max_rounds": max_rounds,
        **given,
    }

    def prepare(source: Source) -> Mapping[str, Any]:
        own = int.from_bytes(source.conversation.encode()[-3:], "big")
        fields = {**simulator, "seed": (seed * 1_000_003 + own) % 2**31}
        return {"simulator": {key: value for key, value in fields.items() if value is not None}}

    body = {
        "crs": name or None,
        "score": split(factors) if crs else None,
        "scoring": scoring or None,
        "cache": cache and cache.value,
    }
    request = Request(
        path="/simulate",
        logs=logs,
        body=body,
        url=url,
        key=api_key,
        catalog=catalog,
        crs=crs if equals else None,
        outs=out or (),
        at_once=at_once,
        max_cost=max_cost,
        fresh=fresh,
        skip_unreadable=skip_unreadable,
        prepare=prepare,
    )
    shown = console()
    raise typer.Exit(finish(run_request(request, shown), request, shown))


def _settings_of(user: str, told: list[str]) -> dict[str, int | str]:
    """The settings of a kind of user. Raises CommandError for one that it does not have, and for what is no value of
    its."""
    from ..simulators.kinds import kinds
    from .exits import CommandError
    from .names import check_names

    kind = kinds()[user]
    found: dict[str, int | str] = {}
    for one in told:
        name, _, value = (part.strip() for part in one.partition("="))
        check_names(f"setting of {user}", [name], [*kind.settings, *(["variant"] if kind.variants else ())])
        if name == "variant":
            check_names(f"variant of {user}", [value], list(kind.variants))
            found[name] = value
        elif value.isdecimal():
            found[name] = int(value)
        else:
            raise CommandError(f"--set {one}: a setting is a whole number, as in {name}=5.")
    return found


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


_AS_SAID = ("samples", "variant", "judging", "layout", "grouping", "list_cutoff", "list_source")


def _way(given: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """The judges and the way of judging that options name, over what `crs-eval.toml` says. Holds nothing that neither says."""
    from .calibration.examples import examples_in
    from .judges import judges_in, judging_in
    from .rubrics import rubrics_in

    found = judges_in(given, said)
    own: dict[str, Any] = {
        "rubrics": rubrics_in(given.get("rubric")),
        "examples": examples_in(given["examples"]) if given.get("examples") else None,
        "factor_judging": judging_in(given.get("factor_judging") or ()) or found.get("factor_judging"),
        **{name: given.get(name) or found.get(name) for name in _AS_SAID},
        **{
            name: found.get(name) if given.get(name) is None else given[name]
            for name in ("anchors", "expected")
        },
    }
    return {name: value for name, value in {**found, **own}.items() if value is not None}


def scoring_request(path: str, given: Mapping[str, Any], extra: Mapping[str, Any], defaults: Any) -> Any:
    """The request that a command's options make, over what `crs-eval.toml` says."""
    from .conversations import Request

    said = defaults.model_dump(exclude_none=True)
    catalog = given["catalog"] or said.pop("catalog", None)
    cache = given["cache"]
    body = {
        **_way(given, said),
        "factors": split(given["factors"]) or list(said.get("factors", ())) or None,
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
        outs=given["out"] or (),
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
    from ..settings import CLIENT_VARIABLES

    for name in CLIENT_VARIABLES:  # of the command line, and no settings
        os.environ.pop(name, None)
    raise typer.Exit(serve_here(host, port))
