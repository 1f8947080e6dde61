"""A preference between two conversations, and how the answers in both orders become one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..domain.completion import NO_USAGE, Usage
from ..domain.verdict import JudgeName
from ..judges.llm.answer import Failure

OVERALL = "overall"
"""The question which conversation is better all in all, beside the factors."""


class Preferred(StrEnum):
    """The conversation that is preferred."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class Shown(StrEnum):
    """The order in which a model read the two conversations."""

    FIRST_SECOND = "first_second"
    SECOND_FIRST = "second_first"


@dataclass(frozen=True, slots=True)
class Order:
    """The answer of a model that read the conversations in one order; `reason` where it gave none."""

    shown: Shown
    preferred: Preferred | None
    rationale: str | None
    reason: Failure | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """The preference on one factor, or `overall`. `preferred` is None where there is a `reason`. `scores` and `dead_zone` are those
    of a judge that scores: a smaller difference is a tie. `confidence` is the share of pairs at such a difference in which
    people preferred the same one; None where that was not measured."""

    factor: str
    preferred: Preferred | None
    judge: JudgeName
    evaluator_revision: str
    rationale: str | None = None
    confidence: float | None = None
    orders: tuple[Order, ...] = ()
    scores: tuple[float, float] | None = None
    dead_zone: float | None = None
    reason: Failure | None = None
    usage: Usage = NO_USAGE


def agreed(orders: Sequence[Order]) -> tuple[Preferred | None, str | None, Failure | None]:
    """Combine the answers of all orders. A preference that changes with the order is a tie; one that could not be checked in
    every order is None."""
    failed = next((order.reason for order in orders if order.reason is not None), None)
    if failed is not None:
        return None, None, failed
    said = {order.preferred for order in orders}
    first = orders[0]
    if len(said) == 1:
        return first.preferred, first.rationale, None
    each = "; ".join(f"{order.shown.value}: {order.preferred}" for order in orders)
    return Preferred.TIE, f"The preference turns with the order in which the two are read ({each}).", None
