"""Bodies and answers of `/score` and `/score/{factor}`."""

from typing import Annotated

from pydantic import ConfigDict, Field

from ...domain.completion import CacheMode
from ...judges.inquiry import Grouping, Layout, ListSource
from . import examples
from .calibration import CalibrationChoice
from .log import Log
from .model import MANY, WHOLE, Incoming, Outgoing
from .rubric import MOST_RUBRICS, Rubrics
from .verdict import Calibrated, JudgeRef, Scale, Usage, Verdict

JudgeText = Annotated[
    str | None,
    Field(
        description="`builtin` or `name:model`, as the operator allows; the operator's default unless said.",
        examples=["builtin"],
    ),
]


class FactorScoreRequest(Incoming):
    """A log to be judged on one factor."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.FACTOR_REQUEST]})

    log: Log
    judge: JudgeText = None
    samples: Annotated[int, Field(ge=1, le=20), WHOLE] | None = Field(
        None, description="How many times to ask an LLM judge; 1 unless said."
    )
    cache: CacheMode | None = Field(
        None,
        description="`use` unless said; `refresh` asks anew and stores; `off` leaves the cache alone; `only` never asks.",
    )
    layout: Layout | None = Field(None, description="What an LLM's prompt puts first; `auto` unless said.")
    catalog: str | None = Field(
        None, description="Name of a catalogue that the operator provides.", examples=["films"]
    )
    list_cutoff: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = Field(
        None,
        description="Items of each reply's list that count; the operator's setting unless said.",
    )
    list_source: ListSource | None = Field(
        None, description="Where recommended items are read; `auto` unless said."
    )
    calibration: CalibrationChoice | None = Field(
        None,
        description="Maps to people's scale; refused for what they were not made for. A text is read as the `name`.",
    )


class ScoreRequest(FactorScoreRequest):
    """A log to be judged on several factors."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.SCORE_REQUEST]})

    factors: list[str] | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Slugs, or names of protocols; `core` unless said.",
        examples=[["core"]],
    )
    rubrics: Rubrics | None = Field(
        None,
        min_length=1,
        max_length=MOST_RUBRICS,
        description="Factors of your own for this request, judged by a model after those in `factors`, or alone without these.",
    )
    grouping: Grouping | None = Field(
        None, description="How many factors one call to an LLM answers; `separate` unless said."
    )
    verdicts: list[Verdict] | None = Field(
        None, max_length=MANY, description="Earlier verdicts on this log, for factors that build on others."
    )


class Summary(Outgoing):
    """The verdicts of one protocol in a few numbers."""

    protocol: str
    scale: Scale
    mean: float | None = Field(description="Over scored factors; null where there is none.")
    dimensions: dict[str, float | None] = Field(description="The mean of each dimension's scored factors.")
    assessed: int
    not_assessable: int
    failed: int
    total: float | None = Field(description="Sum of the scores; null where nothing was scored.")
    calibrated: Calibrated | None = Field(
        description="The mean on people's scale, where the calibration has a map of this summary."
    )


class Notice(Outgoing):
    """Something about the whole answer that a reader must not miss."""

    code: str
    detail: str


class ScoreAnswer(Outgoing):
    """Verdicts in the order asked, and what sums them up."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.SCORE_ANSWER]})

    verdicts: list[Verdict]
    summaries: list[Summary]
    judges: list[JudgeRef]
    comparison_key: str = Field(description="Answers compare only where their keys are equal.")
    usage: Usage
    warnings: list[Notice]
