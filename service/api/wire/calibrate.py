"""Body and answer of `/calibrate`."""

from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ...calibration import report, rows
from ...calibration.estimates.sample import Target
from ...calibration.rows import Annotators
from ...domain.rubric import Scale
from . import calibration_examples as examples
from .agreement import RaterKind
from .calibration import CalibrationMap
from .model import WHOLE, Figure, Incoming, Outgoing
from .score import Notice

MOST_RATINGS = 500_000

Label = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
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

    model_config = ConfigDict(json_schema_extra={"examples": [examples.REQUEST]})

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


class Bounds(Outgoing):
    """An interval that covers the value in `level` of all samples."""

    low: Figure
    high: Figure
    level: Figure


class PlainMean(Outgoing):
    """The mean of the labels without the judge, with an interval by the same method."""

    mean: Figure
    interval: Bounds


class Bias(Outgoing):
    """The distance of a judge's mean above people's, in points of people's scale."""

    value: Figure
    interval: Bounds


class CalibratedMean(Outgoing):
    """A system's mean on people's scale. Without labels of the system all that rests on them is null."""

    system: str | None = Field(description="Null for all conversations together.")
    factor: str
    label: str
    judge: str
    scale: Scale = Field(description="People's.")
    mean: Figure | None = Field(description="Estimate of the score that people would give.")
    interval: Bounds | None
    standard_error: Figure | None
    degrees_of_freedom: Figure | None
    plain: PlainMean | None
    judge_mean: Figure = Field(description="The judge's over all conversations, moved to people's scale.")
    bias: Bias | None
    n: int = Field(description="Labelled conversations.")
    judged: int = Field(description="All conversations that the judge rated.")
    worth: Figure | None = Field(description="Number of plain labels that one calibrated label equals.")
    correlation: Figure | None = Field(description="Pearson's, of judge and people over the labels.")
    weight: Figure | None = Field(
        description="Factor by which the estimate uses the judge's score, 0-4. Above 1 where the judge uses less of the scale than people."
    )
    annotators: Annotators | None
    warnings: list[str] = Field(description="Codes of the warnings that concern this figure.")

    @classmethod
    def of(cls, value: rows.Mean, /, **others: Any) -> "CalibratedMean":
        """The row, with its estimate side by side with the labels' plain mean."""
        found = value.mean
        return super().of(
            value,
            **others,
            mean=found.figure.value if found else None,
            interval=found.figure.interval if found else None,
            standard_error=found.error if found else None,
            degrees_of_freedom=found.degrees if found else None,
            plain=_plain(found.plain) if found else None,
        )


class CalibratedDifference(Outgoing):
    """The difference of two systems on people's scale: the first minus the second."""

    factor: str
    label: str
    judge: str
    first: str
    second: str
    difference: Figure
    interval: Bounds
    standard_error: Figure
    degrees_of_freedom: Figure
    plain: PlainMean
    judge_difference: Figure
    paired: bool = Field(description="True where it is taken over situations that both systems had.")
    n: int = Field(description="Labelled situations where paired, else labelled conversations of both.")
    warnings: list[str]

    @classmethod
    def of(cls, value: rows.Difference, /, **others: Any) -> "CalibratedDifference":
        """The row, with its estimate side by side with the labels' plain difference."""
        found = value.difference
        return super().of(
            value,
            **others,
            difference=found.figure.value,
            interval=found.figure.interval,
            standard_error=found.error,
            degrees_of_freedom=found.degrees,
            plain=_plain(found.plain),
        )


class LabelPlan(Outgoing):
    """The numbers of labels that a precision takes, from the variances seen here. Null: more than a million, or out of reach."""

    system: str | None
    factor: str
    judge: str
    half_width: Figure = Field(description="The precision that was asked for.")
    half_width_now: Figure
    labels: int | None = Field(description="Labelled conversations in all, with this judge.")
    labels_without_judge: int | None
    labels_with_more_judged: int | None
    """With this judge, were there many more judged conversations."""

    @classmethod
    def of(cls, value: rows.Planned, /, **others: Any) -> "LabelPlan":
        """The row, with the numbers of its plan."""
        plan = value.plan
        numbers = (plan.with_judge, plan.without, plan.with_more_judged)
        names = ("labels", "labels_without_judge", "labels_with_more_judged")
        return super().of(value, **others, **dict(zip(names, numbers, strict=True)))


class CalibrateAnswer(Outgoing):
    """People's means, what the judge adds to them, and maps to people's scale. Kept as a file in the operator's folder of
    calibrations, requests can name it as `calibration`."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.ANSWER]})

    means: list[CalibratedMean]
    differences: list[CalibratedDifference]
    maps: list[CalibrationMap]
    plan: list[LabelPlan]
    warnings: list[Notice]

    @classmethod
    def of(cls, value: report.Report, /, **others: Any) -> "CalibrateAnswer":
        """The report, row by row."""
        return super().of(
            value,
            **others,
            means=[CalibratedMean.of(row) for row in value.means],
            differences=[CalibratedDifference.of(row) for row in value.differences],
            maps=[CalibrationMap.of(one) for one in value.maps],
            plan=[LabelPlan.of(row) for row in value.plan],
            warnings=value.remarks,
        )


def _plain(figure: rows.Figure) -> PlainMean:
    return PlainMean.of(figure, mean=figure.value)
