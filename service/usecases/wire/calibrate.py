"""Body and answer of `/calibrate`."""

from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ...calibration import report
from ...calibration.estimates.sample import Target
from ...calibration.rows import CalibratedDifference, CalibratedMean, LabelPlan
from ...domain.rubric import Scale
from ...statistics.ratings import NamedLabel as Label
from ...statistics.ratings import RaterKind
from .calibration import CalibrationMap
from .model import WHOLE, Incoming, Outgoing
from .score import Notice

MOST_RATINGS = 500_000

_JUDGED = (3, 4, 3, 2, 4, 3, 1, 4)
_LABELS = (2, 4, 3, 1)
EXAMPLE_REQUEST: dict[str, Any] = {
    "ratings": [
        {"conversation": f"s{number}", "factor": "coherence", "rater": rater, "kind": kind, "score": score}
        for rater, kind, scores in (("builtin", "judge", _JUDGED), ("anna", "human", _LABELS))
        for number, score in enumerate(scores, start=1)
    ],
    "target": "future",
}

Score = Annotated[float, Field(ge=-1e6, le=1e6)]
Probability = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=0, le=1_000_000), WHOLE]
RoundNumber = Annotated[int, Field(ge=1, le=100), WHOLE]


class CalibrationRating(Incoming):
    """One score, by a judge or by a person. The fields of a conversation may stand in any one of its ratings."""

    conversation: Label = Field(examples=["session-4711"])
    """One name under two systems is one situation put to both."""
    system: Label | None = Field(None, description="The recommender that talked.")
    factor: Label = Field(description="The factor that was rated; see `same`.", examples=["coherence"])
    rater: Label = Field(description="A judge's or a person's name; `people` is taken.", examples=["builtin"])
    kind: RaterKind
    score: Score
    repeat: Count | None = Field(None, description="Repeats by one rater are averaged.")
    round: RoundNumber | None = Field(None, description="The round of a debate; the last counts.")
    turn: Count | None = None
    """Index of the message that this is about; the whole conversation by default."""
    length: float | None = Field(None, ge=0, le=1e9, description="Accepted as in `/agreement`, and not read.")
    judge: Label | None = None
    """`name:model` as a verdict's `judge` says; the rater by default."""
    evaluator_revision: Label | None = Field(None, description="The verdict's.")
    comparison_key: Label | None = None
    """The answer's; a map of a summary or a debate's `overall` is made only with it."""
    domain: Label | None = Field(None, description="The log's.")
    probability: Probability | None = None
    """With which this conversation was drawn to be labelled; a simple random sample by default."""
    stratum: Label | None = Field(None, description="The part of all conversations that it was drawn from.")
    situation: Label | None = None
    """One situation put to several systems; the conversation's name by default."""
    cluster: Label | None = None
    """Conversations that depend on one another, such as one user's."""


COLUMNS = tuple(name for name in CalibrationRating.model_fields if name != "length")
"""Fields of a rating that are read, in the order of `RatingRow`."""

if TYPE_CHECKING:
    RatingRow = tuple[Any, ...]
else:
    # Each rating becomes its values before the next is read: as models, a hundred thousand take six times as much.
    RatingRow = Annotated[CalibrationRating, AfterValidator(attrgetter(*COLUMNS))]


class CalibrationColumns(Incoming):
    """Ratings as columns: arrays of one length. An array of a single entry holds for all ratings."""

    conversation: list[Label] = Field(min_length=1, max_length=MOST_RATINGS)
    factor: list[Label] = Field(min_length=1, max_length=MOST_RATINGS)
    rater: list[Label] = Field(min_length=1, max_length=MOST_RATINGS)
    kind: list[RaterKind] = Field(min_length=1, max_length=MOST_RATINGS)
    score: list[Score] = Field(min_length=1, max_length=MOST_RATINGS)
    system: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    repeat: list[Count | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    round: list[RoundNumber | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    turn: list[Count | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    judge: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    evaluator_revision: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    comparison_key: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    domain: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    probability: list[Probability | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    stratum: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    situation: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    cluster: list[Label | None] | None = Field(None, min_length=1, max_length=MOST_RATINGS)


class CalibrateRequest(Incoming):
    """Ratings of many conversations by a judge, and of some of them by people: as `ratings` or as `columns`."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_REQUEST]})

    ratings: list[RatingRow] | None = Field(None, min_length=1, max_length=MOST_RATINGS)
    columns: CalibrationColumns | None = None
    same: dict[str, Label] | None = Field(None, examples=[{"concept-overall": "dialogue_overall"}])
    """People's name for what a judge's factor rates, by factor; the same name by default."""
    scales: dict[str, Scale] | None = None
    """By the name of people's rating or of a factor. Those of this service's own factors are known; others
    reach from the lowest to the highest score given."""
    reference: Label | None = None
    """Source of the labels: `people` by default, or the name of a stronger judge."""
    target: Target | None = Field(None, description="`future` by default.")
    level: float | None = Field(None, ge=0.5, le=0.999, description="Of the intervals; 0.95 by default.")
    half_width: float | None = Field(None, gt=0, le=1e6)
    """The precision that `plan` is for, in points of people's scale; a twentieth of it by default."""

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.ratings is None) == (self.columns is None):
            raise ValueError("either `ratings` or `columns` holds the ratings")
        return self


class CalibrateAnswer(Outgoing):
    """People's means, what the judge adds to them, and maps to people's scale. Kept as a file in the operator's folder of
    calibrations, requests can name it as `calibration`."""

    means: list[CalibratedMean]
    differences: list[CalibratedDifference]
    maps: list[CalibrationMap]
    plan: list[LabelPlan]
    warnings: list[Notice]

    @classmethod
    def of(cls, value: report.Report, /, **others: Any) -> "CalibrateAnswer":
        """The report, row by row."""
        maps = [CalibrationMap.of(one) for one in value.maps]
        return super().of(value, **others, maps=maps, warnings=value.remarks)
