"""Coverage of preferences, the bias of targets, and the three rubrics of PEPPER (tables 3, 5, 6, 8 and 9)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..inputs import Json
from ..tabulating.formats import StudyTable, chart, lines, table_of
from ..tabulating.summary import Measured, summarise
from .judgements import JudgeRun
from .report import published, published_table
from .sessions import StudySession, WantedFigure, logs_by_system, measure, metrics, recalls
from .steps import StudyRun

FACTORS = ("pepper-proactiveness", "pepper-coherence", "pepper-personalization")
CUTS, LONGEST = (5, 10, 20, 50), 50
HALVES = {"selected": "first_half", "residual": "second_half", "difference": "first_minus_second"}


async def coverage(study: StudyRun, free: Sequence[StudySession]) -> None:
    """Coverage and recall of target-free users, turn by turn and at the end (table 5, figure 6)."""
    findings = study.findings
    wanted = _coverages(CUTS) | recalls(CUTS, "turn")
    numbers = await measure(study, free, wanted)
    title = "Preference coverage at the end, and mean recall of a turn (PEPPER, table 5)"
    findings.tabulate("coverage", title, numbers, list(wanted))
    findings.add(_printed("coverage", "metric"))
    names = {"preference_coverage": "PC", "preference_coverage_increase": "PCIR"}
    by_system = await _by_system(study, free, names)
    rows: list[list[Any]] = [
        [system, f"{short}@{k}", *_turns(found, metric, k)]
        for system, found in by_system.items()
        for metric, short in names.items()
        for k in CUTS
    ]
    title = "Preference coverage and its increase by turn (PEPPER, equations 1 and 2)"
    note = "A session that ended keeps its value. The paper's figure 6 is a plot; its last values are those of table 5."
    sheet = _by_turn("coverage-by-turn", title, ("system", "metric"), rows, note)
    series = {name: _turns(rows, "preference_coverage", LONGEST) for name, rows in by_system.items()}
    findings.add(
        sheet, lines(f"Preference coverage by turn, PC@{LONGEST} (PEPPER, figure 6)", series, "turn")
    )


async def bias(study: StudyRun, groups: Mapping[str, Sequence[StudySession]]) -> None:
    """The gap between targets that were described and the others (table 3, figures 2 and 3)."""
    findings = study.findings
    numbers: list[Measured] = []
    recalled: list[Measured] = []
    for player, played in groups.items():
        several = [session for session in played if len(session.log["ground_truth"]) > 1]
        described = {
            f"{player}, {half}": WantedFigure("preference_coverage", "session", LONGEST, label)
            for half, label in HALVES.items()
        }
        numbers += await measure(study, several, described)
        parts: dict[str, list[StudySession]] = {"selected": [], "residual": []}
        for one in several:
            targets = one.log["ground_truth"]
            middle = (len(targets) + 1) // 2
            for half, own in zip(parts.values(), (targets[:middle], targets[middle:]), strict=True):
                half.append(replace(one, log={**one.log, "ground_truth": own}))
        for name, half in parts.items():
            recalled += await measure(study, half, recalls((LONGEST,), "turn", f"{player}, {name}"))
    if not numbers:
        findings.leave_out("selected and residual targets (table 3, figure 2)", "no user has two targets")
    else:
        factors = [f"{player}, {half}" for player in groups for half in HALVES]
        title = f"Coverage of selected and residual targets, PC@{LONGEST} (PEPPER, table 3)"
        findings.tabulate("bias", title, numbers, factors)
        findings.add(_printed("bias", "users and targets"))
        halves = [f"{player}, {half}" for player in groups for half in ("selected", "residual")]
        title = f"Recall of a turn on selected and residual targets, Recall@{LONGEST} (PEPPER, figure 2)"
        findings.tabulate("bias-recall", title, recalled, halves, shares=True)
        findings.add(_printed("bias_recall", "users and targets"))
    names = {"recall": f"Recall@{LONGEST}", "list_distance": "Jaccard distance of lists"}
    for player, played in groups.items():
        by_system = await _by_system(study, played, names)
        for metric, label in names.items():
            series = {name: _turns(rows, metric, LONGEST) for name, rows in by_system.items()}
            name = f"{metric.replace('_', '-')}-{player}"
            title = f"{label} by turn, {player} users (PEPPER, figure 3)"
            sheet = _by_turn(name, title, ("system",), [[system, *found] for system, found in series.items()])
            findings.add(sheet, lines(title, series, "turn"))


async def rubrics(study: StudyRun, every: Sequence[JudgeRun]) -> None:
    """The increase of coverage a turn, and the three rubrics (table 6)."""
    increase = {f"PCIR@{LONGEST}": WantedFigure("preference_coverage_increase", "session", LONGEST)}
    for one in every:
        rated = [found for found in one.numbers() if found.factor in FACTORS]
        numbers = [*rated, *await measure(study, one.sessions.values(), increase)]
        title = f"Elicitation: increase of coverage a turn, and rubrics on 1-5, judge {one.judge} (PEPPER, table 6)"
        sheet = table_of(f"rubrics-{one.file}", summarise(title, numbers, factors=[*increase, *FACTORS]))
        shown = summarise(f"Rubrics, 1-5, judge {one.judge} (PEPPER, table 6)", rated, factors=FACTORS)
        study.findings.add(sheet, chart(shown, 1, 5))
    study.findings.add(_printed("rubrics", "metric"))


async def beside(
    study: StudyRun, groups: Mapping[str, Sequence[StudySession]], name: str, title: str, cuts: Sequence[int]
) -> None:
    """Coverage at the end of the same users' sessions, played in several ways."""
    numbers: list[Measured] = []
    for group, played in groups.items():
        numbers += await measure(study, played, _coverages(cuts, f"{group}, "))
    factors = [f"{group}, PC@{k}" for group in groups for k in cuts]
    study.findings.tabulate(name, title, numbers, factors)
    study.findings.add(_printed(name, "metric" if name == "players" else "users"))


def _printed(name: str, label: str) -> StudyTable:
    title = f"Published: {published('pepper')[name]['place']}"
    return published_table("pepper", name, title, [label], digits=4)


def _coverages(cuts: Sequence[int], before: str = "") -> dict[str, WantedFigure]:
    return {f"{before}PC@{k}": WantedFigure("preference_coverage", "session", k) for k in cuts}


async def _by_system(
    study: StudyRun, played: Sequence[StudySession], names: Iterable[str]
) -> dict[str, Sequence[Json]]:
    found: dict[str, Sequence[Json]] = {}
    for system, logs in logs_by_system(played).items():
        answer = await metrics(study, {"logs": logs, "metrics": list(names), "k": list(CUTS)})
        found[system] = answer["rows"]
    return found


def _by_turn(
    name: str, title: str, labels: Sequence[str], rows: Sequence[Sequence[Any]], note: str = ""
) -> StudyTable:
    """Put the figures of each turn into columns behind the labels. Short rows end in empty cells."""
    most = max(map(len, rows), default=len(labels))
    columns = (*labels, *(f"turn {number}" for number in range(1, most - len(labels) + 1)))
    padded = [[*row, *[None] * (most - len(row))] for row in rows]
    return StudyTable(name, title, columns, padded, note, digits=4)


def _turns(rows: Sequence[Json], metric: str, k: int) -> list[float | None]:
    found = {
        row["turn"]: row["value"]
        for row in rows
        if (row["metric"], row["scope"], row["k"]) == (metric, "turn", k) and row["turn"] is not None
    }
    return [found.get(turn) for turn in range(1, max(found, default=0) + 1)]
