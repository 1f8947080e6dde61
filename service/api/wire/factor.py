"""The catalogue of factors on the wire."""

from pydantic import Field

from ...domain import rubric
from .model import Outgoing
from .verdict import Scale


class Level(Outgoing):
    """One level of a factor's scale and its standard."""

    level: int
    standard: str


class LadderStep(Outgoing):
    """Values up to `at_most`, from `at_least` on, or greater than `above` reach `level`; one of the three is set."""

    at_most: float | None
    at_least: float | None
    above: float | None
    level: int


class LadderInfo(Outgoing):
    """How a computed count or share becomes a level: the first step that holds, else `floor`."""

    name: str
    steps: list[LadderStep]
    floor: int


class DomainNote(Outgoing):
    """What changes for a factor in one domain; `other` stands for domains without a note."""

    domain: str
    note: str


class FactorInfo(Outgoing):
    """One factor with its whole rubric."""

    slug: str = Field(examples=["coherence"])
    name: str
    protocol: str = Field(examples=["core"])
    dimension: str = Field(examples=["dialogue-actions"])
    scale: Scale
    needs: list[str] = Field(description="Inputs without which it is not assessable.")
    uses: list[str] = Field(description="Inputs that make the judgement surer.")
    rates: str
    definition: str
    levels: list[Level] = Field(description="Best first.")
    steps: list[str]
    excludes: list[str]
    notes: list[DomainNote]
    ladders: list[LadderInfo]
    source: str
    revision: int
    weight: float = Field(description="Its weight in the mean of a summary.")

    @classmethod
    def of(cls, factor: rubric.Factor) -> "FactorInfo":
        return cls(
            slug=factor.slug,
            name=factor.name,
            protocol=factor.protocol,
            dimension=factor.dimension,
            scale=Scale.of(factor.scale),
            needs=list(factor.needs),
            uses=list(factor.uses),
            rates=factor.rates,
            definition=factor.definition,
            levels=[Level(level=level, standard=text) for level, text in factor.levels.items()],
            steps=list(factor.steps),
            excludes=list(factor.excludes),
            notes=[DomainNote(domain=domain, note=note) for domain, note in factor.notes.items()],
            ladders=[_ladder(name, ladder) for name, ladder in factor.ladders.items()],
            source=factor.source,
            revision=factor.revision,
            weight=factor.weight,
        )


class FactorsAnswer(Outgoing):
    """All factors, protocol by protocol."""

    factors: list[FactorInfo]


def _ladder(name: str, ladder: rubric.Ladder) -> LadderInfo:
    return LadderInfo(
        name=name, steps=[_step(step, ladder.falling) for step in ladder.steps], floor=ladder.floor
    )


def _step(step: rubric.Step, falling: bool) -> LadderStep:
    return LadderStep(
        at_most=step.bound if falling else None,
        at_least=step.bound if not falling and step.inclusive else None,
        above=None if falling or step.inclusive else step.bound,
        level=step.level,
    )
