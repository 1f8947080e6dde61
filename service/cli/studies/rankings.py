"""Factors and judges of CoRE side by side: coupling, and rankings of systems (figures 7 to 9)."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from ...statistics.bootstrap import Resamples
from ...statistics.coefficients import Coefficient
from ...statistics.comparison import over_systems
from ...statistics.ratings import Ratings
from ...statistics.rows import Workshop
from ...statistics.sheets import RaterScores, align, sort_ratings
from ..tabulating.formats import StudyTable, heat_map
from . import agreeing
from .judgements import JudgeRun
from .report import Findings, of_plot, published, source

FEWEST_SYSTEMS = 3
"""Of a ranking."""


def tabulate_coupling(findings: Findings, judged: JudgeRun, factors: Sequence[str]) -> None:
    """Kendall's tau-b between every two factors of a judge (figure 7)."""
    given = [one for one in agreeing.ratings(judged) if one.factor in factors]
    rows = agreeing.agreement(given, ["coupling", "mean_coupling"])
    found = [row for row in rows if row.statistic == "coupling" and row.value is not None]
    if not found:
        part = f"coupling of factors (figure 7), judge {judged.judge}"
        findings.leave_out(part, "no two factors vary together")
        return
    title = f"Coupling of factors, Kendall's tau-b, judge {judged.judge} (CoRE, figure 7)"
    taus = {frozenset((row.factor, row.other_factor)): row.value for row in found}
    square = [[1.0 if a == b else taus.get(frozenset((a, b))) for b in factors] for a in factors]
    mean = next((row for row in rows if row.statistic == "mean_coupling"), None)
    size, printed = "mean of the absolute values", published("core")["coupling"]["rows"]
    table: list[list[Any]] = [[row.factor, row.other_factor, row.n, *agreeing.bounded(row)] for row in found]
    table.append([size, None, mean.conversations if mean else None, *agreeing.bounded(mean)])
    table += [
        [f"{size}, published: {name}", None, None, value, None, None] for name, value in printed.items()
    ]
    columns = ("factor", "other factor", "conversations", *agreeing.with_bounds("tau-b"))
    place = source("core", "coupling")
    sheet = StudyTable(
        f"coupling-{judged.file}", title, columns, table, agreeing.INTERVALS, place, digits=3, folded=True
    )
    findings.add(sheet, heat_map(title, list(factors), square))


def tabulate_ranks(findings: Findings, every: Sequence[JudgeRun], factors: Sequence[str]) -> None:
    """Add the rankings of systems by factors, and by judges where there are several."""
    count = len(every[0].systems)
    if count < FEWEST_SYSTEMS:
        why = f"a ranking needs {FEWEST_SYSTEMS} systems, and there are {count}"
        findings.leave_out("rankings of systems (figures 8 and 9)", why)
        return
    findings.sheets += [ranks_of_factors(one, factors) for one in every]
    if len(every) < 2:
        findings.leave_out("rankings judge against judge (figure 8)", "one judge; --judge may be repeated")
    else:
        findings.add(ranks_of_judges(every))


def ranks_of_factors(judged: JudgeRun, factors: Sequence[str]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two factors (figure 9)."""
    scores = _by_factor([judged])[judged.judge]
    known = [factor for factor in factors if factor in scores]
    rows = [[a, b, *_tau_of_systems(scores[a], scores[b])] for a, b in combinations(known, 2)]
    title = f"Rankings of systems, factor against factor, Kendall's tau-b, judge {judged.judge}"
    columns = ("factor", "other factor", "systems", *agreeing.with_bounds("tau-b"))
    words = of_plot("core", "ranks_of_factors")
    name, title = f"ranks-by-factor-{judged.file}", f"{title} (CoRE, figure 9)"
    return StudyTable(name, title, columns, rows, *words)


def ranks_of_judges(every: Sequence[JudgeRun]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two judges, on each factor (figure 8)."""
    scores = _by_factor(every)
    rows = [
        [factor, first, second, *_tau_of_systems(ours, scores[second][factor])]
        for first, second in combinations(scores, 2)
        for factor, ours in scores[first].items()
        if factor in scores[second]
    ]
    title = "Rankings of systems, judge against judge, Kendall's tau-b (CoRE, figure 8)"
    columns = ("factor", "judge", "other judge", "systems", *agreeing.with_bounds("tau-b"))
    return StudyTable("ranks-by-judge", title, columns, rows, *of_plot("core", "ranks_of_judges"))


def _by_factor(every: Sequence[JudgeRun]) -> dict[str, dict[str, RaterScores]]:
    sheets = sort_ratings(Ratings.from_objects(agreeing.all_ratings(every))).sheets
    return {
        one.judge: {sheet.factor: sheet.judges[one.judge] for sheet in sheets if one.judge in sheet.judges}
        for one in every
    }


def _tau_of_systems(first: RaterScores, second: RaterScores) -> list[Any]:
    """Return how many systems both scored, and tau-b of the systems' means over what both scored, with its interval over users."""
    (row,) = over_systems([Coefficient.KENDALL_TAU_B], align(first, second), Workshop(Resamples()))
    return [row.n, *agreeing.figure_cells(row.value, row.interval)]
