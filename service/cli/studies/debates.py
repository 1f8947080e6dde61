"""Debates of CoRE: roles, rounds, tokens (figures 5 and 12, tables 20 and 21)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ..inputs import Json
from ..tabulating.formats import StudyTable, lines, table_of
from ..tabulating.summary import Measured, summarise
from .judgements import JudgeRun
from .report import of_plot, published, source

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
    """Shares of debates in which all roles, or three quarters, agree after each round (figure 5); a debate that has
    ended, since it was to `stop`, keeps its last round."""
    by_system: dict[str, list[Json]] = {}
    for system, _, debate in _held_debates(judged):
        by_system.setdefault(system, []).append(debate)
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
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, judge, count in spent:
        found[row, judge].append(count)
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
