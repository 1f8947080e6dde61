"""Biases of judges: towards long replies, the first place in a comparison, and systems that are the judge's own model."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from ....comparison.preference import Shown
from ....statistics.bootstrap import intervals, point_ratios, ratio_draws
from ....statistics.ratings import Rating
from ....statistics.rows import Over
from ....statistics.shares import mean_interval
from ...inputs import Json
from ...scores import MEAN_OF_FACTORS
from ...tabulating.formats import StudyTable
from ..report import Findings
from .agreeing import agreement, bounded, figure_cells

FIRST = {Shown.FIRST_SECOND: "first", Shown.SECOND_FIRST: "second"}
"""The conversation that a judge read first."""
Comparisons = Mapping[str, Sequence[tuple[str, Json]]]
"""Preferences that judges had in `/compare`, each with its user, by judge."""
NOTE = (
    "Length: Spearman's rho of a score with the mean words of a reply, within systems where there are several; longer replies may be "
    "better. First place: share of the comparisons asked both ways that prefer what was read first, ties left out. Own model: "
    "points of 100 by which a judge rates systems named like its model above the others, less what the other judges say of them. "
    "Low and high: 95 % percentile bootstrap over users."
)


def tabulate(findings: Findings, ratings: Sequence[Rating], compared: Comparisons | None = None) -> None:
    """Add the table of what sways each judge. Of `ratings` the mean of factors counts."""
    whole = [one for one in ratings if one.factor == MEAN_OF_FACTORS]
    if not whole:
        findings.leave_out("biases of judges", "no judge scored anything")
        return
    correlations = agreement(whole, ["length_correlation"])
    rows: list[list[Any]] = []
    for judge in dict.fromkeys(one.rater for one in whole):
        found = {row.over: row for row in correlations if row.rater == judge}
        row = found.get(Over.WITHIN_SYSTEM, found.get(Over.POOLED))
        rows.append([judge, "length", *bounded(row), row.n if row else 0, 0.0])
        rows += _first_place(judge, (compared or {}).get(judge, ()))
        rows += _own_model(judge, whole)
    columns = ("judge", "bias", "value", "low", "high", "n", "without the bias")
    findings.add(StudyTable("biases", "Biases of judges", columns, rows, NOTE, digits=3))


def _first_place(judge: str, compared: Sequence[tuple[str, Json]]) -> Iterator[list[Any]]:
    """Yield the share of orders that prefer what was read first, of comparisons that were answered both ways."""
    by_user: dict[str, list[bool]] = defaultdict(list)
    for user, one in compared:
        if len(one["orders"]) == len(FIRST):
            firm = [order for order in one["orders"] if order["preferred"] != "tie"]
            by_user[user] += [order["preferred"] == FIRST[order["shown"]] for order in firm]
    if decided := [won for won in by_user.values() if won]:
        wins, orders = (np.array([[float(count(won))] for won in decided]) for count in (sum, len))
        (bounds,) = intervals(ratio_draws(wins, orders)) if len(decided) > 1 else (None,)
        cells = figure_cells(float(point_ratios(wins, orders)[0]), bounds)
        yield [judge, "first place", *cells, int(orders.sum()), 0.5]


def _own_model(judge: str, ratings: Sequence[Rating]) -> Iterator[list[Any]]:
    """Yield how far above the others a judge rates its own model's systems, over users who met both."""
    model = judge.partition(":")[2]
    scores: dict[tuple[str, str], dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in ratings:
        scores[one.rater, one.conversation][one.system == model].append(one.score)
    apart = {key: fmean(sides[True]) - fmean(sides[False]) for key, sides in scores.items() if len(sides) > 1}
    several = len({rater for rater, _ in apart}) > 1
    values = []
    for (rater, user), own in apart.items():
        others = [value for (other, met), value in apart.items() if met == user and other != judge]
        if rater == judge and (others or not several):
            values.append(own - (fmean(others) if others else 0.0))
    if model and values:
        bounds = mean_interval(values) if len(values) > 1 else None
        yield [judge, "own model", *figure_cells(fmean(values), bounds), len(values), 0.0]
