"""Bodies and answers of `/debate` and `/evaluate`."""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field

from ...debates import statement as domain
from ...debates.roles import FEWEST, MOST, RoleRequest
from ...debates.rounds import Budget
from ...domain.calibration import Calibrated
from ...domain.completion import Usage
from ...scoring.evidence import EvidenceKind
from ...scoring.summary import FaultCount, Summary
from .metrics import MetricsAnswer
from .model import MANY, WHOLE, Figure, Outgoing
from .problem import Problem
from .score import Notice, ScoreRequest
from .verdict import JudgeRef, Verdict


class DebateRequest(ScoreRequest):
    """A log to be scored and debated, or to be debated on `verdicts` alone."""

    factors: list[str] | None = Field(None, min_length=1, max_length=200)
    """Factors to score first: slugs, or names of protocols; those of the roles by default."""
    verdicts: list[Verdict] | None = Field(None, min_length=1, max_length=MANY)
    """Verdicts to debate instead of asking for any, as `/score` answered them."""
    judges: dict[str, str] | None = Field(None, examples=[{"linguist": "builtin"}])
    """Role to judge; `judge`, else the operator's settings for roles that it leaves out."""
    roles: list[RoleRequest] | None = Field(None, min_length=FEWEST, max_length=MOST)
    """The service's own roles by default."""
    max_rounds: Annotated[int, Field(ge=1, le=10), WHOLE] | None = Field(None, description="4 by default.")
    to_the_end: bool | None = None
    """Holds all `max_rounds` even where all roles agree before; false by default."""
    evidence: EvidenceKind | None = None
    """`faults` shows a language model the faults that the embedded judge finds, with their quotes;
    nothing by default."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1), WHOLE] | None = None
    """Decides in which order the roles read one another's statements; 0 by default."""
    budget: Budget | None = None


class SpeechStatus(StrEnum):
    """The status of a role's answer."""

    SCORED = "scored"
    FAILED = "failed"


class SpeechReason(Outgoing):
    """The reason why a role has no score."""

    code: str = Field(description="From a published list that may grow.", examples=["refused"])
    detail: str


class Statement(Outgoing):
    """A role's words in a round. A role without a usable answer is `failed`, and asked again in the next
    round."""

    role: str = Field(examples=["common-user"])
    status: SpeechStatus
    score: int | None = Field(description="0 would never use this system, 100 would always choose it.")
    statement: str | None
    judge: JudgeRef
    reason: SpeechReason | None = Field(description="Set where the role has no score.")
    cached: bool
    usage: Usage

    @classmethod
    def of(cls, value: domain.Speech, /, **others: Any) -> "Statement":
        if isinstance(value, domain.Statement):
            return super().of(value, **others, status=SpeechStatus.SCORED, judge=value.spoke, reason=None)
        reason = {"code": value.code, "detail": value.detail}
        none = {"score": None, "statement": None, "cached": False}
        return super().of(value, **others, **none, status=SpeechStatus.FAILED, reason=reason)


class Round(Outgoing):
    """One round: all roles spoke at once, none having heard the others of the same round."""

    round: int = Field(description="1 is the first.")
    statements: list[Statement] = Field(description="In the order in which the next round reads them.")
    all_agree: bool = Field(description="Every role gave a score, and all are equal.")
    major_agree: bool = Field(description="At least three quarters of the roles gave the same score.")
    spread: int | None = Field(description="Highest score minus lowest; null where no role gave one.")

    @classmethod
    def of(cls, value: domain.Round, /, **others: Any) -> "Round":
        statements = [Statement.of(speech) for speech in value.speeches]
        return super().of(value, **others, round=value.number, statements=statements)


class DebateResult(Outgoing):
    """The course and the end of a debate."""

    overall: Figure = Field(description="Mean of the last round's scores, 0-100.")
    rounds: list[Round]
    converged: bool = Field(description="True where the last round agreed on one score.")
    roles_counted: int = Field(description="Number of scores that `overall` is the mean of.")
    factor_mean: Figure | None
    """Mean of the roles' verdicts as shares of their scales, times 100, to compare `overall` with."""
    calibrated: Calibrated | None
    """`overall` on people's scale, where the calibration has a map of it."""

    @classmethod
    def of(cls, value: domain.Debate, /, **others: Any) -> Self:
        return super().of(value, **others, rounds=[Round.of(one) for one in value.rounds])


class DebateAnswer(DebateResult):
    """A debate, the verdicts that it was about, and what it took."""

    verdicts: list[Verdict]
    judges: list[JudgeRef] = Field(description="All who scored or debated.")
    comparison_key: str = Field(description="Answers compare only where their keys are equal.")
    usage: Usage
    warnings: list[Notice]


class DebateProblem(Problem):
    """An error after which verdicts and rounds are at hand: those had before it."""

    # The example of a problem lacks the members below.
    model_config = ConfigDict(json_schema_extra={})

    verdicts: list[Verdict]
    rounds: list[Round]
    usage: Usage


class EvaluateRequest(DebateRequest):
    """A log to be scored, debated and measured."""

    debate: bool | None = Field(None, description="True to have roles debate the verdicts; true by default.")
    factors: list[str] | None = Field(None, min_length=1, max_length=200)
    """Factors to score: slugs, or names of protocols; `core` and the roles' factors by default."""
    verdicts: list[Verdict] | None = Field(None, min_length=1, max_length=MANY)
    """Verdicts to use instead of asking for any, as `/score` answered them."""


class DebateFailure(Outgoing):
    """The reason why a debate that was asked for has no result. The rest of the evaluation stands."""

    code: str = Field(examples=["upstream-failed"])
    detail: str
    rounds: list[Round] = Field(description="Those had before it failed.")


class EvaluateAnswer(Outgoing):
    """All that can be said of one log."""

    verdicts: list[Verdict]
    summaries: list[Summary]
    faults: list[FaultCount] = Field(description="The reported faults of the log, the most frequent first.")
    debate: DebateResult | None = Field(description="Null where none was asked for, or where it failed.")
    debate_failure: DebateFailure | None
    metrics: MetricsAnswer
    judges: list[JudgeRef] = Field(description="All who scored or debated.")
    comparison_key: str = Field(description="Answers compare only where their keys are equal.")
    usage: Usage
    warnings: list[Notice]
