"""Preference coverage as tables and figures (PEPPER, tables 3, 5, 6, 8, 9, figures 2, 3, 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ...inputs import Json
from ...tabulating.summary import Measured, summarise
from ..figures import chart, lines
from ..papers import published, published_table, source
from ..sheets import StudyTable, table_of
from ..steps import StudyRun
from ..study import Findings
from .judgements import JudgeRun
from .measuring import metrics
from .reviewers import Reviewer
from .sessions import StudySession, file_name

CUTS = (5, 10, 20, 50)
LONGEST = 50
HALVES = {"selected": "first_half", "residual": "second_half", "difference": "first_minus_second"}


def users(reviewers: Sequence[Reviewer]) -> StudyTable:
    """The users in numbers (table 7)."""
    rows: list[list[Any]] = [
        ["users", len(reviewers)],
        ["mean reviews", fmean(len(one.reviews) for one in reviewers)],
        ["mean seen items", fmean(len(one.seen) for one in reviewers)],
        ["mean targets", fmean(len(one.targets) for one in reviewers)],
        ["users with one target alone", sum(len(one.targets) == 1 for one in reviewers)],
    ]
    return StudyTable("users", "Users (PEPPER, table 7)", ("figure", "value"), rows)


async def coverage(asking: StudyRun, findings: Findings, free: Sequence[StudySession]) -> None:
    """Coverage and recall of target-free users, turn by turn and at the end (table 5, figure 6)."""
    numbers: list[Measured] = []
    for session in free:
        rows = await _rows(asking, [session.log], ["preference_coverage", "recall"], CUTS)
        for k in CUTS:
            numbers += _measured(session, f"PC@{k}", _one(rows, "preference_coverage", "session", k))
            numbers += _measured(session, f"Recall@{k}", _one(rows, "recall", "turn", k))
    factors = [*(f"PC@{k}" for k in CUTS), *(f"Recall@{k}" for k in CUTS)]
    title = "Preference coverage at the end, and mean recall of a turn (PEPPER, table 5)"
    findings.add(table_of("coverage", summarise(title, numbers, factors=factors)))
    findings.add(_printed("coverage", "metric"))
    by_system = await _by_system(asking, free, ["preference_coverage", "preference_coverage_increase"])
    findings.add(_by_turn(by_system))
    series = {name: _turns(rows, "preference_coverage", LONGEST) for name, rows in by_system.items()}
    title = f"Preference coverage by turn, PC@{LONGEST} (PEPPER, figure 6)"
    findings.figures["coverage-by-turn"] = lines(title, series, "turn")


def _by_turn(by_system: Mapping[str, Sequence[Json]]) -> StudyTable:
    rows: list[list[Any]] = []
    most = 0
    for name, found in by_system.items():
        for metric, told in (("preference_coverage", "PC"), ("preference_coverage_increase", "PCIR")):
            for k in CUTS:
                values = _turns(found, metric, k)
                most = max(most, len(values))
                rows.append([name, f"{told}@{k}", *values])
    columns = ("system", "metric", *(f"turn {number}" for number in range(1, most + 1)))
    padded = [[*row, *[None] * (len(columns) - len(row))] for row in rows]
    title = "Preference coverage and its increase by turn (PEPPER, equations 1 and 2)"
    note = "A session that ended keeps its value. The paper's figure 6 is a plot; its last values are those of table 5."
    return StudyTable("coverage-by-turn", title, columns, padded, note, digits=4)


async def bias(asking: StudyRun, findings: Findings, groups: Mapping[str, Sequence[StudySession]]) -> None:
    """The gap between targets that were described and the others (table 3, figures 2 and 3)."""
    numbers: list[Measured] = []
    recalled: list[Measured] = []
    for player, played in groups.items():
        for session in played:
            targets = session.log["ground_truth"]
            if len(targets) < 2:
                continue
            rows = await _rows(asking, [session.log], ["preference_coverage"], (LONGEST,))
            for told, label in HALVES.items():
                value = _one(rows, "preference_coverage", "session", LONGEST, {"targets": label})
                numbers += _measured(session, f"{player}, {told}", value)
            middle = (len(targets) + 1) // 2
            for told, half in (("selected", targets[:middle]), ("residual", targets[middle:])):
                log = {**session.log, "ground_truth": half}
                rows = await _rows(asking, [log], ["recall"], (LONGEST,))
                recalled += _measured(session, f"{player}, {told}", _one(rows, "recall", "turn", LONGEST))
    if not numbers:
        findings.leave_out("selected and residual targets (table 3, figure 2)", "no user has two targets")
    else:
        factors = [f"{player}, {told}" for player in groups for told in HALVES]
        title = f"Coverage of selected and residual targets, PC@{LONGEST} (PEPPER, table 3)"
        findings.add(table_of("bias", summarise(title, numbers, factors=factors)))
        findings.add(_printed("bias", "users and targets"))
        halves = [f"{player}, {told}" for player in groups for told in ("selected", "residual")]
        title = f"Recall of a turn on selected and residual targets, Recall@{LONGEST} (PEPPER, figure 2)"
        summary = summarise(title, recalled, factors=halves)
        printed = published("pepper")["bias_recall"]
        sheet = table_of("bias-recall", summary, f"Published: {printed['told']}.")
        findings.add(replace(sheet, source=source("pepper", printed["place"])), chart(summary, 0, 1))
    for player, played in groups.items():
        by_system = await _by_system(asking, played, ["recall", "list_distance"])
        for metric, told in (("recall", f"Recall@{LONGEST}"), ("list_distance", "Jaccard distance of lists")):
            series = {name: _turns(rows, metric, LONGEST) for name, rows in by_system.items()}
            name = f"{metric.replace('_', '-')}-{player}"
            title = f"{told} by turn, {player} users (PEPPER, figure 3)"
            findings.figures[name] = lines(title, series, "turn")


async def rubrics(
    asking: StudyRun, findings: Findings, every: Sequence[JudgeRun], factors: Sequence[str]
) -> None:
    """The increase of coverage a turn, and the three rubrics (table 6)."""
    for one in every:
        numbers = [found for found in one.numbers() if found.factor in factors]
        for session in one.sessions.values():
            rows = await _rows(asking, [session.log], ["preference_coverage_increase"], (LONGEST,))
            value = _one(rows, "preference_coverage_increase", "session", LONGEST)
            numbers += _measured(session, f"PCIR@{LONGEST}", value)
        title = f"Elicitation: increase of coverage a turn, and rubrics on 1-5, judge {one.judge} (PEPPER, table 6)"
        summary = summarise(title, numbers, factors=[f"PCIR@{LONGEST}", *factors])
        name = f"rubrics-{file_name(one.judge)}"
        title = f"Rubrics, 1-5, judge {one.judge} (PEPPER, table 6)"
        shown = summarise(title, [found for found in numbers if found.factor in factors], factors=factors)
        findings.add(table_of(name, summary), chart(shown, 1, 5))
    findings.add(_printed("rubrics", "metric"))


async def beside(
    asking: StudyRun,
    groups: Mapping[str, Sequence[StudySession]],
    name: str,
    title: str,
    cuts: Sequence[int],
) -> StudyTable:
    """Coverage at the end of the same users' sessions, played in several ways."""
    numbers: list[Measured] = []
    for told, played in groups.items():
        for session in played:
            rows = await _rows(asking, [session.log], ["preference_coverage"], cuts)
            for k in cuts:
                value = _one(rows, "preference_coverage", "session", k)
                numbers += _measured(session, f"{told}, PC@{k}", value)
    factors = [f"{told}, PC@{k}" for told in groups for k in cuts]
    printed = published("pepper")[name]
    listed = "; ".join(f"{row}: {', '.join(map(str, values))}" for row, values in printed["rows"].items())
    note = f"Published ({', '.join(printed['columns'])}): {listed}. {source('pepper', printed['place'])}."
    return table_of(name, summarise(title, numbers, factors=factors), note)


def _printed(name: str, label: str) -> StudyTable:
    printed = published("pepper")[name]
    title = f"Published: {printed['place']}"
    return published_table("pepper", name, title, [label], printed=printed, digits=4)


async def _rows(
    asking: StudyRun, logs: Sequence[Json], names: Sequence[str], cuts: Sequence[int]
) -> Sequence[Json]:
    body = {"logs": list(logs), "metrics": list(names), "k": list(cuts)}
    rows: Sequence[Json] = (await metrics(asking, body))["rows"]
    return rows


async def _by_system(
    asking: StudyRun, played: Sequence[StudySession], names: Sequence[str]
) -> dict[str, Sequence[Json]]:
    return {
        system: await _rows(asking, [one.log for one in played if one.system == system], names, CUTS)
        for system in dict.fromkeys(session.system for session in played)
    }


def _one(
    rows: Sequence[Json], metric: str, scope: str, k: int, group: Mapping[str, str] | None = None
) -> float | None:
    """The figure of a whole session."""
    for row in rows:
        same = (row["metric"], row["scope"], row["k"], row["turn"]) == (metric, scope, k, None)
        if same and row["group"] == (group or {}):
            value: float | None = row["value"]
            return value
    return None


def _turns(rows: Sequence[Json], metric: str, k: int) -> list[float | None]:
    """The figure at each turn."""
    found = {
        row["turn"]: row["value"]
        for row in rows
        if (row["metric"], row["scope"], row["k"]) == (metric, "turn", k) and row["turn"] is not None
    }
    return [found.get(turn) for turn in range(1, max(found, default=0) + 1)]


def _measured(session: StudySession, factor: str, value: float | None) -> list[Measured]:
    return [] if value is None else [Measured(session.system, factor, session.user, value)]
