"""Body and answer of `/agreement`."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field

from ...domain.rubric import Scale
from ...statistics import rows as figures
from ...statistics.agreement import STATISTICS
from ...statistics.ratings import Rating
from .model import FEW, WHOLE, Figure, Incoming, Outgoing, choice
from .score import Notice

EXAMPLE_REQUEST: dict[str, Any] = {
    "ratings": [
        {
            "conversation": name,
            "system": system,
            "factor": "coherence",
            "rater": rater,
            "kind": kind,
            "score": score,
        }
        for name, system, by_judge, by_person in (
            ("s1", "alpha", 3, 4),
            ("s2", "alpha", 2, 2),
            ("s3", "beta", 1, 0),
            ("s4", "beta", 0, 1),
        )
        for rater, kind, score in (("builtin", "judge", by_judge), ("anna", "human", by_person))
    ],
    "statistics": ["spearman"],
}

if TYPE_CHECKING:
    Statistic = str
else:
    Statistic = choice("Statistic", STATISTICS, "Metrics that a request can name.")


class AgreementRequest(Incoming):
    """Ratings of any judges and people, and what is to be said of them."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_REQUEST]})

    ratings: list[Rating] = Field(min_length=1, max_length=500_000)
    statistics: list[Statistic] | None = Field(None, min_length=1, max_length=FEW)
    """Default: all."""
    bootstrap: Annotated[int, Field(ge=0, le=10_000), WHOLE] | None = None
    """Resamples of conversations behind the 95 % intervals; 1000 by default, 0 for no intervals."""
    scales: dict[str, Scale] | None = None
    """Levels by factor, for Randolph's kappa; those of this service's own factors are known, others reach
    from the lowest to the highest score given."""


class AgreementInterval(Outgoing):
    """A percentile interval of a bootstrap over conversations."""

    low: Figure
    high: Figure
    level: Figure


class AgreementRow(Outgoing):
    """One figure."""

    statistic: str
    over: figures.Over
    factor: str | None = Field(description="Null for figures of all factors together.")
    other_factor: str | None = Field(description="The second factor of `coupling`.")
    rater: str | None
    other: str | None
    """The one that the rater is compared with; `people` is the mean of people."""
    system: str | None
    other_system: str | None = Field(description="The second system of a preference.")
    round: int | None
    value: Figure | None
    unit: figures.FigureUnit
    n: int = Field(description="Pairs of scores, of conversations or of factors, systems or debates.")
    conversations: int = Field(description="Number of conversations that were resampled.")
    interval: AgreementInterval | None
    """Null where the value is, with fewer than two conversations, and where half of the resamples leave
    the figure undefined."""
    undefined: str | None = Field(examples=["one_value"])
    """Reason for a null value; from a published list that may grow."""


class AgreementAnswer(Outgoing):
    """A tidy table: one row a figure."""

    rows: list[AgreementRow]
    warnings: list[Notice]
