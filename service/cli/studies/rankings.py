"""CoRE's factors and judges side by side (figures 7 to 9), and its debates: roles, rounds, tokens (figures 5 and 12, tables 20 and 21)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

from ...statistics.bootstrap import Resamples
from ...statistics.coefficients import Coefficient
from ...statistics.comparison import over_systems
from ...statistics.ratings import Ratings
from ...statistics.rows import Workshop
from ...statistics.sheets import RaterScores, align, sort_ratings
from ..inputs import Json, grouped
from ..tabulating.formats import StudyTable, heat_map, lines, table_of
from ..tabulating.summary import Measured, summarise
from . import judgements
from .judgements import JudgeRun
from .report import Findings, of_plot, published, source

FEWEST_SYSTEMS = 3


def tabulate_coupling(findings: Findings, judged: JudgeRun, factors: Sequence[str]) -> None:
    """Kendall's tau-b between every two factors of a judge (figure 7)."""
    given = [one for one in judgements.ratings(judged) if one.factor in factors]
    rows = judgements.agreement(given, ["coupling", "mean_coupling"])
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
    table: list[list[Any]] = [
        [row.factor, row.other_factor, row.n, *judgements.bounded(row)] for row in found
    ]
    table.append([size, None, mean.conversations if mean else None, *judgements.bounded(mean)])
    table += [
        [f"{size}, published: {name}", None, None, value, None, None] for name, value in printed.items()
    ]
    columns = ("factor", "other factor", "conversations", *judgements.with_bounds("tau-b"))
    place = source("core", "coupling")
    sheet = StudyTable(
        f"coupling-{judged.file}", title, columns, table, judgements.INTERVALS, place, digits=3, folded=True
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
    columns = ("factor", "other factor", "systems", *judgements.with_bounds("tau-b"))
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
    columns = ("factor", "judge", "other judge", "systems", *judgements.with_bounds("tau-b"))
    return StudyTable("ranks-by-judge", title, columns, rows, *of_plot("core", "ranks_of_judges"))


def _by_factor(every: Sequence[JudgeRun]) -> dict[str, dict[str, RaterScores]]:
    sheets = sort_ratings(Ratings.from_objects(judgements.all_ratings(every))).sheets
    return {
        one.judge: {sheet.factor: sheet.judges[one.judge] for sheet in sheets if one.judge in sheet.judges}
        for one in every
    }


def _tau_of_systems(first: RaterScores, second: RaterScores) -> list[Any]:
    """Return how many systems both scored, and tau-b of the systems' means over what both scored, with its interval over users."""
    (row,) = over_systems([Coefficient.KENDALL_TAU_B], align(first, second), Workshop(Resamples()))
    return [row.n, *judgements.figure_cells(row.value, row.interval)]


PRINTED_ROUND = 4
"""The round of which the paper's text gives figures."""


def debate_roles(judged: JudgeRun) -> StudyTable:
    """Each role's mean in the last round, by system, and their mean (figure 12)."""
    numbers = []
    for system, user, debate in _held_debates(judged):
        numbers += [
            Measured(system, said["role"], user, float(said["score"]))
            for said in debate["rounds"][-1]["statements"]
            if said["score"] is not None
        ]
        numbers.append(Measured(system, "mean of roles", user, float(debate["overall"])))
    roles = sorted({one.factor for one in numbers} - {"mean of roles"})
    title = f"Debate by role, 0-100, judge {judged.judge} (CoRE, figure 12)"
    note, place = of_plot("core", "roles")
    sheet = table_of(
        f"debate-roles-{judged.file}", summarise(title, numbers, factors=[*roles, "mean of roles"]), note
    )
    return replace(sheet, source=place)


def debate_rounds(judged: JudgeRun, rounds: int, *, stop: bool) -> tuple[StudyTable, str]:
    """Shares of debates in which all or three quarters of the roles agree, by round (figure 5). An ended one keeps its last round."""
    by_system = grouped((system, debate) for system, _, debate in _held_debates(judged))
    rows: list[list[Any]] = []
    series: dict[str, list[float]] = {}
    for system, debates in by_system.items():
        for agreement in ("all", "major"):
            held = [[bool(one[f"{agreement}_agree"]) for one in debate["rounds"]] for debate in debates]
            shares = [fmean(one[min(number, len(one) - 1)] for one in held) for number in range(rounds)]
            rows.append([system, f"{agreement} agree", len(debates), *shares])
            series[f"{system}, {agreement} agree"] = shares
    title = f"Agreement of the roles by round, judge {judged.judge} (CoRE, figure 5)"
    columns = ("system", "agreement", "debates", *(f"round {number}" for number in range(1, rounds + 1)))
    for system, found in published("core")["rounds"]["rows"].items() if rounds >= PRINTED_ROUND else ():
        for agreement in ("all", "major"):
            rest = [found[agreement] if number == PRINTED_ROUND else None for number in range(1, rounds + 1)]
            rows.append([f"published: {system}", f"{agreement} agree", None, *rest])
    ends = (
        "A debate ends when all agree, and then keeps its last round." if stop else "Debates have all rounds."
    )
    name = f"debate-rounds-{judged.file}"
    sheet = StudyTable(name, title, columns, rows, f"Shares of debates. {ends}", source("core", "rounds"))
    return sheet, lines(title, series, "round")


def _held_debates(judged: JudgeRun) -> Iterator[tuple[str, str, Json]]:
    for name, record in judged.records.items():
        if record.debate is not None:
            yield judged.sessions[name].system, judged.sessions[name].user, record.debate


def token_tables(judged: Sequence[JudgeRun]) -> Iterator[StudyTable]:
    """Yield the mean tokens of each factor's verdict (table 20). Debates add those of each round (table 21), and of each role in it."""
    verdicts = [
        (verdict["factor"], run.judge, total_tokens(verdict["usage"]))
        for run in judged
        for record in run.records.values()
        for verdict in record.verdicts
    ]
    printed, note = published("core"), "Mean tokens of a verdict, input and output together."
    yield _token_table("factor", verdicts, note, printed["tokens"]["rows"], source("core", "tokens"))
    rounds = [
        (run.judge, one) for run in judged for _, _, debate in _held_debates(run) for one in debate["rounds"]
    ]
    if not rounds:
        return
    spent = [
        (f"round {one['round']}", judge, sum(total_tokens(said["usage"]) for said in one["statements"]))
        for judge, one in rounds
    ]
    known = {f"round {number}": count for number, count in enumerate(printed["debate_tokens"]["rounds"], 1)}
    note = "Mean tokens of all roles' statements in debates that came to the round."
    yield _token_table("round", spent, note, known, source("core", "debate_tokens"))
    by_role = [
        (f"{said['role']}, round {one['round']}", judge, total_tokens(said["usage"]))
        for judge, one in rounds
        for said in one["statements"]
    ]
    by_role.sort(key=lambda one: one[0].rpartition(",")[0])
    yield _token_table(
        "role", by_role, "Mean tokens of a role's statement in debates that came to the round."
    )


def _token_table(
    label: str,
    spent: Sequence[tuple[str, str, float]],
    note: str,
    printed: Mapping[str, float] | None = None,
    place: str = "",
) -> StudyTable:
    found = grouped(((row, judge), count) for row, judge, count in spent)
    judges = list(dict.fromkeys(judge for _, judge in found))
    rows = [
        [row, *(fmean(found[row, judge]) if (row, judge) in found else None for judge in judges)]
        + ([printed.get(row)] if printed else [])
        for row in dict.fromkeys(row for row, _ in found)
    ]
    columns = (label, *judges, *(["published"] if printed else []))
    return StudyTable(f"tokens-by-{label}", f"Tokens by {label}", columns, rows, note, place, digits=1)


def total_tokens(usage: Mapping[str, Any]) -> float:
    """Return the tokens behind an answer, paid for now or kept: those of a kept one were spent when it was asked for."""
    return float(usage["input_tokens"] + usage["output_tokens"] + usage["saved_tokens"])
