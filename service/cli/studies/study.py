"""The plan of a study: its options, its users, its cost, its steps."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ...importing.entries import Entry
from .. import options
from ..exits import CommandError
from ..inputs import Json, Source, json_digest
from ..judges import judges_named

if TYPE_CHECKING:
    from .steps import StudyRun

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
            help="Judge, as provider:model. Default: builtin. May be repeated.", metavar="NAME"
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
class RepeatOptions:
    """Options of all studies of recommenders: existing conversations, seeds and samples."""

    logs: Annotated[
        list[str] | None,
        typer.Option(help="Existing conversations, instead of recommenders. May be repeated."),
    ] = None
    seeds: Annotated[
        int,
        typer.Option(
            help="Number of seeds for each user; in alignment, of replies to each context.", min=1, max=20
        ),
    ] = 1
    samples: options.Samples = None


@dataclass(frozen=True, kw_only=True)
class SessionOptions(RepeatOptions):
    """Options of studies whose users talk with recommenders."""

    user_model: Annotated[
        str | None,
        options.judge_option(
            help="Model that plays the users, as provider:model. Default: rule-based users (scripted), as a substitute.",
            metavar="NAME",
        ),
    ] = None
    temperature: options.Temperature = None
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


@dataclass(frozen=True)
class Component:
    """A part of the cost: so many calls of a model, all of one kind: a key of `conduct.TOKENS`."""

    name: str
    judge: str | None
    """None where rules speak in its place, which cost nothing."""
    calls: float
    kind: str


LATER = frozenset({"labels", "humans", "worse", "strategies", "preferences"})
"""Fields of plans that a later call may change: nothing is asked again."""


def _kept(value: Any) -> Any:
    if isinstance(value, Mapping):
        return json_digest(dict(value))
    if isinstance(value, str) or not isinstance(value, Sequence):
        return value
    plain = [
        one.log if isinstance(one, Source) else one.value if isinstance(one, Entry) else one for one in value
    ]
    return plain if all(isinstance(one, int | str) for one in plain) else json_digest(plain)


@dataclass(frozen=True, kw_only=True)
class StudyPlan(ABC):
    """The options of a study, and its steps. `systems` are the recommenders' names."""

    name: ClassVar[str]
    """The subcommand of `crs-eval study`."""
    papers: ClassVar[tuple[str, ...]]
    """The papers that it follows: keys of `papers.toml`."""
    systems: Sequence[str]
    judges: Sequence[str]
    user_model: str | None = None

    @property
    def asked(self) -> list[str]:
        """Return all who are asked, each once: members of panels and mixtures, and the model that plays the users."""
        return list(dict.fromkeys([*members(self.judges), *filter(None, [self.user_model])]))

    @property
    def configuration(self) -> dict[str, Any]:
        """Return the options that answers depend on, as the folder keeps them: users and logs by a digest."""
        return {one.name: _kept(getattr(self, one.name)) for one in fields(self) if one.name not in LATER}

    @property
    def given(self) -> Sequence[Source]:
        """Return the logs that the run sends: users', and conversations."""
        return ()

    @abstractmethod
    def check(self) -> None:
        """Raise CommandError for input that the study cannot use."""

    def components(self) -> list[Component]:
        """Return the models' calls, for the estimate."""
        return []

    @abstractmethod
    async def run(self, study: "StudyRun") -> None:
        """Run all steps, and add their results to the findings.

        Raises HaltedError if the run stops, CommandError if it cannot go on."""


@dataclass(frozen=True, kw_only=True)
class SessionPlan(StudyPlan):
    """A study of sessions: of users with the recommenders under so many `seeds`, or of `logs` in their place."""

    logs: Sequence[Source] = ()
    seeds: int = 1
    temperature: float | None = None
    samples: int | None = None
    judging: str | None = None
    humans: Sequence[Json] = ()
    """Conversations of real users, for the audit."""
    worse: Sequence[str] = ()
    """Recommenders with planted faults, for the audit."""

    @property
    def given(self) -> Sequence[Source]:
        return self.logs

    @property
    def scoring(self) -> dict[str, Any]:
        return {"samples": self.samples, "judging": self.judging}

    def check(self) -> None:
        if self.logs and (self.user_model or self.temperature is not None):
            raise CommandError(
                "--user-model and --temperature do not apply to --logs: their users have already spoken."
            )
        if not set(self.worse) <= set(self.systems) or (self.worse and set(self.worse) == set(self.systems)):
            raise CommandError(
                f"--worse {self.worse[0]}: name a recommender of --crs, and add one without faults to --crs."
            )
        for one in self.logs:
            if not any(said["role"] == "assistant" for said in one.log["messages"]):
                raise CommandError(f"{one.place}: no recommender replies in this conversation.")


@dataclass(frozen=True, kw_only=True)
class UsersPlan(SessionPlan):
    """A study of sessions whose users are given as logs without messages."""

    users: Sequence[Source]

    @property
    def given(self) -> Sequence[Source]:
        return (*self.users, *self.logs)

    @property
    def count(self) -> int:
        return len(self.logs) or len(self.users) * self.seeds * len(self.systems)

    @property
    def raters(self) -> list[str]:
        """Return the models that rate persuasiveness: the one that plays the users, and the judges."""
        return list(dict.fromkeys([*filter(None, [self.user_model]), *self.judges]))

    @abstractmethod
    def simulator(self, seed: int) -> Json:
        """Return the settings of the simulator that plays the users under a seed."""

    def played(self, seed: int, rounds: int, **model: Any) -> Json:
        """Return the settings of a `model` as user, or of rules without one, for so many rounds at most."""
        kind = {"judge": self.user_model, **model} if self.user_model else {"type": "scripted"}
        return {**kind, "seed": seed, "max_rounds": rounds}


def intervals_over(units: str) -> str:
    """Return the sentence of a methods paragraph on intervals and tests over users, or other units."""
    return (
        f"Intervals are 95 % percentile bootstraps over {units}; differences of systems were tested by permutation over "
        f"{units} and corrected by Holm's method."
    )
