"""Body and answer of `/evaluate`."""

from pydantic import Field

from .debate import DebateRequest, DebateResult, Round
from .metrics import MetricsAnswer
from .model import MANY, Outgoing
from .score import FaultCount, Notice, Summary
from .verdict import JudgeRef, Usage, Verdict


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
