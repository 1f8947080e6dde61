"""A run in one table: each factor's mean with its interval, and what could not be assessed."""

from collections.abc import Sequence
from dataclasses import dataclass

from .records import Record
from .scores import OVERALL, OVERALL_SPAN, Run, overall

DRAWS = 1000
BINS = 5


@dataclass(frozen=True)
class FactorRow:
    """One factor over all conversations. `interval` is a 95 % bootstrap interval over conversations."""

    factor: str
    low: float
    high: float
    mean: float | None
    interval: tuple[float, float] | None
    n: int
    not_assessable: int
    failed: int
    levels: tuple[int, ...]
    """How many conversations lie at each level, the lowest first."""


def rows(run: Run) -> list[FactorRow]:
    """One row a factor, then one over all of them where there are several."""
    made = []
    for factor in run.factors.values():
        scores = list(factor.scores.values())
        counts = (sum(factor.reasons.values()), sum(factor.failures.values()))
        made.append(_row(factor.factor, factor.low, factor.high, scores, counts))
    if len(made) > 1:
        scores = list(overall(run, list(run.factors)).values())
        made.append(_row(OVERALL, 0.0, OVERALL_SPAN, scores, (len(run.keys) - len(scores), 0)))
    return made


def _row(name: str, low: float, high: float, scores: Sequence[float], counts: tuple[int, int]) -> FactorRow:
    mean = sum(scores) / len(scores) if scores else None
    levels = [0] * (round(high - low) + 1)
    for score in scores:
        levels[min(len(levels) - 1, max(0, round(score - low)))] += 1
    return FactorRow(name, low, high, mean, mean_interval(scores), len(scores), *counts, tuple(levels))


def mean_interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % percentile interval of a mean, conversations drawn anew; None below two."""
    if len(scores) < 2:
        return None
    import numpy as np

    from ..statistics.bootstrap import intervals, ratio_draws

    column = np.array(scores, dtype=np.float64)[:, None]
    found = intervals(ratio_draws(column, np.ones_like(column), draws=DRAWS))[0]
    return (found.low, found.high) if found else None


def total_cost(records: Sequence[Record]) -> float | None:
    """What all answers cost; None where no price is known."""
    costs = [record.usage["cost"] for record in records if record.usage.get("cost") is not None]
    return sum(costs) if costs else None
