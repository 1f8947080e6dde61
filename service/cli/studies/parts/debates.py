"""Debates as tables: the roles' scores, agreement by round (CoRE, figures 5 and 12); tokens of verdicts and debates (tables 20, 21)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ...inputs import Json
from ...plots import lines
from ...tabulating.formats import StudyTable, table_of
from ...tabulating.summary import Measured, summarise
from ..papers import of_plot, published, source
from .judgements import JudgeRun

PRINTED_ROUND = 4
"""The round of which the paper's text gives figures."""


def _debates(judged: JudgeRun) -> Iterator[tuple[str, str, Json]]:
    """System, user and debate of each session."""
    for name, record in judged.records.items():
        if record.debate is not None:
            yield judged.sessions[name].system, judged.sessions[name].user, record.debate


def by_role(judged: JudgeRun) -> StudyTable:
    """Each role's mean in the last round, by system, and their mean (figure 12)."""
    numbers = []
    for system, user, debate in _debates(judged):
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


def by_round(judged: JudgeRun, rounds: int, *, stop: bool) -> tuple[StudyTable, str]:
    """Shares of debates in which all roles, or three quarters, agree after each round (figure 5); a debate that has
    ended, since it was to `stop`, keeps its last round."""
    by_system: dict[str, list[Json]] = {}
    for system, _, debate in _debates(judged):
        by_system.setdefault(system, []).append(debate)
    rows: list[list[Any]] = []
    series: dict[str, list[float]] = {}
    for system, debates in by_system.items():
        for agreement in ("all", "major"):
            shares = [
                float(
                    fmean(
                        debate["rounds"][min(number, len(debate["rounds"])) - 1][f"{agreement}_agree"]
                        for debate in debates
                    )
                )
                for number in range(1, rounds + 1)
            ]
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


def tokens(judged: Sequence[JudgeRun]) -> Iterator[StudyTable]:
    """Yield the mean tokens of each factor's verdict (table 20). Debates add those of each round (table 21), and of each role in it."""
    verdicts = [
        (verdict["factor"], run.judge, total_tokens(verdict["usage"]))
        for run in judged
        for record in run.records.values()
        for verdict in record.verdicts
    ]
    printed, note = published("core"), "Mean tokens of a verdict, input and output together."
    yield _tokens("factor", verdicts, note, printed["tokens"]["rows"], source("core", "tokens"))
    rounds = [
        (run.judge, one) for run in judged for _, _, debate in _debates(run) for one in debate["rounds"]
    ]
    if not rounds:
        return
    spent = [
        (f"round {one['round']}", judge, sum(total_tokens(said["usage"]) for said in one["statements"]))
        for judge, one in rounds
    ]
    known = {f"round {number}": count for number, count in enumerate(printed["debate_tokens"]["rounds"], 1)}
    note = "Mean tokens of all roles' statements in debates that came to the round."
    yield _tokens("round", spent, note, known, source("core", "debate_tokens"))
    by_role = [
        (f"{said['role']}, round {one['round']}", judge, total_tokens(said["usage"]))
        for judge, one in rounds
        for said in one["statements"]
    ]
    by_role.sort(key=lambda one: one[0].rpartition(",")[0])
    yield _tokens("role", by_role, "Mean tokens of a role's statement in debates that came to the round.")


def _tokens(
    label: str,
    spent: Iterable[tuple[str, str, float]],
    note: str,
    printed: Mapping[str, float] | None = None,
    place: str = "",
) -> StudyTable:
    """Mean tokens by row and judge, beside those that the paper prints."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, judge, count in spent:
        found[row][judge].append(count)
    names = list(dict.fromkeys(judge for by_judge in found.values() for judge in by_judge))
    rows = [
        [row, *(fmean(each[name]) if each.get(name) else None for name in names)]
        + ([printed.get(row)] if printed else [])
        for row, each in found.items()
    ]
    columns = (label, *names, *(["published"] if printed else []))
    return StudyTable(f"tokens-by-{label}", f"Tokens by {label}", columns, rows, note, place, digits=1)


def total_tokens(usage: Mapping[str, Any]) -> float:
    """Return the tokens behind an answer, paid for now or kept: those of a kept one were spent when it was asked for."""
    return float(usage["input_tokens"] + usage["output_tokens"] + usage["saved_tokens"])
