"""Spreads where nothing else varies: the judge's draws, and the simulator's seeds (CoRE, table 8)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev, variance
from typing import Any

from ...tabulating.formats import StudyTable
from ..options import TOGETHER
from ..papers import published, source
from ..report import Findings, drawn
from .judgements import JudgeRun

SUM = "sum of factors"


def tabulate(
    findings: Findings, every: Sequence[JudgeRun], factors: Sequence[str], *, seeds: int, samples: int | None
) -> None:
    """Add the tables of each judge's spread over its draws, and over the simulator's seeds. A panel's draws are its members."""
    every = [one for one in every if TOGETHER not in one.judge]
    if (samples or 1) < 2:
        findings.leave_out("repeats (CoRE, table 8)", "one draw a verdict; --samples 10 draws ten")
    else:
        findings.sheets += [repeats(one, factors, published("core")["repeats"]) for one in every]
    if seeds < 2:
        why = "one seed; --seeds 5 plays each user five times"
        findings.leave_out("spread over the simulator's seeds", why)
    else:
        findings.sheets += [over_seeds(one, factors) for one in every]


def of_draws(judged: JudgeRun, factors: Sequence[str]) -> dict[str, float]:
    """The standard deviation over a judge's draws of one conversation, averaged over conversations, by factor; and
    that of the sum over the factors, of draws that all factors have."""
    spreads: dict[str, list[float]] = defaultdict(list)
    for record in judged.records.values():
        draws = {
            verdict["factor"]: verdict["samples"]["scores"]
            for verdict in record.verdicts
            if verdict["status"] == "scored" and verdict["factor"] in factors
        }
        for factor, scores in draws.items():
            if len(scores) > 1:
                spreads[factor].append(stdev(scores))
        shared = min(map(len, draws.values()), default=0)
        if len(draws) == len(factors) and shared > 1:
            spreads[SUM].append(stdev([sum(scores[n] for scores in draws.values()) for n in range(shared)]))
    return {factor: fmean(found) for factor, found in spreads.items()}


def of_seeds(judged: JudgeRun) -> dict[str, float]:
    """The standard deviation over the seeds of one user with one system, pooled over users and systems, by factor."""
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for session, verdict in judged.verdicts:
        groups[verdict["factor"], session.system, session.user].append(verdict["score"])
    by_factor: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for (factor, _, _), scores in sorted(groups.items()):
        if len(scores) > 1:
            by_factor[factor].append((len(scores) - 1, variance(scores)))
    return {
        factor: sqrt(sum(degrees * part for degrees, part in parts) / sum(degrees for degrees, _ in parts))
        for factor, parts in by_factor.items()
    }


def repeats(judged: JudgeRun, factors: Sequence[str], printed: Mapping[str, Any]) -> StudyTable:
    """The judge's own spread beside the published one (table 8)."""
    found = of_draws(judged, factors)
    beside = printed["rows"] if set(factors) <= set(printed["rows"]) else {}
    rows = [[factor, found.get(factor), beside.get(factor)] for factor in (*factors, SUM)]
    verdicts = [verdict for record in judged.records.values() for verdict in record.verdicts]
    note = f"{drawn(judged.judge, verdicts)} The paper repeats at temperature 0."
    title = f"Spread over a judge's draws of one conversation, judge {judged.judge} (CoRE, table 8)"
    name = f"repeats-{judged.file}"
    columns = ("factor", "standard deviation", "published")
    return StudyTable(name, title, columns, rows, note, source("core", printed["place"]), digits=3)


def of_seeds_alone(judged: JudgeRun) -> dict[str, float]:
    """The standard deviation over seeds without the judge's part in it, by factor: of the variance over seeds that of a
    mean of the judge's draws is taken off, down to 0. Nothing where verdicts have one draw."""
    parts: dict[str, list[float]] = defaultdict(list)
    for _, verdict in judged.verdicts:
        if len(draws := verdict["samples"]["scores"]) > 1:
            parts[verdict["factor"]].append(variance(draws) / len(draws))
    return {
        factor: sqrt(max(0.0, spread**2 - fmean(parts[factor])))
        for factor, spread in of_seeds(judged).items()
        if factor in parts
    }


def over_seeds(judged: JudgeRun, factors: Sequence[str]) -> StudyTable:
    """The spread over the simulator's seeds, with and without what the judge's draws add to it, and that over the draws."""
    spread = of_seeds(judged), of_seeds_alone(judged), of_draws(judged, factors)
    rows = [[factor, *(found.get(factor) for found in spread)] for factor in factors]
    title = f"Spread over seeds of one user, and over the judge's draws, judge {judged.judge}"
    note = "Standard deviations. Scores of several seeds hold the judge's spread too; it is taken off where --samples shows it."
    return StudyTable(
        f"seeds-{judged.file}",
        title,
        ("factor", "over seeds", "over seeds alone", "over draws"),
        rows,
        note,
        digits=3,
    )
