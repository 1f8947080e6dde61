"""Bodies and answers of `/score` and `/score/{factor}`."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict, Field

from ...domain.completion import CacheMode, Usage
from ...domain.modes import Judging, Variant
from ...judges.evaluation import Grouping, ListSource
from ...scoring.mixture import Aggregate, Mixture
from ...scoring.summary import FaultCount, Summary
from . import examples
from .calibration import CalibrationChoice
from .log import Log
from .model import FEW, MANY, WHOLE, Incoming, Outgoing
from .rubric import MOST_RUBRICS, Rubrics
from .verdict import MOST_MEMBERS, JudgeRef, Verdict

MOST_EXAMPLES = 3 * FEW
JudgeText = Annotated[
    str | None,
    Field(
        description="`builtin` or `name:model`, as the operator allows; by default the operator's choice.",
        examples=["builtin"],
    ),
]
PanelText = Annotated[list[str], Field(min_length=2, max_length=MOST_MEMBERS)]


class Example(Incoming):
    """A conversation that people rated on a factor."""

    factor: str = Field(description="The slug of the factor.", examples=["coherence"])
    score: float = Field(description="People's mean, on the factor's scale.", examples=[1.5])
    log: Log


class Layout(StrEnum):
    """Orders of a prompt in earlier releases."""

    AUTO = "auto"
    FACTOR_FIRST = "factor-first"
    LOG_FIRST = "log-first"


class WayOfJudging(Incoming):
    """The judges, and the way in which a model is asked."""

    judge: JudgeText = None
    panel: PanelText | None = Field(None, examples=[["openai:gpt-4o-mini", "builtin"]])
    """Judges that are all asked, instead of `judge`: the verdict is made of theirs, and its `panel` has
    each one's. Every member is asked as often as `samples` says."""
    aggregate: Aggregate | None = None
    """Statistic that makes one score of a panel's: `mean` by default, or `median`."""
    samples: Annotated[int, Field(ge=1, le=20), WHOLE] | None = None
    """Number of times to ask an LLM judge; 1 by default."""
    variant: Variant | None = None
    """Reading of the factors by a model: `crs-eval` by default, or `published`, as the papers read them;
    see `deviations` of GET /factors. Their scores do not compare."""
    judging: Judging | None = None
    """Form of a model's answer. `rating`: it chooses the level. `itemised`: it lists what it saw, and code
    finds the level. `faults`: it lists the faults of all replies in one call, and code scores the
    factors of CoRE. Default: the operator's setting."""
    factor_judging: dict[str, Judging] | None = Field(None, examples=[{"groundness": "itemised"}])
    """Factor to way of judging, before `judging`."""
    expected: bool | None = None
    """True for the mean of the levels as the score, weighted by the probabilities that the model gave
    them; false by default. Refused for models that give no probabilities, and with `itemised` or
    `faults`."""
    anchors: bool | None = None
    """True to show a model our worked examples of levels beside the rubrics (CoRE's twelve factors); false
    by default."""
    layout: Layout | None = Field(None, deprecated=True)
    """No effect: prompts have one order, which providers can keep between calls."""
    list_cutoff: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    """Items of each reply's list that count; the operator's setting by default."""
    list_source: ListSource | None = None
    """The place where recommended items are read; `auto` by default."""
    examples: list[Example] | None = Field(None, min_length=1, max_length=MOST_EXAMPLES)
    """Conversations that people rated, shown to a language model beside the rubric of their factor; the
    log itself is never shown."""


class FactorScoreRequest(WayOfJudging):
    """A log to be judged on one factor."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.FACTOR_REQUEST]})

    log: Log
    cache: CacheMode | None = None
    """`use` by default; `refresh` asks again and stores; `off` leaves the cache alone; `only` never asks."""
    catalog: str | None = Field(None, examples=["films"])
    """Name of a catalogue that the operator provides."""
    calibration: CalibrationChoice | None = None
    """Maps to people's scale; refused for what they were not made for. A text is read as the `name`."""


class WayOfScoring(WayOfJudging):
    """The judges of several factors, and the way in which a model is asked."""

    factor_judges: dict[str, str] | None = Field(None, examples=[{"groundness": "builtin"}])
    """Factor to judge, before `mixture`, `panel` and `judge`."""
    factor_panels: dict[str, PanelText] | None = Field(
        None, examples=[{"groundness": ["openai:gpt-4o-mini", "builtin"]}]
    )
    """Factor to panel, before `mixture`, `panel` and `judge`."""
    mixture: Mixture | None = None
    """A preset of judges by factor. `core`: for each factor of CoRE the model that agreed best with people
    in the paper, where the operator has it. Other factors go to `panel` or `judge`."""
    rubrics: Rubrics | None = Field(None, min_length=1, max_length=MOST_RUBRICS)
    """Factors of your own for this request, judged by a model after those in `factors`, or alone without
    these."""
    grouping: Grouping | None = None
    """Factors that one call to an LLM answers. Default: `separate`, and `all` for `judging: faults`."""


class ScoreRequest(WayOfScoring, FactorScoreRequest):
    """A log to be judged on several factors."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.SCORE_REQUEST]})

    factors: list[str] | None = Field(None, min_length=1, max_length=200, examples=[["core"]])
    """Slugs, or names of protocols; `core` by default."""
    verdicts: list[Verdict] | None = Field(None, max_length=MANY)
    """Earlier verdicts on this log, for factors that build on others."""


class Notice(Outgoing):
    """Something about the whole answer that a reader must not miss."""

    code: str
    detail: str


class ScoreAnswer(Outgoing):
    """Verdicts in the order asked, and what sums them up."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.SCORE_ANSWER]})

    verdicts: list[Verdict]
    summaries: list[Summary]
    faults: list[FaultCount] = Field(description="The reported faults of the log, the most frequent first.")
    judges: list[JudgeRef]
    comparison_key: str = Field(description="Answers compare only where their keys are equal.")
    usage: Usage
    warnings: list[Notice]
