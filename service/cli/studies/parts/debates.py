"""Debates as tables: the roles' scores, agreement by round, tokens by round and role (CoRE, figures 5 and 12, table 21)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ...inputs import Json
from ...plots import lines
from ...tabulating.formats import StudyTable, table_of
from ...tabulating.summary import Measured, summarise
from ..papers import of_plot, published, source
from .judgements import JudgeRun, tokens_table, total_tokens

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
    series: dict[str, list[float | None]] = {}
    for system, debates in by_system.items():
        for agreement in ("all_agree", "major_agree"):
            shares = [
                fmean(_at(debate, number)[agreement] for debate in debates) for number in range(1, rounds + 1)
            ]
            rows.append([system, agreement.replace("_", " "), len(debates), *map(float, shares)])
            series[f"{system}, {agreement.replace('_', ' ')}"] = [float(share) for share in shares]
    title = f"Agreement of the roles by round, judge {judged.judge} (CoRE, figure 5)"
    columns = ("system", "agreement", "debates", *(f"round {number}" for number in range(1, rounds + 1)))
    printed = published("core")["rounds"]
    for system, found in printed["rows"].items() if rounds >= PRINTED_ROUND else ():
        for agreement in ("all", "major"):
            rest = [found[agreement] if number == PRINTED_ROUND else None for number in range(1, rounds + 1)]
            rows.append([f"published: {system}", f"{agreement} agree", None, *rest])
    ends = (
        "A debate ends when all agree, and then keeps its last round." if stop else "Debates have all rounds."
    )
    name = f"debate-rounds-{judged.file}"
    sheet = StudyTable(
        name, title, columns, rows, f"Shares of debates. {ends}", source("core", printed["place"])
    )
    return sheet, lines(title, series, "round")


def _at(debate: Json, number: int) -> Json:
    rounds: Sequence[Json] = debate["rounds"]
    return rounds[min(number, len(rounds)) - 1]


def tokens(judged: Sequence[JudgeRun]) -> list[StudyTable]:
    """Mean tokens of all roles in each round (table 21), and of each role in each round."""
    printed = published("core")["debate_tokens"]
    rounds = [
        (run.judge, one) for run in judged for _, _, debate in _debates(run) for one in debate["rounds"]
    ]
    spent = [
        (f"round {one['round']}", judge, sum(total_tokens(said["usage"]) for said in one["statements"]))
        for judge, one in rounds
    ]
    by_role = [
        (f"{said['role']}, round {one['round']}", judge, total_tokens(said["usage"]))
        for judge, one in rounds
        for said in one["statements"]
    ]
    by_role.sort(key=lambda one: one[0].rpartition(",")[0])
    known = {f"round {number}": count for number, count in enumerate(printed["rounds"], 1)}
    note = "Mean tokens of all roles' statements in debates that came to the round."
    role_note = "Mean tokens of a role's statement in debates that came to the round."
    return [
        tokens_table("round", spent, known, note, printed["place"]),
        tokens_table("role", by_role, {}, role_note),
    ]
