"""The report of an exam: shares and means with their intervals, in all and by fault, home factor, language and reaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

import numpy as np

from ..domain.completion import Usage
from ..domain.rounding import Figure
from ..faults.fault import Fault
from ..statistics.bootstrap import DRAWS, intervals, resample_counts
from ..statistics.coefficients import RaterPairs, spearman
from ..statistics.permutation import mean_interval, wilson
from .outcome import PairOutcome, RatedOutcome
from .run import ExaminedFactor, Sitting

AWFUL = 1.2
"""Mean ratings under which a conversation is awful."""
FEWEST = 20
"""Pairs from which a sensitivity is known well enough to rest a confidence on."""


@dataclass(frozen=True, slots=True)
class ExamFigure:
    """A share or a mean with its 95 % interval: Wilson's for shares, bootstrap for means."""

    value: Figure | None
    """Null without cases."""
    n: int
    """Number of cases."""
    low: Figure | None = None
    high: Figure | None = None


class ExamPart(StrEnum):
    """The property that a row's pairs share."""

    ALL = "all"
    FAULT = "fault"
    FACTOR = "factor"
    LANGUAGE = "language"
    REACTS = "reacts"


@dataclass(frozen=True, slots=True)
class ExamRow:
    """Figures of the pairs that share a property."""

    by: ExamPart
    name: str
    pairs: int
    not_assessable: int
    """Pairs without a score on the home factor in either version."""
    failed: int
    """Pairs on which the judge failed."""
    sensitivity: ExamFigure
    """Share of pairs in which the home factor falls by half a point. In logs of more than five replies the
    reply's own points must fall by 1.5, where the judge gives them."""
    detected: ExamFigure
    """Share of bad versions in which the judge reports the fault; null for judges that report no faults."""
    right_factors: ExamFigure
    """Share of falls among all factors that the faults lower."""
    others_moved: ExamFigure
    """Share of moves by half a point among all other factors."""
    false_alarms: ExamFigure
    """Share of good versions with any reported fault. Of a fault: share of all good versions that show it."""
    overall_falls: ExamFigure
    """Share of pairs whose overall score falls."""
    overall_drop: ExamFigure
    """Mean fall of the overall score."""


@dataclass(frozen=True, slots=True)
class RatedFigures:
    """The overall score beside the raters' mean, both from 0 to 4."""

    absolute_error: ExamFigure
    rank_correlation: ExamFigure
    """Spearman's rho."""
    awful_score: ExamFigure
    """Mean score of conversations that are rated under 1.2."""


@dataclass(frozen=True)
class ExamReport:
    """A judge's report. The rows follow from `outcomes`: reports of parts can be put together."""

    factors: tuple[ExaminedFactor, ...]
    faults_revision: str
    rows: tuple[ExamRow, ...]
    absolute: RatedFigures
    outcomes: tuple[PairOutcome, ...]
    rated: tuple[RatedOutcome, ...]
    usage: Usage
    seconds: Figure

    @property
    def sitting(self) -> Sitting:
        return Sitting(self.outcomes, self.rated, self.factors, self.usage, self.seconds)

    def row(self, by: ExamPart, name: str = "all") -> ExamRow | None:
        """Return a row; None where no pair belongs to it."""
        return next((row for row in self.rows if (row.by, row.name) == (by, name)), None)


def report(sitting: Sitting, faults: Mapping[str, Fault], faults_revision: str) -> ExamReport:
    """Compute the report of one judge's outcomes."""
    return ExamReport(
        factors=sitting.factors,
        faults_revision=faults_revision,
        rows=tuple(_Measure(sitting.pairs, faults).rows()),
        absolute=rated_figures(sitting.rated),
        outcomes=sitting.pairs,
        rated=sitting.rated,
        usage=sitting.usage,
        seconds=sitting.seconds,
    )


def share(hits: Sequence[bool]) -> ExamFigure:
    """Return the share of hits with its interval (Wilson)."""
    if not hits:
        return ExamFigure(None, 0)
    bounds = wilson(sum(hits), len(hits))
    return ExamFigure(sum(hits) / len(hits), len(hits), bounds.low, bounds.high)


def mean(values: Sequence[float]) -> ExamFigure:
    """Return a mean with its interval (bootstrap)."""
    bounds = mean_interval(values) if values else None
    value = fmean(values) if values else None
    return ExamFigure(value, len(values), *((bounds.low, bounds.high) if bounds else ()))


def rated_figures(outcomes: Sequence[RatedOutcome]) -> RatedFigures:
    """Compare overall scores with the raters' means."""
    scored = [(one.overall, one.rating) for one in outcomes if one.overall is not None]
    return RatedFigures(
        absolute_error=mean([abs(score - rating) for score, rating in scored]),
        rank_correlation=_rank_correlation(scored),
        awful_score=mean([score for score, rating in scored if rating < AWFUL]),
    )


def _rank_correlation(scored: Sequence[tuple[float, float]]) -> ExamFigure:
    n = len(scored)
    if n < 2:
        return ExamFigure(None, n)
    columns = np.asarray(scored, dtype=np.float64)
    found = RaterPairs(columns[:, 0], columns[:, 1], np.arange(n))
    value = float(spearman(found.cells, found.counts)[0])
    if np.isnan(value):
        return ExamFigure(None, n)
    resamples = resample_counts(n, DRAWS, np.random.default_rng(0))
    bounds = intervals(spearman(found.cells, found.drawn(resamples))[:, None])[0]
    return ExamFigure(value, n, *((bounds.low, bounds.high) if bounds else ()))


class _Measure:
    def __init__(self, outcomes: Sequence[PairOutcome], faults: Mapping[str, Fault]) -> None:
        self._outcomes = outcomes
        self._faults = faults
        self._reports = any(one.good_faults or one.bad_faults for one in outcomes)

    def rows(self) -> Iterator[ExamRow]:
        if self._outcomes:
            yield self._row(ExamPart.ALL, "all", self._outcomes)
        names: dict[ExamPart, Callable[[PairOutcome], str]] = {
            ExamPart.FAULT: lambda one: one.fault,
            ExamPart.FACTOR: lambda one: self._faults[one.fault].home,
            ExamPart.LANGUAGE: lambda one: one.language,
            ExamPart.REACTS: lambda one: "yes" if one.reacts else "no",
        }
        for by, name_of in names.items():
            groups: dict[str, list[PairOutcome]] = {}
            for one in self._outcomes:
                groups.setdefault(name_of(one), []).append(one)
            for name, group in sorted(groups.items()):
                yield self._row(by, name, group)

    def _row(self, by: ExamPart, name: str, group: Sequence[PairOutcome]) -> ExamRow:
        home = [one.change(self._faults[one.fault].home) for one in group]
        changes = [(change, self._faults[one.fault].costs) for one in group for change in one.changes]
        drops = [
            one.good_overall - one.bad_overall
            for one in group
            if one.good_overall is not None and one.bad_overall is not None
        ]
        return ExamRow(
            by=by,
            name=name,
            pairs=len(group),
            not_assessable=sum(change.fell is None and not change.failed for change in home),
            failed=sum(change.failed for change in home),
            sensitivity=share([change.fell for change in home if change.fell is not None]),
            detected=share([one.fault in one.bad_faults for one in group] if self._reports else []),
            right_factors=share(
                [one.fell for one, costs in changes if one.factor in costs and one.fell is not None]
            ),
            others_moved=share(
                [one.moved for one, costs in changes if one.factor not in costs and one.moved is not None]
            ),
            false_alarms=share(self._alarms(name if by is ExamPart.FAULT else None, group)),
            overall_falls=share([drop > 0 for drop in drops]),
            overall_drop=mean(drops),
        )

    def _alarms(self, fault: str | None, group: Sequence[PairOutcome]) -> list[bool]:
        if not self._reports:
            return []
        if fault is None:
            return [bool(one.good_faults) for one in group]
        return [fault in one.good_faults for one in self._outcomes]
