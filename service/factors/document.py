"""What a factor's file must hold, and the checks that keep its standards total and monotone."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..domain.rubric import Factor, Ladder, Need, Protocol, Scale, Step

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StepDocument(_Strict):
    """One rung: exactly one of the three bounds, as a number or a fraction in quotes ("2/3")."""

    at_most: Fraction | None = Field(None, ge=0)
    at_least: Fraction | None = Field(None, ge=0)
    above: Fraction | None = Field(None, ge=0)
    level: int

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if sum(bound is not None for bound in (self.at_most, self.at_least, self.above)) != 1:
            raise ValueError("a step has exactly one of at_most, at_least, above")
        return self

    @property
    def falling(self) -> bool:
        return self.at_most is not None

    def step(self) -> Step:
        bound = next(b for b in (self.at_most, self.at_least, self.above) if b is not None)
        return Step(float(bound), self.above is None, self.level)


class LadderDocument(_Strict):
    """Steps from the best level down; `floor` is the level below the last, the worst one unless said."""

    steps: list[StepDocument] = Field(min_length=1)
    floor: int | None = None

    @model_validator(mode="after")
    def _monotone(self) -> Self:
        if len({step.falling for step in self.steps}) > 1:
            raise ValueError("at_most cannot be mixed with at_least or above")
        steps = [step.step() for step in self.steps]
        sign = 1 if self.steps[0].falling else -1
        # At one bound an inclusive step must come before an exclusive one, or it is never reached.
        places = [(sign * step.bound, not step.inclusive) for step in steps]
        levels = [step.level for step in steps] + ([] if self.floor is None else [self.floor])
        if places != sorted(set(places)) or levels != sorted(set(levels), reverse=True):
            raise ValueError("steps must go from the best level down, each bound easier than the one before")
        return self

    def ladder(self, scale: Scale) -> Ladder:
        floor = scale.min if self.floor is None else self.floor
        return Ladder(tuple(step.step() for step in self.steps), floor, self.steps[0].falling)


class ScaleDocument(_Strict):
    """A closed range of levels."""

    min: int = Field(ge=0)
    max: int = Field(le=100)


def _scale_of_levels(values: dict[str, Any]) -> ScaleDocument:
    levels = [int(level) for level in values.get("levels", {0: "", 1: ""})]
    return ScaleDocument(min=min(levels), max=max(levels))


class FactorDocument(_Strict):
    """A factor's file, field by field; see `domain.rubric.Factor` for their meaning."""

    slug: Slug
    levels: dict[int, Text] = Field(min_length=2)
    name: Text
    protocol: Protocol
    dimension: Slug
    position: int
    scale: ScaleDocument
    needs: list[Need]
    uses: list[Need] = []
    rates: Text
    definition: Text
    steps: list[Text] = Field(min_length=1)
    excludes: list[Text] = Field(min_length=1)
    source: Text
    revision: int = Field(ge=1)
    no_occasion: int | None = None
    notes: dict[Slug, Text] = {}
    ladders: dict[Slug, LadderDocument] = {}
    weight: float = Field(1.0, gt=0, le=1000, allow_inf_nan=False)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        levels = set(range(self.scale.min, self.scale.max + 1))
        if len(levels) < 2 or set(self.levels) != levels:
            raise ValueError(f"levels must define {sorted(levels)}, no more and no less")
        if self.no_occasion is not None and self.no_occasion not in levels:
            raise ValueError(f"no_occasion is {self.no_occasion}, which is no level of the scale")
        for name, ladder in self.ladders.items():
            used = {step.level for step in ladder.steps} | (
                {ladder.floor} if ladder.floor is not None else set()
            )
            if not used <= levels:
                raise ValueError(f"ladders.{name} uses levels outside the scale: {sorted(used - levels)}")
        repeated = [text for text, n in Counter(self.levels.values()).items() if n > 1]
        if repeated:
            raise ValueError(f"two levels have the same standard: {repeated[0]!r}")
        return self

    def factor(self) -> Factor:
        """The value that the rest of the service uses."""
        scale = Scale(self.scale.min, self.scale.max)
        return Factor(
            slug=self.slug,
            name=self.name,
            protocol=self.protocol,
            dimension=self.dimension,
            position=self.position,
            scale=scale,
            needs=tuple(self.needs),
            uses=tuple(self.uses),
            rates=self.rates,
            definition=self.definition,
            levels=dict(sorted(self.levels.items(), reverse=True)),
            steps=tuple(self.steps),
            excludes=tuple(self.excludes),
            notes=dict(self.notes),
            ladders={name: ladder.ladder(scale) for name, ladder in self.ladders.items()},
            source=self.source,
            revision=self.revision,
            no_occasion=self.no_occasion,
            weight=self.weight,
        )


class CustomDocument(FactorDocument):
    """A factor of somebody's own: slug, definition and levels are enough. `scale` is that of the levels unless said."""

    name: Text = ""
    protocol: Literal[Protocol.CUSTOM] = Protocol.CUSTOM
    dimension: Slug = "custom"
    position: int = 0
    scale: ScaleDocument = Field(default_factory=_scale_of_levels)
    needs: list[Need] = [Need.MESSAGES]
    rates: Text = "the conversation"
    steps: list[Text] = Field(
        [
            "Find the messages that the definition speaks of.",
            "Compare them with each level's standard.",
            "Take the level whose standard fits best.",
        ],
        min_length=1,
    )
    excludes: list[Text] = Field(["whatever the definition does not name"], min_length=1)
    source: Text = "custom"
    revision: int = Field(1, ge=1)

    def factor(self) -> Factor:
        """The value that the rest of the service uses; without a name it is called by its slug."""
        named = self.name or self.slug.removeprefix("custom-").replace("-", " ").capitalize()
        return replace(super().factor(), name=named)
