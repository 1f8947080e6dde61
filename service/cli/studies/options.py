"""Options that the studies share."""

from pathlib import Path
from typing import Annotated

import typer

from .. import options

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        help="The run's folder. The same command again goes on where it stopped.",
        file_okay=False,
    ),
]
Crs = Annotated[
    list[str] | None,
    typer.Option(
        help="A recommender, NAME=URL, or a name that the service at --url knows. May be repeated.",
        rich_help_panel=options.ASKING,
        metavar="NAME=URL",
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        help="A judge, name:model; builtin unless said. May be repeated.",
        rich_help_panel=options.ASKING,
        metavar="NAME",
    ),
]
UserModel = Annotated[
    str | None,
    typer.Option(
        help="The model that plays the users, name:model. Without it they speak by rule (scripted): a stand-in.",
        rich_help_panel=options.ASKING,
        metavar="NAME",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        help="What the run may cost: asked about when the estimate is above it, and stopped at.",
        rich_help_panel=options.RUNNING,
        min=0,
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes", "-y", help="Begin though the estimate is above --budget.", rich_help_panel=options.RUNNING
    ),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Begin anew, whatever stands in --out.", rich_help_panel=options.RUNNING),
]
