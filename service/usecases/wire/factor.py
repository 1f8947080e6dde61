"""The catalogues of factors and faults on the wire."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from ...domain import rubric
from ...domain.rubric import Scale
from ...domain.verdict import Step
from ...faults import Fault, load_faults
from ...faults.fault import FaultExample
from ...faults.measured import FaultMeasurement
from ...judges.embedded.protocols import RESTS_ON
from .model import Figure, Outgoing


class Level(Outgoing):
    """One level of a factor's scale and its standard."""

    level: int
    standard: str


class LadderStep(Outgoing):
    """Values up to `at_most`, from `at_least` on, or greater than `above` reach `level`; one of the three is set."""

    at_most: Figure | None
    at_least: Figure | None
    above: Figure | None
    level: int


class LadderInfo(Outgoing):
    """The rule that turns a computed count or share into a level: the first step that holds, else `floor`."""

    name: str
    steps: list[LadderStep]
    floor: int


class DomainNote(Outgoing):
    """The change of a factor in one domain; `other` stands for domains without a note."""

    domain: str
    note: str


class RuleInfo(Outgoing):
    """A fault that lowers a factor, by its slug: what the reply does, and the points of 4 that it costs."""

    rule: str = Field(examples=["ignores-question"])
    tells: str = Field(examples=["leaves the user's question open"])
    points: Figure

    @classmethod
    def bearing_on(cls, slug: str) -> "list[RuleInfo]":
        """Those that bear on a factor, the costliest first; none for a factor that rests on computations alone."""
        counted = RESTS_ON.get(slug, ())
        costs = [
            (fault.costs.get(slug) or (fault.slug in counted and fault.costs[fault.home]), fault)
            for fault in load_faults().values()
        ]
        rules = [cls(rule=fault.slug, tells=fault.wording, points=cost) for cost, fault in costs if cost]
        return sorted(rules, key=lambda rule: (-rule.points, rule.rule))


class PublishedReading(Outgoing):
    """The parts of a factor that differ between readings, as its paper has them."""

    definition: str
    levels: list[Level] = Field(description="Best first.")
    steps: list[str]
    notes: list[DomainNote]


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
    weight: Figure = Field(description="Its weight in the mean of a summary.")
    itemised: bool = Field(
        description="True where the factor can be judged by `judging: itemised`: code finds the level from a model's list."
    )
    deviations: list[str] = Field(description="Deviations of this reading from the paper, with reasons.")
    builtin_rules: list[RuleInfo]
    """The faults by which the judge `builtin` rates the factor, the costliest first."""
    published: PublishedReading | None
    """Text that a model reads instead with `variant: published`; null where no paper defines the factor."""

    @classmethod
    def of(cls, value: rubric.Factor, /, **others: Any) -> "FactorInfo":
        """The factor, its tables as lists."""
        published = value.published
        return super().of(
            value,
            **others,
            **_lists(value),
            ladders=[
                LadderInfo(
                    name=name, steps=[_step(one, ladder.falling) for one in ladder.steps], floor=ladder.floor
                )
                for name, ladder in value.ladders.items()
            ],
            itemised=value.itemised is not None,
            builtin_rules=[] if value.protocol == rubric.Protocol.CUSTOM else RuleInfo.bearing_on(value.slug),
            published=PublishedReading.of(published, **_lists(published)) if published else None,
        )


class FactorsAnswer(Outgoing):
    """All factors, protocol by protocol."""

    factors: list[FactorInfo]


def _lists(factor: rubric.Factor) -> dict[str, list[Any]]:
    levels = [Level(level=level, standard=text) for level, text in factor.levels.items()]
    notes = [DomainNote(domain=domain, note=note) for domain, note in factor.notes.items()]
    return {"levels": levels, "notes": notes}


def _step(step: Step, falling: bool) -> LadderStep:
    return LadderStep(
        at_most=step.bound if falling else None,
        at_least=step.bound if not falling and step.inclusive else None,
        above=None if falling or step.inclusive else step.bound,
        level=step.level,
    )


class FaultDetector(StrEnum):
    """A way to find a fault: by computation, by a trained network, or by a language model."""

    COMPUTED = "computed"
    LEARNED = "learned"
    MODEL = "model"


class FaultCost(Outgoing):
    """Points of 4 that a fault costs on a factor."""

    factor: str
    cost: Figure


class FaultInfo(Outgoing):
    """One thing that a recommender's reply can do wrong."""

    slug: str
    name: str
    home: str = Field(description="The factor that it lowers most.")
    costs: list[FaultCost] = Field(description="Each factor that it lowers, the home factor first.")
    found_by: list[FaultDetector]
    certain: str | None = Field(description="The case in which code can prove it; null where it cannot.")
    context: bool = Field(description="True where only the messages before the reply can show it.")
    wording: str = Field(description='Continues "message 3 ..." in a rationale.')
    definition: str
    excludes: list[str]
    example: FaultExample
    measured: list[FaultMeasurement]

    @classmethod
    def of(cls, value: Fault, /, **others: Any) -> "FaultInfo":
        """The fault; `measured` says how well it is found."""
        costs = [FaultCost(factor=factor, cost=cost) for factor, cost in value.costs.items()]
        return super().of(value, **others, costs=costs)


class FaultsAnswer(Outgoing):
    """Every fault that judges detect."""

    faults: list[FaultInfo]
    revision: str = Field(description="Changes whenever a fault or a cost does.")
