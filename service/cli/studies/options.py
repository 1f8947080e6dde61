"""Options that the studies share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .. import options
from ..exits import CommandError
from ..inputs import Json
from ..judges import judges_named

BUILTIN = "builtin"
TOGETHER = " + "
"""Between the members in the name of a panel."""
MIXTURE = "mixture:"

Labels = Annotated[
    list[str] | None,
    typer.Option(help="People's ratings of sessions of this run: {conversation, factor, rater, score}."),
]

Users = Annotated[
    list[str] | None,
    typer.Option(
        help="Users: logs with empty `messages`, and with `ground_truth` (core, ievalm) or `user` (concept, instead "
        "of its grid). `metadata.dataset` splits the tables."
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed of the simulator.", min=0)]


@dataclass(frozen=True, kw_only=True)
class StudyOptions(options.ServiceOptions):
    """Options of every study. `crs` are `NAME=URL`, or names that the service knows."""

    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Folder for the run. Run the same command again to continue a stopped run.",
            file_okay=False,
        ),
    ]
    crs: Annotated[
        list[str] | None,
        options.judge_option(
            help="Recommender: NAME=URL, NAME=python:MODULE:FUNCTION, or with --url a name from the service's settings. May be repeated.",
            metavar="NAME=URL",
        ),
    ] = None
    judge: Annotated[
        list[str] | None,
        options.judge_option(
            "--judge", help="Judge, as provider:model. Default: builtin. May be repeated.", metavar="NAME"
        ),
    ] = None
    panel: options.Panel = None
    mixture: options.MixtureOption = None
    catalog: options.Catalog = None
    budget: Annotated[
        float | None,
        options.run_option(
            help="Maximum cost of the run. If the estimate is higher, the command asks first.", min=0
        ),
    ] = None
    yes: Annotated[
        bool, options.run_option("--yes", "-y", help="Start even if the estimate is above --budget.")
    ] = False
    fresh: Annotated[bool, options.run_option("--fresh", help="Start over, even if --out has results.")] = (
        False
    )
    at_once: options.AtOnce = options.AT_ONCE

    @property
    def judges(self) -> Sequence[str]:
        """Return the judges, each once; a panel and a mixture are one judge each. Raises CommandError for a panel of one."""
        panel = TOGETHER.join(dict.fromkeys(self.panel or ()))
        if panel and TOGETHER not in panel:
            raise CommandError(f"--panel {panel}: name at least two judges.")
        mixture = f"{MIXTURE}{self.mixture}" if self.mixture else ""
        names = list(dict.fromkeys(filter(None, [*(self.judge or ()), panel, mixture]))) or [BUILTIN]
        check_names("--judge", names)
        return names

    @property
    def systems(self) -> list[str]:
        """Return the names of the recommenders. Raises CommandError for two names that files share."""
        names = [one.partition("=")[0].strip() for one in self.crs or ()]
        check_names("--crs", names)
        return names

    @property
    def catalog_file(self) -> Path | None:
        """Return the catalogue's file; None for one that a service knows by name."""
        file = Path(self.catalog) if self.catalog else None
        return file if file and file.is_file() else None


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """Options of studies whose users talk with recommenders."""

    logs: Annotated[
        list[str] | None,
        typer.Option(help="Existing conversations, instead of recommenders. May be repeated."),
    ] = None
    user_model: Annotated[
        str | None,
        options.judge_option(
            help="Model that plays the users, as provider:model. Default: rule-based users (scripted), as a substitute.",
            metavar="NAME",
        ),
    ] = None
    temperature: options.Temperature = None
    seeds: Annotated[int, typer.Option(help="Number of seeds for each user.", min=1, max=20)] = 1
    samples: options.Samples = None
    judging: options.JudgingOption = None
    humans: Annotated[
        list[str] | None,
        typer.Option(help="Conversations of real users, for comparison with the simulated ones."),
    ] = None
    worse: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of a recommender with planted faults: the audit shows whether simulated users react to them. May be repeated.",
            metavar="NAME",
        ),
    ] = None


def file_name(name: str) -> str:
    """A name as a file's stem."""
    return "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in name)


def check_names(option: str, names: Sequence[str]) -> None:
    """Raise CommandError for a name that is empty, and for names that files of the run would share."""
    files = [file_name(name) for name in names]
    for name, file in zip(names, files, strict=True):
        if not name or files.count(file) > 1:
            raise CommandError(
                f"{option} {name}: give each a name of its own. Files are named after them, so they need to differ in "
                "letters, digits, points or hyphens."
            )


def judge_fields(judge: str) -> Json:
    """Return the fields of a request that name a judge, a panel or a mixture. Factors outside the mixture go to its first model."""
    if TOGETHER in judge:
        return {"panel": judge.split(TOGETHER)}
    if not judge.startswith(MIXTURE):
        return {"judge": judge}
    mixture = {"mixture": judge.removeprefix(MIXTURE)}
    return {**mixture, "judge": judges_named(mixture)[0]}


def members(judges: Iterable[str]) -> list[str]:
    """Return all who are asked, each once: judges, and the members of panels and mixtures."""
    return list(dict.fromkeys(name for judge in judges for name in judges_named(judge_fields(judge))))


def numbers(option: str, text: str, least: int, most: int) -> list[int]:
    """Whole numbers separated by commas, each once. Raises CommandError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 9 and least <= int(part) <= most for part in parts):
        raise CommandError(
            f"{option} {text}: pass whole numbers from {least} to {most}, separated by commas, such as 3,4."
        )
    return list(dict.fromkeys(map(int, parts)))
