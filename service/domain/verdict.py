"""A judge's answer about one factor of one log: scored, not assessable, or failed. No sentinels. And how a count, a share or a
score becomes a level."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .completion import NO_USAGE, Usage
from .rounding import Figure, Whole


@dataclass(frozen=True, slots=True)
class JudgeName:
    """`name:model`, split at the first colon; `builtin` has no model."""

    name: str
    model: str | None = None

    @classmethod
    def parse(cls, text: str) -> "JudgeName":
        """Read `name` or `name:model`. Raises ValueError for an empty part."""
        name, colon, model = text.partition(":")
        if not name or (colon and not model):
            raise ValueError(f"a judge is named `builtin` or `name:model`, not {text!r}")
        return cls(name, model or None)

    def __str__(self) -> str:
        return f"{self.name}:{self.model}" if self.model else self.name


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in the log that a verdict rests on. `message` indexes `messages`; `effect` is the change to
    the score that this evidence made, in points of the factor's scale, where the judge can say it."""

    message: int | None
    quote: str | None
    effect: float | None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """A remark about a verdict that a reader must not miss; `code` from a published list."""

    code: str
    detail: str
    message: int | None = None


class Severity(StrEnum):
    """The weight of a fault: half of its cost, all of it, or 1.3 times."""

    MILD = "mild"
    PLAIN = "plain"
    GRAVE = "grave"


@dataclass(frozen=True, slots=True)
class DetectedFault:
    """A fault of the fault catalogue (`fault` is its slug) in one message. `message` indexes `messages`; of a missing reply it
    is the last user message that got none. `probability` is 0-1, and 1 where code can prove the fault (`certain`); `quotes`
    are the one or two spans of text that show it. `reported` says whether its detector is sure enough to report it; None
    leaves that to the probability."""

    fault: str
    message: int | None
    probability: float
    certain: bool = False
    severity: Severity | None = None
    quotes: tuple[str, ...] = ()
    reported: bool | None = None


UNSUPPORTED_LANGUAGE = "unsupported_language"
"""The code of verdicts that a judge cannot give because it does not read the log's language."""


@dataclass(frozen=True, slots=True)
class TurnScore:
    """The factor's score for one reply."""

    message: Whole
    """Index in `messages`."""
    score: Figure


@dataclass(frozen=True, slots=True)
class Samples:
    """Draws asked for and readable; `spread` is max - min over readable draws. Of a panel, a draw is a member."""

    requested: int = 1
    scores: tuple[float, ...] = ()

    @property
    def n(self) -> int:
        return len(self.scores)

    @property
    def spread(self) -> float | None:
        return max(self.scores) - min(self.scores) if self.scores else None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictBase:
    """Fields that all three kinds of verdict share: who judged what, by which revision, at which cost.
    `method` is how a model was asked: rating, itemised, expected or faults; None for the embedded judge. `panel` holds the
    verdicts of the members, in the order asked, where several judges answered. `faults` holds the reported faults that lower the
    factor, costliest first."""

    factor: str
    judge: JudgeName
    evaluator_revision: str
    flags: tuple[Flag, ...] = ()
    samples: Samples = field(default_factory=Samples)
    cached: bool = False
    prompt_hash: str | None = None
    usage: Usage = NO_USAGE
    method: str | None = None
    panel: "tuple[Verdict, ...]" = ()
    faults: tuple[DetectedFault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(VerdictBase):
    """A score on the factor's scale with its reasons. `level` is its nearest integer, halves
    down; `confidence` 0-1, None where the judge gives none. `counts` is what code counted, in a model's list or by
    itself; `scale_share` the probability that the levels had together, where the score was weighed by it."""

    score: float
    level: int
    rationale: str
    evidence: tuple[Evidence, ...] = ()
    turns: tuple[TurnScore, ...] | None = None
    confidence: float | None = None
    counts: Mapping[str, float] | None = None
    scale_share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAssessable(VerdictBase):
    """The factor's question does not arise, or its inputs are missing: no number is made up."""

    code: str
    detail: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(VerdictBase):
    """The judge gave no usable answer. Never read as a score."""

    code: str
    detail: str
    retry_after: float | None = None
    """Seconds after which it may be asked again, where that is known."""


Verdict = Scored | NotAssessable | Failed


def each_judge(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    """The verdicts of single judges: a panel's members, and those that no panel gave."""
    for verdict in verdicts:
        yield from verdict.panel or (verdict,)


def nearest_level(score: float) -> int:
    """The integer level nearest to a score, halves down: 2.5 is 2."""
    return int(-(-(score - 0.5) // 1))


@dataclass(frozen=True, slots=True)
class Step:
    """One rung of a ladder: the values that reach `level`. `inclusive` says whether the bound
    itself does."""

    bound: float
    inclusive: bool
    level: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rule that turns an exact count or share into a level: the first step that holds decides, `floor`
    where none does. `falling` ladders (errors) bound the value from above, rising ones from below."""

    steps: tuple[Step, ...]
    floor: int
    falling: bool = False

    def level(self, value: float) -> int:
        """The level of a count (0, 1, 2...) or a share (0-1). Never raises the level as a falling
        ladder's value grows, nor lowers it as a rising one's does.

        Raises ValueError for a negative or non-finite value."""
        if not 0 <= value < math.inf:
            raise ValueError(f"a ladder takes a finite value of at least 0, not {value}")
        for step in self.steps:
            beyond = value < step.bound if self.falling else value > step.bound
            if beyond or (step.inclusive and value == step.bound):
                return step.level
        return self.floor
