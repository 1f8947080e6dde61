"""A study as its module declares it, and what it comes to."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .sheets import Sheet


@dataclass(frozen=True, kw_only=True)
class Study:
    """A subcommand of `crs-eval study`. `papers` are keys of `papers.toml`, `command` takes the options."""

    name: str
    place: int
    says: str
    papers: tuple[str, ...]
    command: Callable[..., None]


@dataclass(frozen=True)
class LeftOut:
    """A part of the paper that a run could not have, and why."""

    part: str
    why: str


@dataclass
class Findings:
    """The results of a study: tables and figures (SVG by file name) in the order of the report, what was left out, and
    sentences of the methods paragraph."""

    sheets: list[Sheet] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    failures: int = 0
    """Requests without an answer, and verdicts that failed."""

    def leave_out(self, part: str, why: str) -> None:
        """Note a part that this run cannot have."""
        self.left_out.append(LeftOut(part, why))


@dataclass(frozen=True)
class Component:
    """A part of the cost: so many calls of a model, and tokens a call."""

    name: str
    judge: str
    calls: float
    input_tokens: float
    output_tokens: float
