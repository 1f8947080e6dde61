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
        help="A judge, name:model; builtin by default. May be repeated.",
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
        help="Limit of the run's cost: a higher estimate is asked about first, and the run stops at the limit.",
        rich_help_panel=options.RUNNING,
        min=0,
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes", "-y", help="Start even if the estimate is above --budget.", rich_help_panel=options.RUNNING
    ),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Start over, even if --out holds results.", rich_help_panel=options.RUNNING),
]
Humans = Annotated[
    list[str] | None,
    typer.Option(help="Conversations of real users: what the simulated ones are compared with in the audit."),
]


def numbers(option: str, told: str, least: int, most: int) -> list[int]:
    """Whole numbers separated by commas, each once. Raises CommandError for anything else."""
    from ..exits import CommandError

    parts = [part.strip() for part in told.split(",")]
    if not all(part.isdecimal() and len(part) < 9 and least <= int(part) <= most for part in parts):
        raise CommandError(
            f"{option} {told}: whole numbers from {least} to {most} separated by commas, as in 3,4."
        )
    return list(dict.fromkeys(map(int, parts)))
