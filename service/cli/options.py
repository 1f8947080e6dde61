"""Options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..domain.rubric import Judging, Variant
from ..scoring.mixture import Aggregate, Mixture

ASKING = "What is asked"
SERVICE = "Who is asked"
RUNNING = "How it runs"
SHOWING = "What is shown"


class Cache(StrEnum):
    """Use of cached answers of language models."""

    USE = "use"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


class Layout(StrEnum):
    """The part that a model's prompt puts first. This enumeration and the next two are those of `judges.inquiry`, which
    takes a sixth of a second to import."""

    AUTO = "auto"
    LOG_FIRST = "log-first"
    FACTOR_FIRST = "factor-first"


class Grouping(StrEnum):
    """The factors that one call answers."""

    SEPARATE = "separate"
    DIMENSION = "dimension"
    ALL = "all"


class ListSource(StrEnum):
    """The source of recommended items."""

    AUTO = "auto"
    LISTS = "lists"
    TEXT = "text"


class Format(StrEnum):
    """The form of results on standard output."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    MD = "md"


class PairBy(StrEnum):
    """The rule that makes two conversations a pair."""

    ID = "id"
    LINE = "line"


Logs = Annotated[
    list[str],
    typer.Argument(
        help="Files (JSON Lines, JSON), folders of them, or - for standard input.", show_default=False
    ),
]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out", "-o",
        help="File of the results: .jsonl, .json, .csv, .md or .html. May be repeated. The same command again continues where it "
        "stopped.",
    ),
]  # fmt: skip
Factors = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=ASKING,
        metavar="A,B",
    ),
]
Rubric = Annotated[
    list[Path] | None,
    typer.Option(
        help="A factor of your own (TOML or JSON), judged by a model. May be repeated.",
        rich_help_panel=ASKING,
        metavar="FILE",
    ),
]
Examples = Annotated[
    Path | None,
    typer.Option(
        help="Conversations that people rated, for a language model to see: what crs-eval calibrate --examples writes.",
        rich_help_panel=ASKING,
        metavar="FILE",
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(
        help="builtin, or name:model; by default the service's choice.",
        rich_help_panel=ASKING,
        metavar="NAME",
    ),
]
Panel = Annotated[
    list[str] | None,
    typer.Option(
        help="A judge of a panel, instead of --judge; name at least two. The score is made of theirs.",
        rich_help_panel=ASKING,
        metavar="NAME",
    ),
]
AggregateOption = Annotated[
    Aggregate | None,
    typer.Option("--aggregate", help="Statistic that makes one score of a panel's.", rich_help_panel=ASKING),
]
FactorJudge = Annotated[
    list[str] | None,
    typer.Option(
        help="The judge of one factor. May be repeated; several judges of one factor are its panel.",
        rich_help_panel=ASKING,
        metavar="FACTOR=NAME",
    ),
]
MixtureOption = Annotated[
    Mixture | None,
    typer.Option(
        "--mixture",
        help="A preset: for each factor the model that agreed best with people in the paper.",
        rich_help_panel=ASKING,
    ),
]
Samples = Annotated[
    int | None,
    typer.Option(help="Number of times to ask a language model.", rich_help_panel=ASKING, min=1, max=20),
]
VariantOption = Annotated[
    Variant | None,
    typer.Option("--variant", help="Reading of the factors by a model.", rich_help_panel=ASKING),
]
JudgingOption = Annotated[
    Judging | None,
    typer.Option(
        "--judging",
        help="itemised: a model lists what it saw, and code finds the level. faults: a model lists the faults of all replies in one "
        "call, and code scores the factors of CoRE.",
        rich_help_panel=ASKING,
    ),
]
FactorJudging = Annotated[
    list[str] | None,
    typer.Option(
        help="A factor's own way of judging, as in groundness=itemised. May be repeated.",
        rich_help_panel=ASKING,
        metavar="FACTOR=WAY",
    ),
]
LayoutOption = Annotated[
    Layout | None,
    typer.Option("--layout", help="No effect: prompts have one order.", hidden=True),
]
GroupingOption = Annotated[
    Grouping | None,
    typer.Option("--grouping", help="Factors that one call to a model answers.", rich_help_panel=ASKING),
]
ListCutoff = Annotated[
    int | None,
    typer.Option(
        help="Items of each reply's list that count; the service's setting by default.",
        rich_help_panel=ASKING,
        min=1,
        max=1000,
    ),
]
ListSourceOption = Annotated[
    ListSource | None,
    typer.Option("--list-source", help="Place where recommended items are read.", rich_help_panel=ASKING),
]
Anchors = Annotated[
    bool | None,
    typer.Option(
        "--anchors/--no-anchors",
        help="Show a model our worked examples of levels (core).",
        rich_help_panel=ASKING,
        show_default=False,
    ),
]
Expected = Annotated[
    bool | None,
    typer.Option(
        "--expected/--no-expected",
        help="Weigh the levels by the probabilities that a model gives them.",
        rich_help_panel=ASKING,
        show_default=False,
    ),
]
Catalog = Annotated[
    str | None,
    typer.Option(
        help="A catalogue that the service has, by its name; or a .jsonl file, for a private service.",
        rich_help_panel=ASKING,
        metavar="NAME|FILE",
    ),
]
CacheOption = Annotated[
    Cache | None,
    typer.Option("--cache", help="only: ask no model, for forks without keys.", rich_help_panel=ASKING),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="Form of the results on standard output. Default: table on a terminal, jsonl in a pipe without --out.",
        rich_help_panel=SHOWING,
    ),
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        help="End with 1 if the mean overall score is lower, 0-4.", rich_help_panel=SHOWING, min=0, max=4
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        help="Show only this many conversations, lowest scores first.", rich_help_panel=SHOWING, min=1
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print neither progress nor tables.", rich_help_panel=SHOWING),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Show the whole verdict of every conversation.", rich_help_panel=SHOWING
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        help="A running service. Without it, a private one is started and stopped again.",
        envvar="CRS_EVAL_URL",
        rich_help_panel=SERVICE,
    ),
]
Key = Annotated[
    str | None,
    typer.Option("--api-key", help="The service's key.", envvar="CRS_EVAL_API_KEY", rich_help_panel=SERVICE),
]
AtOnce = Annotated[
    int,
    typer.Option(
        help="Number of conversations that are judged at the same time.",
        rich_help_panel=RUNNING,
        min=1,
        max=1000,
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        help="Start no more conversations once answers have cost this much; those in progress finish.",
        rich_help_panel=RUNNING,
        min=0,
    ),
]
SkipUnreadable = Annotated[
    bool,
    typer.Option(
        "--skip-unreadable",
        help="Leave out entries that are not logs, and report them.",
        rich_help_panel=RUNNING,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Judge everything again, even what --out already holds.", rich_help_panel=RUNNING
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Defaults and rules; crs-eval.toml here by default, if there is one.", rich_help_panel=RUNNING
    ),
]
AT_ONCE = 8
