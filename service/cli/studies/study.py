"""A study: its plan, and the results of a run."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ..inputs import Json
from .sheets import StudyTable

if TYPE_CHECKING:
    from .steps import StudyRun


@dataclass(frozen=True)
class Study:
    """A subcommand of `crs-eval study`, and the papers that it follows: keys of `papers.toml`."""

    name: str
    papers: tuple[str, ...]


@dataclass(frozen=True)
class Omission:
    """A part of the paper that a run could not have, and why."""

    part: str
    why: str


@dataclass
class Findings:
    """The results of a study: tables and figures (SVG by file name) in the order of the report, what was left out, and
    sentences of the methods paragraph."""

    sheets: list[StudyTable] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    left_out: list[Omission] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    failures: int = 0
    """Requests without an answer, and verdicts that failed."""

    def add(self, sheet: StudyTable, figure: str | None = None) -> None:
        """Add a table, and the figure of the same name."""
        self.sheets.append(sheet)
        if figure is not None:
            self.figures[sheet.name] = figure

    def leave_out(self, part: str, why: str) -> None:
        """Note a part that this run cannot have."""
        self.left_out.append(Omission(part, why))


@dataclass(frozen=True)
class Component:
    """A part of the cost: so many calls of a model, and tokens a call."""

    name: str
    judge: str
    calls: float
    input_tokens: float
    output_tokens: float


@dataclass(frozen=True, kw_only=True)
class StudyPlan(ABC):
    """The options of a study, and its steps. `systems` are the recommenders' names."""

    study: ClassVar[Study]
    systems: Sequence[str]
    judges: Sequence[str]
    user_model: str | None = None
    humans: Sequence[Json] = ()
    """Conversations of real users, for the audit."""

    @property
    def asked_judges(self) -> Sequence[str]:
        """Return the judges that the folder names: these, and other models that are asked."""
        return self.judges

    @property
    @abstractmethod
    def configuration(self) -> dict[str, Any]:
        """Return the options that are this study's own, as the folder keeps them."""

    @abstractmethod
    def check(self) -> None:
        """Raise CommandError for input that the study cannot use."""

    @abstractmethod
    def components(self) -> list[Component]:
        """Return the models' calls, for the estimate."""

    @abstractmethod
    async def run(self, asking: "StudyRun") -> Findings:
        """Take all steps. Raises HaltedError where the run stops, CommandError where it cannot go on."""


def check_recommenders(systems: Sequence[str]) -> None:
    """Raise CommandError without a recommender."""
    from ..exits import CommandError

    if not systems:
        raise CommandError("Name a recommender: --crs mine=http://localhost:9000/reply")


def intervals_over(units: str) -> str:
    """Return the sentence of a methods paragraph on intervals and tests over users, or other units."""
    return (
        f"Intervals are 95 % percentile bootstraps over {units}; differences of systems were tested by permutation over "
        f"{units} and corrected by Holm's method."
    )
