"""Coupling of a rater's factors: a judge whose scores all say the same thing has rated one factor many
times. CoRE reports a mean |tau| of .28 for LLM judges and .22 for people."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations

import numpy as np

from .bootstrap import Matrix
from .coefficients import Coefficient, kendall_tau_b
from .ratings import PEOPLE, FactorSheet, Scores, align
from .rows import StatRow, Workshop, coefficient_rows


class Coupling(StrEnum):
    """One cell of the matrix, and the mean of all as absolute values."""

    COUPLING = "coupling"
    MEAN_COUPLING = "mean_coupling"


def couple(sheets: Sequence[FactorSheet], names: Sequence[Coupling], work: Workshop) -> Iterator[StatRow]:
    """Kendall's tau-b between every two factors of each judge and of the people's means."""
    raters: dict[str, dict[str, Scores]] = {}
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
            yield _mean(rater, defined, raters[rater], work)


def _cell(rater: str, first: str, second: str, factors: dict[str, Scores], work: Workshop) -> StatRow:
    pairs = align(factors[first], factors[second]).pairs()
    (row,) = coefficient_rows(work, [Coefficient.KENDALL_TAU_B], pairs)
    return replace(row, statistic=Coupling.COUPLING.value, factor=first, other_factor=second, rater=rater)


def _mean(rater: str, cells: Sequence[StatRow], factors: dict[str, Scores], work: Workshop) -> StatRow:
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
        interval=work.interval(conversations, len(everywhere.units), drawn),
        rater=rater,
    )
