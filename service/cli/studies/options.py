"""Options that the studies share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import options
from ..exits import CommandError

BUILTIN = "builtin"

UserModel = Annotated[
    str | None,
    typer.Option(
        help="The model that plays the users, name:model. Without it they speak by rule (scripted): a stand-in.",
        rich_help_panel=options.ASKING,
        metavar="NAME",
    ),
]
Humans = Annotated[
    list[str] | None,
    typer.Option(help="Conversations of real users: what the simulated ones are compared with in the audit."),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(help="People's ratings of sessions of this run: {conversation, factor, rater, score}."),
]


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Options of every study. `crs` are `NAME=URL`, or names that the service knows."""

    out: Path
    crs: Sequence[str]
    judges: Sequence[str]
    catalog: str | None
    budget: float | None
    yes: bool
    fresh: bool
    at_once: int
    url: str | None
    key: str | None

    @property
    def systems(self) -> list[str]:
        """Return the names of the recommenders. Raises CommandError for two of one name."""
        names = [one.partition("=")[0].strip() for one in self.crs]
        for name in names:
            if not name or names.count(name) > 1:
                raise CommandError(
                    f"--crs {name}: recommenders need names of their own, as in mine=http://..."
                )
        return names

    @property
    def catalog_file(self) -> Path | None:
        """Return the catalogue's file; None for one that a service knows by name."""
        file = Path(self.catalog) if self.catalog else None
        return file if file and file.is_file() else None


def _study_options(
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="The run's folder. The same command again goes on where it stopped.",
            file_okay=False,
        ),
    ],
    crs: Annotated[
        list[str] | None,
        typer.Option(
            help="A recommender, NAME=URL, or a name that the service at --url knows. May be repeated.",
            rich_help_panel=options.ASKING,
            metavar="NAME=URL",
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            help="A judge, name:model; builtin by default. May be repeated.",
            rich_help_panel=options.ASKING,
            metavar="NAME",
        ),
    ] = None,
    catalog: options.Catalog = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Limit of the run's cost: a higher estimate is asked about first, and the run stops at the limit.",
            rich_help_panel=options.RUNNING,
            min=0,
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            "-y",
            help="Start even if the estimate is above --budget.",
            rich_help_panel=options.RUNNING,
        ),
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Start over, even if --out holds results.", rich_help_panel=options.RUNNING
        ),
    ] = False,
    at_once: options.AtOnce = options.AT_ONCE,
    url: options.Url = None,
    api_key: options.Key = None,
) -> StudyOptions:
    judges = list(dict.fromkeys(judge or [BUILTIN]))
    return StudyOptions(
        out=out,
        crs=crs or [],
        judges=judges,
        catalog=catalog,
        budget=budget,
        yes=yes,
        fresh=fresh,
        at_once=at_once,
        url=url,
        key=api_key,
    )


def with_study_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of every study; it gets their values as `run`."""
    shared = signature(_study_options).parameters
    own = [one for name, one in signature(command).parameters.items() if name != "run"]

    @wraps(command)
    def whole(**given: Any) -> None:
        run = _study_options(**{name: given.pop(name) for name in shared})
        command(run=run, **given)

    parameters = [*shared.values(), *own]
    whole.__annotations__ = {one.name: one.annotation for one in parameters}
    setattr(whole, "__signature__", Signature(parameters))  # noqa: B010 - functions have no such field to mypy
    return whole


def numbers(option: str, text: str, least: int, most: int) -> list[int]:
    """Whole numbers separated by commas, each once. Raises CommandError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 9 and least <= int(part) <= most for part in parts):
        raise CommandError(
            f"{option} {text}: whole numbers from {least} to {most} separated by commas, as in 3,4."
        )
    return list(dict.fromkeys(map(int, parts)))
