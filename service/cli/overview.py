"""A run in one table: each factor's mean with its interval, and what could not be assessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .records import Record
from .scores import MEAN_OF_FACTORS, OVERALL, OVERALL_SPAN, FactorScores, Run

if TYPE_CHECKING:
    from ..statistics.bootstrap import Interval


@dataclass(frozen=True)
class FactorRow:
    """One factor over all conversations. `interval` is a 95 % bootstrap interval over conversations."""

    factor: str
    high: float
    """The top of its scale."""
    mean: float | None
    interval: "Interval | None"
    n: int
    not_assessable: int
    failed: int


def rows(run: Run) -> list[FactorRow]:
    """One row a factor, then their mean where there are several; last, as `overall`, what debates came to, or else the overall
    score that answers give."""
    made = [_row_of(factor) for factor in run.factors.values()]
    if len(made) > 1:
        made.append(_mean_row(MEAN_OF_FACTORS, run, run.mean))
    if run.debates is not None:
        return [*made, _row_of(run.debates)]
    return [*made, _mean_row(OVERALL, run, run.overall)] if run.overall else made


def _mean_row(name: str, run: Run, scores: Mapping[str, float]) -> FactorRow:
    return _row(name, OVERALL_SPAN, list(scores.values()), (len(run.keys) - len(scores), 0))


def _row_of(factor: FactorScores) -> FactorRow:
    counts = (sum(factor.reasons.values()), sum(factor.failures.values()))
    return _row(factor.factor, factor.high, list(factor.scores.values()), counts)


def _row(name: str, high: float, scores: Sequence[float], counts: tuple[int, int]) -> FactorRow:
    from ..statistics.shares import mean_interval  # here, since it loads numpy

    mean = sum(scores) / len(scores) if scores else None
    interval = mean_interval(scores) if len(scores) > 1 else None
    return FactorRow(name, high, mean, interval, len(scores), *counts)


def total_cost(records: Sequence[Record]) -> float | None:
    """Return what all answers cost, each request once; None where no price is known."""
    requests = {record.request: record for record in records}.values()
    costs = [record.usage["cost"] for record in requests if record.usage.get("cost") is not None]
    return sum(costs) if costs else None
