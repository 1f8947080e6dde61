"""The fault catalogue on the wire."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from ...faults import Fault
from .model import Figure, Outgoing


class FaultDetector(StrEnum):
    """A way to find a fault: by computation, by a trained network, or by a language model."""

    COMPUTED = "computed"
    LEARNED = "learned"
    MODEL = "model"


class FaultCost(Outgoing):
    """Points of 4 that a fault costs on a factor."""

    factor: str
    cost: Figure


class FaultExample(Outgoing):
    """A minimal pair. `before` holds messages as "U: ..." (user), "A: ..." (recommender) or "T: ..." (tool)."""

    before: list[str]
    good: str
    bad: str = Field(description="Empty where the fault is a missing reply.")


class FaultMeasurement(Outgoing):
    """Sensitivity and false alarms of the embedded judge for a fault, on conversations that nothing was tuned on."""

    on: str = Field(description="Set of pairs: `corpus` (held-out domains) or `exam`.")
    n: int = Field(description="Pairs with this fault.")
    sensitivity: Figure | None
    """Share of the pairs in which the fault is reported; null under 20 pairs."""
    low: Figure | None = Field(description="Lower bound of the 95 % interval.")
    high: Figure | None
    false_alarms: Figure | None = Field(description="Share of good replies on which it is reported.")
    good_replies: int


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
