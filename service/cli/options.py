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
    Path | None,
    typer.Option(
        "--out", "-o",
        help="Where results go: .jsonl, .json, .csv, .md or .html. The same command again goes on where it stopped.",
    ),
]  # fmt: skip
Also = Annotated[
    list[Path] | None,
    typer.Option("--also", help="One more file of the same results, in another format. May be repeated."),
]
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
        help="builtin, or name:model; the service's default unless said.",
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
    typer.Option("--aggregate", help="How one score is made of a panel's.", rich_help_panel=ASKING),
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
    typer.Option(help="How often to ask a language model.", rich_help_panel=ASKING, min=1, max=20),
]
VariantOption = Annotated[
    Variant | None,
    typer.Option("--variant", help="How a model reads the factors.", rich_help_panel=ASKING),
]
JudgingOption = Annotated[
    Judging | None,
    typer.Option(
        "--judging",
        help="itemised: a model lists what it saw, and code finds the level.",
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
    typer.Option("--layout", help="What a model's prompt puts first.", rich_help_panel=ASKING),
]
GroupingOption = Annotated[
    Grouping | None,
    typer.Option("--grouping", help="How many factors one call to a model answers.", rich_help_panel=ASKING),
]
ListCutoff = Annotated[
    int | None,
    typer.Option(
        help="Items of each reply's list that count; the service's setting unless said.",
        rich_help_panel=ASKING,
        min=1,
        max=1000,
    ),
]
ListSourceOption = Annotated[
    ListSource | None,
    typer.Option("--list-source", help="Where recommended items are read.", rich_help_panel=ASKING),
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
    typer.Option(help="Conversations that are judged at once.", rich_help_panel=RUNNING, min=1, max=1000),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        help="Begin no more conversations once answers have cost this much (what is under way is finished).",
        rich_help_panel=RUNNING,
        min=0,
    ),
]
SkipUnreadable = Annotated[
    bool,
    typer.Option("--skip-unreadable", help="Leave out what is no log, and name it.", rich_help_panel=RUNNING),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Ask everything again, whatever --out already holds.", rich_help_panel=RUNNING
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Defaults and rules; crs-eval.toml here, if there is one, unless said.", rich_help_panel=RUNNING
    ),
]
AT_ONCE = 8
