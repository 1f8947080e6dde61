"""Checks of a study's instruments: the spread of scores (CoRE, table 8), biases of judges, behaviour of simulated users."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from statistics import fmean, variance
from typing import Any

import numpy as np

from ...comparison.preference import Shown
from ...statistics.bootstrap import intervals, point_ratios, ratio_draws
from ...statistics.permutation import mean_interval
from ...statistics.ratings import Rating
from ...statistics.rows import Over
from ..inputs import Json, grouped
from ..scores import MEAN_OF_FACTORS
from ..tabulating.formats import StudyTable
from .judgements import JudgeRun, agreement, all_ratings, bounded, figure_cells, rating
from .report import Findings, drawn, published, source
from .sessions import StudySession
from .steps import StudyRun
from .study import TOGETHER, SessionPlan

SUM = "sum of factors"
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
WORDS = {
    "leaks_title": "messages that name a wanted title first, share",
    "repeats_itself": "messages that say an earlier one again, share",
    "says_catalogue_words": "wishes said in the catalogue's words, share",
    "accepts_against_preferences": "acceptances that what was said does not bear out, share",
    "words_a_message": "words a message",
    "different_words": "different words of the first 1,000, share",
    "objects": "messages that reject or complain, share",
    "accepts": "sessions that end in an acceptance, share",
    "acts_unlike_people": "acts unlike people's, bits (0 the same, 1 nothing shared)",
    "human_likeness": "human-likeness (.5 as a person, 0 always told apart)",
    "notices_faults": "acceptances lost to planted faults, difference of shares",
}


async def check(
    study: StudyRun,
    plan: SessionPlan,
    every: Sequence[JudgeRun],
    factors: Sequence[str],
    groups: Mapping[str, Sequence[StudySession]],
    *,
    compared: Comparisons | None = None,
) -> None:
    """Tabulate the spreads of judges and seeds, the biases of judges, and the audit of each group of sessions."""
    findings = study.findings
    own = [one for one in every if TOGETHER not in one.judge]  # a panel's draws are its members
    if (plan.samples or 1) < 2:
        findings.leave_out("repeats (CoRE, table 8)", "one draw a verdict; --samples 10 draws ten")
    else:
        findings.sheets += [_over_draws(one, factors) for one in own]
    if plan.seeds < 2:
        why = "one seed; --seeds 5 plays each user five times"
        findings.leave_out("spread over the simulator's seeds", why)
    else:
        findings.sheets += [over_seeds(one, factors) for one in own]
    biases(findings, all_ratings(every), compared)
    await _audit(study, plan, groups)


def of_draws(judged: JudgeRun, factors: Sequence[str]) -> dict[str, float]:
    """The mean standard deviation over a judge's draws of one conversation, by factor, and that of the sum over all factors."""
    draws = [
        replace(rating(session, verdict["factor"], judged.judge, score), repeat=number)
        for session, verdict in judged.verdicts
        if verdict["factor"] in factors
        for number, score in enumerate(verdict["samples"]["scores"])
    ]
    rows = agreement(draws, ["repeat_spread"])
    return {row.factor or SUM: row.value for row in rows if row.value is not None}


def of_seeds(judged: JudgeRun) -> dict[str, float]:
    """The standard deviation over the seeds of one user with one system, pooled over users and systems, by factor."""
    groups = grouped(
        ((verdict["factor"], session.system, session.user), verdict["score"])
        for session, verdict in judged.verdicts
    )
    parts = grouped(
        (factor, (len(scores) - 1, variance(scores)))
        for (factor, _, _), scores in sorted(groups.items())
        if len(scores) > 1
    )
    return {
        factor: sqrt(sum(degrees * part for degrees, part in each) / sum(degrees for degrees, _ in each))
        for factor, each in parts.items()
    }


def of_seeds_alone(judged: JudgeRun) -> dict[str, float]:
    """The standard deviation over seeds without the judge's part in it, by factor: of the variance over seeds that of a
    mean of the judge's draws is taken off, down to 0. Nothing where verdicts have one draw."""
    draws = ((verdict["factor"], verdict["samples"]["scores"]) for _, verdict in judged.verdicts)
    parts = grouped((factor, variance(each) / len(each)) for factor, each in draws if len(each) > 1)
    return {
        factor: sqrt(max(0.0, spread**2 - fmean(parts[factor])))
        for factor, spread in of_seeds(judged).items()
        if factor in parts
    }


def _over_draws(judged: JudgeRun, factors: Sequence[str]) -> StudyTable:
    found, printed = of_draws(judged, factors), published("core")["repeats"]
    beside = printed["rows"] if set(factors) <= set(printed["rows"]) else {}
    names = (*factors, SUM) if len(factors) > 1 else factors
    rows = [[name, found.get(name), beside.get(name)] for name in names]
    verdicts = [verdict for record in judged.records.values() for verdict in record.verdicts]
    note = f"{drawn(judged.judge, verdicts)} The paper repeats at temperature 0."
    title = f"Spread over a judge's draws of one conversation, judge {judged.judge} (CoRE, table 8)"
    columns, place = ("factor", "standard deviation", "published"), source("core", "repeats")
    return StudyTable(f"repeats-{judged.file}", title, columns, rows, note, place, digits=3)


def over_seeds(judged: JudgeRun, factors: Sequence[str]) -> StudyTable:
    """The spread over the simulator's seeds, with and without what the judge's draws add to it, and that over the draws."""
    spreads = of_seeds(judged), of_seeds_alone(judged), of_draws(judged, factors)
    rows = [[factor, *(found.get(factor) for found in spreads)] for factor in factors]
    title = f"Spread over seeds of one user, and over the judge's draws, judge {judged.judge}"
    columns = ("factor", "over seeds", "over seeds alone", "over draws")
    note = "Standard deviations. Scores of several seeds hold the judge's spread too; it is taken off where --samples shows it."
    return StudyTable(f"seeds-{judged.file}", title, columns, rows, note, digits=3)


def biases(findings: Findings, ratings: Sequence[Rating], compared: Comparisons | None = None) -> None:
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


async def _audit(study: StudyRun, plan: SessionPlan, groups: Mapping[str, Sequence[StudySession]]) -> None:
    """Figures of each group of sessions, with people's beside where there are logs of them."""
    findings = study.findings
    if plan.logs:
        why = "the users of --logs are none of this run; POST /simulate/audit takes them"
        findings.leave_out("audit of simulated users", why)
        return
    answers: dict[str, Json] = {}
    for name, played in groups.items():
        logs: dict[bool, list[Json]] = {True: [], False: []}
        for session in played:
            logs[session.system in plan.worse].append(session.log)
        if good := logs[False]:
            body = {"logs": good, "worse": logs[True] or None, "people": plan.humans or None}
            answers[name] = await study.once("/simulate/audit", {**body, "catalog": study.catalog})
    if not answers:
        return
    if not plan.humans:
        why = "no --humans: conversations of real users"
        findings.leave_out("simulated users beside people, and their acts", why)
    if not plan.worse:
        why = "no --worse names one with planted faults"
        findings.leave_out("simulated users with a good and a bad recommender", why)
    sides = {"value": "", **({"worse": ", worse recommender"} if plan.worse else {})}
    audited = [{one["audit"]: one for one in answer["findings"]} for answer in answers.values()]
    rows = []
    for key, label in WORDS.items():
        known = [found.get(key) or {} for found in audited]
        if any(one.get("value") is not None for one in known):
            one = next(filter(None, known))
            values = [found.get(side) for found in known for side in sides]
            rows.append([label, *values, one["people"], one["published"]])
    names = [f"{name}{side}" for name in answers for side in sides.values()]
    columns = ("figure", *names, "people", "published")
    findings.add(StudyTable("audit", "Audit of the simulated users", columns, rows, digits=3))
    first = next(iter(answers.values()))
    people = first["acts_of_people"] or {}
    acts = [
        [act, *(answer["acts"].get(act) for answer in answers.values()), people.get(act)]
        for act in first["acts"]
    ]
    title = "Acts of the simulated users' messages, share of all acts"
    findings.add(StudyTable("audit-acts", title, ("act", *answers, "people"), acts, digits=3))
