"""Figures of raters by themselves: means, spread over repeats, the influence of length, coupling of factors, rounds of debates.

A judge whose factors all say the same has rated one factor many times: CoRE reports a mean |tau| of .28 for LLM judges and .22 for
people. The debaters of a log are the judges whose ratings of it carry a `round`. A debate that has ended keeps its last round in all
later ones, so that every round is a share of the same debates."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations

import numpy as np

from .bootstrap import Matrix, point_ratios
from .coefficients import Coefficient, kendall_tau_b
from .ratings import PEOPLE
from .rows import FigureUnit, Over, StatRow, Workshop, coefficient_rows, whole_rows
from .sheets import Aligned, FactorSheet, RatedUnits, RaterScores, align

MAJORITY = 0.75
"""CoRE's major agreement: at least three quarters of the roles give the same score."""


class Rounds(StrEnum):
    """A figure of a round."""

    DEBATE_ALL_AGREE = "debate_all_agree"
    DEBATE_MAJOR_AGREE = "debate_major_agree"
    DEBATE_SPREAD = "debate_spread"


def debate_rows(sheet: FactorSheet, names: Sequence[Rounds], work: Workshop) -> Iterator[StatRow]:
    """One row a round and statistic. The spread is the highest score less the lowest."""
    debates = _debates(sheet)
    if not debates:
        return
    last = max(number for rounds in debates.values() for number in rounds)
    for number in range(1, last + 1):
        held = [
            {given: scores for given, scores in rounds.items() if given <= number}
            for rounds in debates.values()
        ]
        if latest := [rounds[max(rounds)] for rounds in held if rounds]:
            yield from (_row(sheet.factor, name, number, latest, work) for name in names)


def _debates(sheet: FactorSheet) -> dict[int, dict[int, list[float]]]:
    """Scores by debate and round, of debates that at least two judges spoke in."""
    found: dict[int, dict[int, list[float]]] = {}
    speakers: Counter[int] = Counter()
    for parts in sheet.parts.values():
        rounds = parts.rounds
        speakers.update({unit for unit, _ in rounds})
        for (unit, number), score in rounds.items():
            found.setdefault(unit, {}).setdefault(number, []).append(score)
    return {unit: rounds for unit, rounds in found.items() if speakers[unit] > 1}


def _row(
    factor: str, name: Rounds, number: int, latest: Sequence[Sequence[float]], work: Workshop
) -> StatRow:
    work.check()
    values = np.array([_value(name, scores) for scores in latest])
    return StatRow(
        statistic=name.value,
        value=float(values.mean()),
        unit=FigureUnit.POINTS if name is Rounds.DEBATE_SPREAD else FigureUnit.SHARE,
        n=len(values),
        conversations=len(values),
        interval=work.interval(len(values), 1, lambda w: np.asarray(w @ values / len(values))),
        factor=factor,
        round=number,
    )


def _value(name: Rounds, scores: Sequence[float]) -> float:
    if name is Rounds.DEBATE_SPREAD:
        return max(scores) - min(scores)
    share = MAJORITY if name is Rounds.DEBATE_MAJOR_AGREE else 1.0
    return float(max(Counter(scores).values()) >= share * len(scores))


class Coupling(StrEnum):
    """One cell of the matrix, and the mean of all as absolute values."""

    COUPLING = "coupling"
    MEAN_COUPLING = "mean_coupling"


def couple(sheets: Sequence[FactorSheet], names: Sequence[Coupling], work: Workshop) -> Iterator[StatRow]:
    """Kendall's tau-b between every two factors of each judge and of the people's means."""
    raters: dict[str, dict[str, RaterScores]] = {}
    for sheet in sheets:
        for rater, scores in sheet.raters.items():
            raters.setdefault(rater, {})[sheet.factor] = scores
    for rater in sorted(raters, key=lambda name: (name == PEOPLE, name)):
        rows = [
            _cell(rater, first, second, raters[rater], work)
            for first, second in combinations(raters[rater], 2)
        ]
        if Coupling.COUPLING in names:
            yield from rows
        defined = [row for row in rows if row.value is not None]
        if Coupling.MEAN_COUPLING in names and defined:
            yield _mean_coupling(rater, defined, raters[rater], work)


def _cell(rater: str, first: str, second: str, factors: dict[str, RaterScores], work: Workshop) -> StatRow:
    pairs = align(factors[first], factors[second]).pairs()
    (row,) = coefficient_rows(
        work, [Coefficient.KENDALL_TAU_B], pairs, factor=first, other_factor=second, rater=rater
    )
    return replace(row, statistic=Coupling.COUPLING.value)


def _mean_coupling(
    rater: str, cells: Sequence[StatRow], factors: dict[str, RaterScores], work: Workshop
) -> StatRow:
    """The mean over factor pairs; its interval resamples the conversations that have every factor,
    and is None where fewer than two do."""
    everywhere = align(*factors.values())
    conversations = everywhere.pairs().conversations
    column = {name: place for place, name in enumerate(factors)}
    tables = []
    for cell in cells:
        columns = [column[str(cell.factor)], column[str(cell.other_factor)]]
        tables.append(replace(everywhere, scores=everywhere.scores[:, columns]).pairs())

    def drawn(resamples: Matrix) -> Matrix:
        taus = []
        for table in tables:
            work.check()
            taus.append(kendall_tau_b(table.cells, table.drawn(resamples)))
        return np.asarray(np.abs(taus).mean(axis=0))

    return StatRow(
        statistic=Coupling.MEAN_COUPLING.value,
        value=float(np.mean([abs(cell.value) for cell in cells if cell.value is not None])),
        n=len(cells),
        conversations=conversations,
        interval=work.interval(conversations, len(everywhere.at), drawn),
        rater=rater,
    )


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
    repeated: dict[str, list[Mapping[tuple[int, int], float]]] = {}
    for sheet in sheets:
        for judge, parts in sheet.parts.items():
            scores = parts.repeats
            deviations = _deviations(sheet.units, scores)
            if len(deviations.at):
                yield _mean(Stability.REPEAT_SPREAD, deviations, work, sheet.factor, judge)
                repeated.setdefault(judge, []).append(scores)
    for judge, known in sorted(repeated.items()):
        shared = set(known[0]).intersection(*known[1:])
        totals = {key: sum(scores[key] for scores in known) for key in sorted(shared)}
        deviations = _deviations(sheets[0].units, totals)
        if len(known) > 1 and len(deviations.at):
            yield _mean(Stability.REPEAT_SPREAD, deviations, work, None, judge)


def _deviations(units: RatedUnits, repeats: Mapping[tuple[int, int], float]) -> Aligned:
    """Return the standard deviation over the repeats of each unit that has several."""
    scores: dict[int, list[float]] = {}
    for (unit, _), score in repeats.items():
        scores.setdefault(unit, []).append(score)
    found = {unit: float(np.std(known, ddof=1)) for unit, known in scores.items() if len(known) > 1}
    return Aligned(units, np.array([*found], dtype=np.intp), np.array([*found.values()])[:, None])


def length(sheet: FactorSheet, _: object, work: Workshop) -> Iterator[StatRow]:
    """Spearman's rho of each rater's scores with the length of what was rated, pooled and within
    systems. The people's own is the yardstick: longer replies may be better."""
    for rater, scores in sheet.raters.items():
        for row in whole_rows(work, [Coefficient.SPEARMAN], align(scores, sheet.lengths)):
            name = Stability.LENGTH_CORRELATION.value
            yield replace(row, statistic=name, factor=sheet.factor, rater=rater)


def _mean(name: Stability, aligned: Aligned, work: Workshop, factor: str | None, rater: str) -> StatRow:
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
