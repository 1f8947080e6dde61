"""Agreement of judges with people and with one another, and how factors go together (CoRE, figures 7-10)."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ....statistics.coefficients import Coefficient, RaterPairs, coefficient
from ...exits import CommandError
from ...inputs import Json
from ...scores import MEAN_OF_FACTORS, OVERALL
from ...svg import heat_map
from ...tabulating.formats import StudyTable
from ...tabulating.summary import Summary
from ..papers import published, source
from ..steps import StudyRun
from .judgements import JudgeRun
from .printed import of_plot
from .sessions import StudySession, file_name

FEWEST_SYSTEMS = 3
NO_LABELS = (
    "no --labels: have people rate the logs in the run's folder, and give the same command their ratings"
)


def ratings(judged: JudgeRun) -> list[Json]:
    """A judge's scores as ratings: a situation put to each system."""
    found = []
    for name, record in judged.records.items():
        session = judged.sessions[name]
        scored = [verdict for verdict in record.verdicts if verdict["status"] == "scored"]
        shares = [_share(verdict) for verdict in scored]
        scores = {verdict["factor"]: verdict["score"] for verdict in scored}
        if shares:
            scores[MEAN_OF_FACTORS] = 100 * sum(shares) / len(shares)
        if name in judged.debates and (debate := judged.debates[name].debate):
            scores[OVERALL] = debate["overall"]
        found += [rating(session, factor, judged.judge, "judge", score) for factor, score in scores.items()]
    return found


def _share(verdict: Json) -> float:
    low, high = verdict["scale"]["min"], verdict["scale"]["max"]
    return float((verdict["score"] - low) / (high - low))


def rating(session: StudySession, factor: str, rater: str, kind: str, score: float) -> Json:
    """One rating as `/agreement` takes it."""
    return {
        "conversation": session.situation,
        "system": session.system,
        "factor": factor,
        "rater": rater,
        "kind": kind,
        "score": score,
    }


def people(labels: Sequence[Json], sessions: Sequence[StudySession]) -> list[Json]:
    """People's ratings of these sessions. Raises CommandError for one of another conversation."""
    known = {session.id: session for session in sessions}
    found = []
    for label in labels:
        session = known.get(str(label.get("conversation")))
        if session is None or not isinstance(label.get("score"), int | float):
            raise CommandError(
                f"--labels: {label.get('conversation')!r} is no session of this run. Label the logs in its folder: "
                "each rating names a log's id as `conversation`, a `factor`, a `rater` and a `score`."
            )
        given = rating(
            session, str(label.get("factor")), str(label.get("rater") or "person"), "human", label["score"]
        )
        found.append(given)
        if given["factor"] == OVERALL:  # what the factors' mean is compared with as well
            found.append({**given, "factor": MEAN_OF_FACTORS})
    return found


async def coupling(
    asking: StudyRun, judged: JudgeRun, factors: Sequence[str]
) -> tuple[StudyTable, str] | None:
    """Kendall's tau-b between every two factors of a judge (figure 7); None where none is defined."""
    body = {
        "ratings": [one for one in ratings(judged) if one["factor"] in factors],
        "statistics": ["coupling", "mean_coupling"],
        "bootstrap": 0,
    }
    rows = (await asking.once("/agreement", body))["rows"]
    taus = {
        frozenset((row["factor"], row["other_factor"])): row["value"]
        for row in rows
        if row["statistic"] == "coupling" and row["value"] is not None
    }
    if not taus:
        return None
    mean = next((row["value"] for row in rows if row["statistic"] == "mean_coupling"), None)
    printed = published("core")["coupling"]
    table = [
        [one, *(1.0 if one == other else taus.get(frozenset((one, other))) for other in factors)]
        for one in factors
    ]
    told = "undefined" if mean is None else f"{mean:.2f}"
    models = ", ".join(f"{name} {value}" for name, value in printed["judges"].items())
    note = f"Mean of the absolute values: {told}; published: people {printed['people']}, models {printed['models']} ({models})."
    title = f"Coupling of factors, Kendall's tau-b, judge {judged.judge} (CoRE, figure 7)"
    name = f"coupling-{file_name(judged.judge)}"
    drawn = heat_map(
        title, list(factors), [[value for value in row[1:] if not isinstance(value, str)] for row in table]
    )
    return StudyTable(name, title, ("factor", *factors), table, note, source("core", printed["place"])), drawn


def ranks_of_factors(judged: JudgeRun, summary: Summary) -> StudyTable | None:
    """Kendall's tau-b between the rankings of systems by two factors (figure 9); None below three systems."""
    factors = [name for name in summary.factors if name not in (OVERALL, MEAN_OF_FACTORS)]
    means = {factor: _means(summary, factor) for factor in factors}
    if len(summary.systems) < FEWEST_SYSTEMS:
        return None
    rows = [[one, *(tau(means[one], means[other]) for other in factors)] for one in factors]
    title = (
        f"Rankings of systems, factor against factor, Kendall's tau-b, judge {judged.judge} (CoRE, figure 9)"
    )
    name = f"ranks-by-factor-{file_name(judged.judge)}"
    return StudyTable(name, title, ("factor", *factors), rows, *of_plot("ranks_of_factors"))


def ranks_of_judges(summaries: Mapping[str, Summary]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two judges, on each factor (figure 8)."""
    pairs = list(combinations(summaries, 2))
    factors = next(iter(summaries.values())).factors
    rows = [
        [factor, *(tau(_means(summaries[a], factor), _means(summaries[b], factor)) for a, b in pairs)]
        for factor in factors
    ]
    title = "Rankings of systems, judge against judge, Kendall's tau-b (CoRE, figure 8)"
    columns = ("factor", *(f"{a} and {b}" for a, b in pairs))
    return StudyTable("ranks-by-judge", title, columns, rows, *of_plot("ranks_of_judges"))


def _means(summary: Summary, factor: str) -> dict[str, float]:
    # Equal means must tie, in whatever order they were summed.
    return {
        system: round(summary.cells[system, factor].mean, 12)
        for system in summary.systems
        if (system, factor) in summary.cells
    }


def tau(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    """Kendall's tau-b over the systems that both have; None below three, and where one does not vary."""
    shared = [system for system in first if system in second]
    if len(shared) < FEWEST_SYSTEMS:
        return None
    sides = [np.array([side[system] for system in shared]) for side in (first, second)]
    value = coefficient(
        Coefficient.KENDALL_TAU_B, RaterPairs(sides[0], sides[1], np.arange(len(shared), dtype=np.intp))
    )
    return None if np.isnan(value) else value


async def with_people(
    asking: StudyRun,
    judged: Sequence[JudgeRun],
    given: Sequence[Json],
    statistics: Sequence[str] = ("quadratic_weighted_kappa", "spearman", "kendall_tau_b"),
) -> list[Json]:
    """The rows of `/agreement` between each judge and the people."""
    body: dict[str, Any] = {
        "ratings": [*(one for each in judged for one in ratings(each)), *given],
        "statistics": list(statistics),
    }
    rows = (await asking.once("/agreement", body))["rows"]
    return [row for row in rows if row["over"] == "pooled" and row["other"] == "people"]


def figures(rows: Sequence[Json], rater: str, factor: str, statistics: Sequence[str]) -> list[Any]:
    """Return how many units a rater and the people share on a factor, and each statistic of the two; 0 and None without any."""
    found = {row["statistic"]: row for row in rows if (row["rater"], row["factor"]) == (rater, factor)}
    here = [found.get(name) for name in statistics]
    n = max((row["n"] for row in here if row), default=0)
    return [n, *(row["value"] if row else None for row in here)]


def kappas(rows: Sequence[Json], judges: Sequence[str], factors: Sequence[str]) -> StudyTable:
    """Quadratic weighted kappa with people by factor, the best published beside (figure 10, table 22)."""
    printed = published("core")["kappas"]
    columns = ["factor", "conversations", *judges, "published: GPT-4o-mini", "published: best"]
    table = []
    for factor in factors:
        here = [figures(rows, judge, factor, ["quadratic_weighted_kappa"]) for judge in judges]
        beside = {name: values[factor] for name, values in printed["judges"].items()}
        best = max(beside, key=lambda name: beside[name])
        counted = max((n for n, _ in here), default=0)
        values = [value for _, value in here]
        table.append([factor, counted, *values, beside["GPT-4o-mini"], f"{beside[best]:.3f} ({best})"])
    title = "Agreement with people by factor, quadratic weighted kappa (CoRE, table 22, figure 10)"
    place = source("core", printed["place"])
    return StudyTable("kappa-with-people", title, columns, table, "", place, digits=3)


def overall_with_people(rows: Sequence[Json], judges: Sequence[str]) -> StudyTable:
    """Correlations of overall scores with people's overall (table 7)."""
    printed = published("core")["overall"]
    raters = dict.fromkeys(row["rater"] for row in rows if row["factor"] == OVERALL)
    scored = [
        (judge, factor, f"{judge}, {name}")
        for judge in judges
        for factor, name in ((MEAN_OF_FACTORS, "mean of factors"), (OVERALL, "debate"))
    ]
    scored += [(rater, OVERALL, rater) for rater in raters if rater not in judges]
    compared = {(row["rater"], row["factor"]) for row in rows}
    table: list[list[Any]] = [
        [name, *figures(rows, rater, factor, ["spearman", "kendall_tau_b"])]
        for rater, factor, name in scored
        if (rater, factor) in compared
    ]
    table += [[f"published: {name}", 80, *values] for name, values in printed["rows"].items()]
    title = "Agreement of overall scores with people (CoRE, table 7)"
    columns = ("score", "conversations", "Spearman", "tau-b")
    place = source("core", printed["place"])
    return StudyTable("overall-with-people", title, columns, table, "", place, digits=3)
