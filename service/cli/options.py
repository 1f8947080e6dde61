"""Options that several commands share, in dataclasses: `spread` makes each of their fields an option of a command."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from ..domain.modes import Judging, Variant
from ..scoring.mixture import Aggregate, Mixture

AT_ONCE = 8

read_option = partial(typer.Option, rich_help_panel="Input format", show_default=False)
judge_option = partial(typer.Option, rich_help_panel="Judging")
service_option = partial(typer.Option, rich_help_panel="Service")
run_option = partial(typer.Option, rich_help_panel="Run")
show_option = partial(typer.Option, rich_help_panel="Output")
audience_option = partial(typer.Option, rich_help_panel="Reports")


def one_of(names: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of an option that takes one of these names."""

    def read(name: str) -> str:
        if name not in names:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(names)}.")
        return name

    return {"parser": read, "metavar": f"[{'|'.join(names)}]"}


# Choices of the contract that are in no enumeration of `domain`: `judges.evaluation` takes a sixth of a second to import.
Cache = Literal["use", "refresh", "off", "only"]
Format = Literal["table", "json", "jsonl", "md"]
Grouping = Literal["separate", "dimension", "all"]
PairBy = Literal["id", "line", "user"]

Logs = Annotated[
    list[str], typer.Argument(help="Files, folders, or - for standard input.", show_default=False)
]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out", "-o",
        help="File for the results: .jsonl, .json, .csv, .md or .html. May be repeated. Run the same command again to continue a "
        "stopped run."
    )
]  # fmt: skip
Judge = Annotated[
    str | None,
    judge_option(help="builtin, or provider:model. Default: the service's default judge.", metavar="NAME"),
]
Samples = Annotated[
    int | None, judge_option(help="Number of times to ask a language model each question.", min=1, max=20)
]
Temperature = Annotated[
    float | None,
    typer.Option(
        min=0, max=2, help="Temperature of the model or the rules that play the user. Default: 0 for a model."
    ),
]
Panel = Annotated[
    list[str] | None,
    judge_option(
        help="Member of a panel, instead of --judge. Repeat it: a panel has at least two.", metavar="NAME"
    ),
]
MixtureOption = Annotated[
    Mixture | None,
    judge_option(help="For each factor, use the model that agreed best with people in the paper."),
]
VariantOption = Annotated[
    Variant | None,
    judge_option(help="Version of the factors that a model gets: our own, or the papers'."),
]
JudgingOption = Annotated[
    Judging | None,
    judge_option(
        help="itemised: a model lists what it sees, and code finds the level. faults: a model lists the faults of all replies in one "
        "call, and code scores the factors of CoRE.",
    ),
]
GroupingOption = Annotated[
    Grouping | None,
    judge_option(help="Factors that share a call to a model: none, those of a dimension, or all."),
]
Catalog = Annotated[
    str | None,
    judge_option(help="Name of a catalogue; or a .jsonl file, without --url.", metavar="NAME|FILE"),
]
CacheOption = Annotated[
    Cache | None,
    judge_option(help="only: use cached answers and call no model, for example on forks without keys."),
]
AtOnce = Annotated[
    int, run_option(help="Number of conversations to judge at the same time.", min=1, max=1000)
]
SkipUnreadable = Annotated[
    bool, run_option("--skip-unreadable", help="Skip entries that are not logs, and report them.")
]
Config = Annotated[
    Path | None,
    run_option(
        help="File with defaults and rules. Default: crs-eval.toml in the current directory, if present."
    ),
]


@dataclass(frozen=True)
class JudgeOptions:
    """The factors to judge, and the judge."""

    factors: Annotated[str | None, judge_option(metavar="A,B")] = None
    rubric: Annotated[
        list[Path] | None,
        judge_option(
            help="Your own factor (TOML or JSON), judged by a model. May be repeated.", metavar="FILE"
        ),
    ] = None
    judge: Judge = None
    samples: Samples = None
    catalog: Catalog = None
    cache: CacheOption = None


@dataclass(frozen=True)
class ScoringOptions(JudgeOptions):
    """Options that determine how a conversation is scored."""

    examples: Annotated[
        Path | None,
        judge_option(
            help="File with rated conversations to show a language model, from crs-eval calibrate --examples.",
            metavar="FILE",
        ),
    ] = None
    panel: Panel = None
    aggregate: Annotated[
        Aggregate | None, judge_option(help="Statistic that combines the scores of a panel.")
    ] = None
    factor_judge: Annotated[
        list[str] | None,
        judge_option(
            help="Judge for one factor. May be repeated; several judges for a factor form a panel.",
            metavar="FACTOR=NAME",
        ),
    ] = None
    mixture: MixtureOption = None
    variant: VariantOption = None
    judging: JudgingOption = None
    grouping: GroupingOption = None
    expected: Annotated[
        bool | None,
        judge_option(help="Weight the levels by the model's probabilities.", show_default=False),
    ] = None
    anchors: Annotated[
        bool | None,
        judge_option(help="Show a model worked examples of the levels (core).", show_default=False),
    ] = None


@dataclass(frozen=True)
class ServiceOptions:
    """The service that is asked."""

    url: Annotated[
        str | None,
        service_option(
            help="URL of a running service. Default: judge in this process.", envvar="CRS_EVAL_URL"
        ),
    ] = None
    api_key: Annotated[
        str | None, service_option(help="API key for the service.", envvar="CRS_EVAL_API_KEY")
    ] = None


@dataclass(frozen=True)
class LoadOptions(ServiceOptions):
    """A service, and the number and the cost of the requests that it gets."""

    at_once: AtOnce = AT_ONCE
    max_cost: Annotated[
        float | None, run_option(help="Start no more conversations after spending this much.", min=0)
    ] = None
    workers: Annotated[
        int | None, run_option(help="Additional processes that judge, without --url.", min=0, max=64)
    ] = None


@dataclass(frozen=True)
class ReadingOptions:
    """Information that files in other formats lack."""

    fields: Annotated[
        list[str] | None,
        read_option(
            "--map",
            help="Names of fields in your JSON or CSV, as ours=yours: role=speaker,content=utterance. Yours may be a path (message.text).",
        ),
    ] = None
    roles: Annotated[
        list[str] | None, read_option(help="Role of each speaker: buyer=user,seller=assistant.")
    ] = None
    domain: Annotated[
        str | None, read_option(help="Domain of the recommended items: movie, shopping, ...")
    ] = None
    system: Annotated[
        str | None, read_option(help="Name of the recommender, as in the columns of crs-eval table.")
    ] = None
    encoding: Annotated[
        str | None, read_option(help="Encoding, if not UTF-8, UTF-16 or Windows-1252, such as shift_jis.")
    ] = None
    whole_files: Annotated[
        bool,
        read_option("--one-file-one-conversation", help="Treat each file as one conversation."),
    ] = False


@dataclass(frozen=True)
class RunOptions(ReadingOptions, LoadOptions):
    """A run over conversations that can be taken up again."""

    skip_unreadable: SkipUnreadable = False
    fresh: Annotated[
        bool, run_option("--fresh", help="Judge everything again, even if --out already has results.")
    ] = False


@dataclass(frozen=True)
class GateOptions(LoadOptions, JudgeOptions):
    """Two runs that are compared: how they are paired, and how logs among them are scored."""

    pair_by: Annotated[
        PairBy,
        typer.Option(help="Pair conversations by the ids of their logs, their position, or `metadata.user`."),
    ] = "id"
    config: Config = None


@dataclass(frozen=True)
class AudienceOptions:
    """Destinations of a judgement."""

    report: Annotated[
        list[Path] | None, audience_option(help="Report file: .json, .md or .html. May be repeated.")
    ] = None
    junit: Annotated[Path | None, audience_option(help="JUnit XML file.")] = None
    comment: Annotated[Path | None, audience_option(help="Markdown file for a comment, under 64 KB.")] = None
    step_summary: Annotated[
        Path | None, audience_option(help="File to append the summary to.", envvar="GITHUB_STEP_SUMMARY")
    ] = None
    annotate: Annotated[
        bool, audience_option(help="Print at most ten annotations for GitHub.", envvar="GITHUB_ACTIONS")
    ] = False


@dataclass(frozen=True)
class ShowOptions:
    """The part of results that is shown, and how."""

    form: Annotated[
        Format | None,
        show_option(
            "--format",
            help="Format on standard output. Default: table on a terminal or with --fail-under; jsonl in a pipe without --out.",
        ),
    ] = None
    limit: Annotated[
        int | None, show_option(help="Show only this many conversations, the lowest scores first.", min=1)
    ] = None
    fail_under: Annotated[
        float | None, show_option(help="Exit with 1 if the mean overall score (0-4) is lower.", min=0, max=4)
    ] = None
    quiet: Annotated[bool, show_option("--quiet", "-q", help="Print neither progress nor tables.")] = False
    verbose: Annotated[
        bool, show_option("--verbose", "-v", help="Show the whole verdict of every conversation.")
    ] = False


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with one option for each field of the dataclasses that the function takes."""
    taken = inspect.signature(command).parameters
    groups: dict[str, Any] = {
        name: one.annotation for name, one in taken.items() if is_dataclass(one.annotation)
    }
    options: list[inspect.Parameter] = []
    for name, one in taken.items():
        own = inspect.signature(groups[name]).parameters.values() if name in groups else ()
        options += [option.replace(kind=option.KEYWORD_ONLY) for option in own] or [one]

    @wraps(command)
    def spread_command(*arguments: Any, **given: Any) -> None:
        for name, group in groups.items():
            own = {one.name: given.pop(one.name) for one in fields(group) if one.name in given}
            given[name] = group(**own)
        command(*arguments, **given)

    cast(Any, spread_command).__signature__ = inspect.Signature(options)
    return spread_command
