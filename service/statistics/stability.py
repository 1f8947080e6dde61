"""Influences that a score should not depend on: the repeat, and the length of the replies; and plain
means."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from .bootstrap import point_ratios
from .coefficients import Coefficient, RaterPairs
from .ratings import Aligned, FactorSheet, Rated, Scores, align
from .rows import FigureUnit, Over, StatRow, Workshop, coefficient_rows


class Stability(StrEnum):
    """Means and what should not move them."""

    MEAN_SCORE = "mean_score"
    REPEAT_SPREAD = "repeat_spread"
    LENGTH_CORRELATION = "length_correlation"


def means(sheet: FactorSheet, _: object, work: Workshop) -> Iterator[StatRow]:
    """Each rater's mean score, whole and by system: for debaters the role means by system."""
    for rater, scores in sheet.raters.items():
        whole = align(scores)
        systems = whole.with_system().systems[0]
        yield _mean(Stability.MEAN_SCORE, whole, work, sheet.factor, rater)
        for system in systems if len(systems) > 1 else ():
            row = _mean(Stability.MEAN_SCORE, whole.of_system(system), work, sheet.factor, rater)
            yield replace(row, over=Over.SYSTEM, system=system)


def spread(sheets: Sequence[FactorSheet], _: object, work: Workshop) -> Iterator[StatRow]:
    """The standard deviation (n - 1) over repeats, averaged over units: CoRE's table 8. With several
    factors also that of their sum (`factor` null), over the repeats that have all of them."""
    for sheet in sheets:
        for judge, units in sheet.repeats.items():
            if units:
                yield _spread(units, work, judge, sheet.factor)
    for judge in sorted({judge for sheet in sheets for judge in sheet.repeats}):
        known = [sheet.repeats[judge] for sheet in sheets if sheet.repeats.get(judge)]
        if len(known) > 1 and (totals := _totals(known)):
            yield _spread(totals, work, judge, None)


def length(sheet: FactorSheet, _: object, work: Workshop) -> Iterator[StatRow]:
    """Spearman's rho of each rater's scores with the length of what was rated, pooled and within
    systems. The people's own is the yardstick: longer replies may be better."""
    if not sheet.lengths:
        return
    for rater, scores in sheet.raters.items():
        aligned = align(scores, sheet.lengths)
        if not aligned.units:
            continue
        yield _length(work, sheet.factor, rater, Over.POOLED, aligned.pairs())
        known = aligned.with_system()
        if len(known.systems[0]) > 1:
            yield _length(work, sheet.factor, rater, Over.WITHIN_SYSTEM, known.pairs(within=True))


def _length(work: Workshop, factor: str, rater: str, over: Over, pairs: RaterPairs) -> StatRow:
    (row,) = coefficient_rows(work, [Coefficient.SPEARMAN], pairs)
    return replace(row, statistic=Stability.LENGTH_CORRELATION.value, over=over, factor=factor, rater=rater)


def _totals(factors: Sequence[Mapping[Rated, Mapping[int, float]]]) -> dict[Rated, dict[int, float]]:
    """The sum over factors of each unit and repeat that has them all, where two repeats or more do."""
    totals: dict[Rated, dict[int, float]] = {}
    for unit in set(factors[0]).intersection(*factors[1:]):
        repeats = set(factors[0][unit]).intersection(*(known[unit] for known in factors[1:]))
        if len(repeats) > 1:
            totals[unit] = {repeat: sum(known[unit][repeat] for known in factors) for repeat in repeats}
    return totals


def _spread(
    units: Mapping[Rated, Mapping[int, float]], work: Workshop, judge: str, factor: str | None
) -> StatRow:
    deviations: Scores = {unit: float(np.std(list(by.values()), ddof=1)) for unit, by in units.items()}
    return _mean(Stability.REPEAT_SPREAD, align(deviations), work, factor, judge)


def _mean(name: Stability, aligned: Aligned, work: Workshop, factor: str | None, rater: str) -> StatRow:
    """The mean over the units of one rater."""
    work.check()
    values = aligned.scores[:, 0]
    conversations = int(aligned.conversation.max()) + 1
    parts = np.zeros((conversations, 2))
    np.add.at(parts, aligned.conversation, np.column_stack([values, np.ones(len(values))]))
    return StatRow(
        statistic=name.value,
        value=float(point_ratios(parts[:, :1], parts[:, 1:])[0]),
        unit=FigureUnit.POINTS,
        n=len(values),
        conversations=conversations,
        interval=work.interval(conversations, 2, lambda w: np.divide(*(w @ parts).T)),
        factor=factor,
        rater=rater,
    )
