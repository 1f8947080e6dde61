"""The plan of a study: its options, its users, its cost, its steps."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from ...importing.entries import Entry
from ..exits import CommandError
from ..inputs import Json, Source, json_digest
from .options import members

if TYPE_CHECKING:
    from .steps import StudyRun


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

    @abstractmethod
    def components(self) -> list[Component]:
        """Return the models' calls, for the estimate."""

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
    """Of the simulated users."""
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
