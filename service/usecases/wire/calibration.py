"""Calibration maps on the wire, what a request says of them, and the scores that they give."""

from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, TypeAdapter, model_validator

from ...domain import calibration as domain
from ...domain.calibration import Knot
from ...domain.rubric import Scale
from .model import FEW, MANY, Incoming, Whole
from .verdict import JudgeRef


class MapScales(Incoming):
    """The scales that a map leads between."""

    judge: Scale
    people: Scale


class CalibrationMap(Incoming):
    """A map from one judge's scores to those that people would give, as `/calibrate` made it."""

    factor: str = Field(description="The judge's factor, or the protocol of a summary, or `overall`.")
    label: str = Field(description="The people's rating that it leads to.")
    judge: JudgeRef
    evaluator_revision: str | None
    comparison_key: str | None = Field(description="Of the answers that a map of a summary was made from.")
    systems: list[str] = Field(max_length=MANY, description="Those it was made from; empty where unknown.")
    domains: list[str] = Field(max_length=MANY, description="Those it was made from; empty where unknown.")
    form: domain.Form
    scales: MapScales
    knots: list[Knot] = Field(min_length=1, max_length=MANY)
    n: Whole = Field(description="Labelled conversations behind it.")
    error_before: float | None
    """Root mean squared error of the judge's own score, moved to people's scale."""
    error: float | None = Field(description="That of the map, by cross-validation.")
    level: float = Field(description="The share of conversations that the intervals aim to hold.")
    coverage: float | None = Field(description="The share of labels that they held, by cross-validation.")
    hash: str = Field(description="Over all of the above; part of the `comparison_key` of what uses the map.")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        scores = [knot.score for knot in self.knots]
        values = [knot.value for knot in self.knots]
        if any(later <= earlier for earlier, later in pairwise(scores)):
            raise ValueError("the scores of the knots rise")
        if any(later < earlier for earlier, later in pairwise(values)):
            raise ValueError("the values of the knots never fall")
        if self.value().hash != self.hash:
            raise ValueError("the hash does not belong to this map; have `/calibrate` make another")
        return self

    def value(self) -> domain.CalibrationMap:
        given = self.model_dump(exclude={"hash", "scales"})
        scales = {"judge_scale": self.scales.judge, "people_scale": self.scales.people}
        return _adapter().validate_python(given | scales)

    @classmethod
    def of(cls, value: domain.CalibrationMap, /, **others: Any) -> "CalibrationMap":
        scales = {"judge": value.judge_scale, "people": value.people_scale}
        return super().of(value, **others, scales=scales)


@cache
def _adapter() -> TypeAdapter[domain.CalibrationMap]:
    return TypeAdapter(domain.CalibrationMap)


class CalibrationMaps(Incoming):
    """Maps to use: those of one of the operator's files, or some of the caller's own."""

    name: str | None = Field(None, examples=["shop"])
    """Name of a file that the operator provides."""
    maps: list[CalibrationMap] | None = Field(None, min_length=1, max_length=FEW)
    """Maps as `/calibrate` answered them."""
    elsewhere: bool | None = None
    """True to apply maps to other revisions, systems and domains than they were made for; such verdicts
    are flagged `calibration_elsewhere`. False by default."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.name is None) == (self.maps is None):
            raise ValueError("either `name` or `maps` says which maps to use")
        return self


CalibrationChoice = Annotated[
    CalibrationMaps, BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value)
]
