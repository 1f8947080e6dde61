"""Body and answer of `/compare`."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from ...comparison import preference as domain
from ...comparison.preference import Preferred, Shown
from ...domain.completion import CacheMode, Usage
from ...judges.evaluation import ListSource
from ...scoring.evidence import EvidenceKind
from . import examples
from .log import Log
from .model import WHOLE, Figure, Incoming, Outgoing
from .rubric import MOST_RUBRICS, Rubrics
from .score import JudgeText, Notice
from .verdict import JudgeRef


class CompareRequest(Incoming):
    """Two conversations to be compared."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.COMPARE_REQUEST]})

    first: Log
    second: Log
    factors: list[str] | None = Field(None, min_length=1, max_length=200, examples=[["core"]])
    """Slugs, or names of protocols; `core` by default."""
    rubrics: Rubrics | None = Field(None, min_length=1, max_length=MOST_RUBRICS)
    """Factors of your own for this request, compared by a model after those in `factors`, or alone without
    these."""
    judge: JudgeText = None
    swap: bool | None = None
    """True by default: a model is asked in both orders. False asks once, with `first` first, for half the
    calls."""
    cache: CacheMode | None = Field(None, description="As in `/score`.")
    evidence: EvidenceKind | None = None
    """`faults` shows a language model the faults that the embedded judge finds, with their quotes;
    nothing by default."""
    catalog: str | None = Field(None, examples=["films"])
    """Name of a catalogue that the operator provides."""
    list_cutoff: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    """Items of each reply's list that count; the operator's setting by default."""
    list_source: ListSource | None = None
    """The place where recommended items are read; `auto` by default."""


class NoPreference(Outgoing):
    """The reason why there is no preference."""

    code: str
    detail: str


class PreferenceOrder(Outgoing):
    """The answer of a model that read the two conversations in one order."""

    shown: Shown
    preferred: Preferred | None
    rationale: str | None
    reason: NoPreference | None
    cached: bool


class PairScores(Outgoing):
    """The scores of a judge that scores. A difference under `dead_zone` is a tie."""

    first: Figure
    second: Figure
    dead_zone: Figure


class PairPreference(Outgoing):
    """The preference on one factor, or overall."""

    factor: str = Field(description="The factor's slug, or `overall`.")
    preferred: Preferred | None = Field(description="Null where `reason` says why.")
    confidence: Figure | None = Field(
        description="The share of pairs at such a difference in which people preferred the same one; null where not measured."
    )
    rationale: str | None
    orders: list[PreferenceOrder] = Field(description="Empty for a judge that scores.")
    scores: PairScores | None = Field(description="Null for a language model.")
    reason: NoPreference | None
    judge: JudgeRef
    evaluator_revision: str
    usage: Usage

    @classmethod
    def of(cls, value: domain.Preference, /, **others: Any) -> "PairPreference":
        """The preference, with the scores that it follows from beside their dead zone."""
        scores = None
        if value.scores is not None and value.dead_zone is not None:
            scores = PairScores(first=value.scores[0], second=value.scores[1], dead_zone=value.dead_zone)
        return super().of(value, **others, scores=scores)


class CompareAnswer(Outgoing):
    """A preference on each factor, in the order asked, and one overall."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.COMPARE_ANSWER]})

    preferences: list[PairPreference]
    overall: PairPreference
    judges: list[JudgeRef]
    comparison_key: str = Field(description="Answers compare only where their keys are equal.")
    usage: Usage
    warnings: list[Notice]
