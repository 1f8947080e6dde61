"""A run in one table: each factor's mean with its interval, and what could not be assessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .records import Record
from .scores import MEAN_OF_FACTORS, OVERALL, OVERALL_SPAN, FactorScores, Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

DRAWS = 1000
LEVEL = 0.95
# Resamples held at once are limited to about this many numbers (32 MB).
_BLOCK = 4_000_000


@dataclass(frozen=True)
class FactorRow:
    """One factor over all conversations. `interval` is a 95 % bootstrap interval over conversations."""

    factor: str
    high: float
    """The top of its scale."""
    mean: float | None
    interval: tuple[float, float] | None
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
    mean = sum(scores) / len(scores) if scores else None
    return FactorRow(name, high, mean, mean_interval(scores), len(scores), *counts)


def mean_interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % percentile interval of a mean, conversations resampled; None below two. The page and its
    reports draw the same resamples (`clients/page/src/statistics.ts`), so that one run has one interval."""
    if len(scores) < 2:
        return None
    import numpy as np

    values = np.array(scores, dtype=np.float64)
    count = len(values)
    at_once = max(1, _BLOCK // count)
    means = [
        _resampled_means(values, range(first, min(first + at_once, DRAWS)))
        for first in range(0, DRAWS, at_once)
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _resampled_means(values: "Column", draws: range) -> "Column":
    import numpy as np

    count = len(values)
    numbers = _random_numbers(draws.start * count, draws.stop * count)
    chosen = (numbers * count).astype(np.intp).reshape(len(draws), count)
    means: Column = values[chosen].mean(axis=1)
    return means


def _random_numbers(start: int, stop: int) -> "Column":
    """Numbers from 0 to 1 by mulberry32, seed 1: a generator that a browser computes alike."""
    import numpy as np

    places = np.arange(start + 1, stop + 1, dtype=np.uint64).astype(
        np.uint32
    )  # it counts to 2^32 and begins again
    state = places * np.uint32(0x6D2B79F5) + np.uint32(1)
    mixed = (state ^ (state >> 15)) * (state | 1)
    mixed ^= mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)
    numbers: Column = (mixed ^ (mixed >> 14)).astype(np.float64) / 2**32
    return numbers


def total_cost(records: Sequence[Record]) -> float | None:
    """Return what all answers cost, each request once; None where no price is known."""
    requests = {record.request: record for record in records}.values()
    costs = [record.usage["cost"] for record in requests if record.usage.get("cost") is not None]
    return sum(costs) if costs else None
