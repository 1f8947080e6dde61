"""CONCEPT's tables: abilities, recommendation, reliability, by groups of users, with the paper's figures beside."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean, pstdev
from typing import Any

from ....domain.rubric import Protocol
from ....factors import load_factors
from ...inputs import Json
from ...tabulating.formats import StudyTable, differences_of, table_of
from ...tabulating.summary import Measured, summarise
from ..report import published, published_table, source
from ..steps import StudyRun
from .judgements import JudgeRun
from .sessions import StudySession, WantedFigure, logs_by_system, measure_each, recalls

CUTS, TURNS = (1, 10, 25, 50), (3, 5, 10)
OVERALL = "concept-overall"
LABELS = {"age_group": "age group", "persona": "persona", "attributes": "attribute group"}


def slugs() -> tuple[str, ...]:
    """CONCEPT's judged factors."""
    return tuple(factor.slug for factor in load_factors().of(Protocol.CONCEPT))


def of_judge(judged: JudgeRun, answers: Mapping[str, Json]) -> Iterable[StudyTable]:
    """Sheets that rest on one judge's verdicts."""
    title = f"Judged abilities, 1-5, judge {judged.judge} (CONCEPT, figure 4, table 5)"
    yield table_of(f"judged-{judged.file}", judged.summary(title, slugs(), whole=False))
    yield _abilities(judged, answers)
    yield _parts(judged, answers)
    yield from (_overall_by(judged, label) for label in LABELS)


def _abilities(judged: JudgeRun, answers: Mapping[str, Json]) -> StudyTable:
    """The six abilities of each system, 1-5; coordination from 0, lower is steadier (figure 2)."""
    names = list(dict.fromkeys(name for answer in answers.values() for name in answer["abilities"]))
    rows = [
        [name, *(_with_interval(answer["abilities"].get(name)) for answer in answers.values())]
        for name in names
    ]
    title = f"Six abilities, judge {judged.judge} (CONCEPT, figures 2 and 6)"
    note = "Score [95 % interval over conversations]; coordination: lower is steadier. Empty: a part is not there. The paper's figures print no values."
    return StudyTable(f"abilities-{judged.file}", title, ("ability", *answers), rows, note)


def _with_interval(scores: Sequence[Json] | None) -> str | None:
    if not scores or scores[0]["score"] is None:
        return None
    score, bounds = scores[0]["score"], scores[0]["interval"]
    return f"{score:.2f}" + (f" [{bounds['low']:.2f}, {bounds['high']:.2f}]" if bounds else "")


def _parts(judged: JudgeRun, answers: Mapping[str, Json]) -> StudyTable:
    """The parts that the abilities rest on, each with its unit."""
    rows: list[list[Any]] = [
        [system, name, part["name"], part["value"], part["unit"], part["n"], part["undefined"]]
        for system, answer in answers.items()
        for name, scores in answer["abilities"].items()
        for part in (scores[0]["parts"] if scores else ())
    ]
    columns = ("system", "ability", "part", "value", "unit", "n", "undefined")
    title = f"Parts of the abilities, judge {judged.judge}"
    return StudyTable(f"parts-{judged.file}", title, columns, rows, digits=4)


def _overall_by(judged: JudgeRun, label: str) -> StudyTable:
    """The judged overall performance by group of users (tables 8-10)."""
    numbers = [
        Measured(one.system, _group(one.log, label), one.user, verdict["score"])
        for one, verdict in judged.verdicts
        if verdict["factor"] == OVERALL
    ]
    title = f"Overall performance, 1-5, by {LABELS[label]}, judge {judged.judge} (CONCEPT, tables 8-10)"
    factors = sorted({one.factor for one in numbers})
    sheet = table_of(f"overall-by-{label}-{judged.file}", summarise(title, numbers, factors=factors))
    return replace(sheet, columns=(LABELS[label], *sheet.columns[1:]))


def _group(log: Json, label: str) -> str:
    found = (log.get("user") or {}).get(label)
    if isinstance(found, list):
        return ", ".join(sorted(map(str.casefold, found)))
    return str(found or "none").casefold()


def recommendation(answers: Mapping[str, Json], matching: str) -> Iterable[StudyTable]:
    """Recommendation quality from three sides, in per cent and turns, and the paper's (table 3)."""
    wanted = list(recalls(CUTS, "last").items())
    for view in ("lists", "text"):
        wanted += [(f"SR@{turn}", WantedFigure("success_rate", view=view, turn=turn)) for turn in TURNS]
        wanted.append(("AT", WantedFigure("average_turns", view=view, turn=TURNS[-1])))
    wanted += [
        ("acceptance rate", WantedFigure("acceptance_rate", view="user")),
        ("AT", WantedFigure("turns_to_acceptance", view="user")),
        *(
            ("success-rate ratio", WantedFigure("success_rate_ratio", view=view))
            for view in ("lists", "text", "user")
        ),
        ("items that do not exist", WantedFigure("nonexistent_items", view="text")),
        ("deceptive acceptances", WantedFigure("deceptive_acceptances", view="user")),
    ]
    printed = published("concept")["sincerity"]
    rows: list[list[Any]] = []
    for name, one in wanted:
        found = (_scaled(one, answer["rows"], 1 if name == "AT" else 100) for answer in answers.values())
        rows.append([one.view, name, *found, *(printed["rows"].get(name) or [None, None])])
    columns = ("view", "metric", *answers, *(f"published: {name}" for name in printed["columns"]))
    title = f"Recommendation quality, matching {matching} (CONCEPT, table 3)"
    place = source("concept", "sincerity")
    note = "Shares in per cent. View: the lists, the text, the user. AT: mean turn of the first success."
    yield StudyTable("recommendation", title, columns, rows, note, place)
    title = "Published: recommendation quality (its two AT rows, interchanged in print, stand right here)"
    yield published_table("concept", "recommendation", title, ["view", "metric"])


def _scaled(wanted: WantedFigure, rows: Sequence[Json], times: int = 100) -> float | None:
    return None if (value := wanted.of(rows)) is None else value * times


SUCCESS = {
    "SR@10, text": WantedFigure("success_rate", view="text", turn=10),
    "SR@10, lists": WantedFigure("success_rate", turn=10),
    "acceptance rate": WantedFigure("acceptance_rate", view="user"),
}
Shares = Sequence[tuple[StudySession, Mapping[str, float]]]
"""Recall and success of each session."""


async def shares_of(study: StudyRun, judged: JudgeRun, matching: str) -> Shares:
    """Recall at 10 and success of each session, 0-1."""
    wanted = {**recalls((10,), "last"), **SUCCESS}
    return await measure_each(study, judged.sessions.values(), wanted, matching=matching)


def differences(found: Shares) -> StudyTable:
    """The systems in pairs, by recall and success of each conversation."""
    numbers = [
        Measured(one.system, name, one.user, 100 * share)
        for one, shares in found
        for name, share in shares.items()
    ]
    return differences_of("recommendation", summarise("Recommendation quality, per cent", numbers))


def success_by(found: Shares, label: str) -> StudyTable:
    """Success in the text and in lists at turn 10, and acceptance, of each group of users (tables 12-14)."""
    numbers = [
        Measured(one.system, f"{_group(one.log, label)}, {name}", one.user, 100 * shares[name])
        for one, shares in found
        for name in SUCCESS
        if name in shares
    ]
    title = f"Success and acceptance by {LABELS[label]}, per cent (CONCEPT, tables 12-14)"
    summary = summarise(title, numbers, factors=sorted({one.factor for one in numbers}))
    return table_of(f"success-by-{label}", summary)


def spread(found: Shares, label: str) -> StudyTable:
    """Success in the text and in lists at turn 10, and acceptance: mean and population standard deviation over groups
    of users, which weigh alike (tables 12-14)."""
    systems = list(dict.fromkeys(one.system for one, _ in found))
    rows: list[list[Any]] = []
    for name in SUCCESS:
        groups: dict[str, dict[str, list[float]]] = {system: {} for system in systems}
        for one, shares in found:
            if name in shares and (one.log.get("user") or {}).get(label):
                groups[one.system].setdefault(_group(one.log, label), []).append(100 * shares[name])
        means = [[fmean(known) for known in each.values()] for each in groups.values()]
        rows.append([name, "mean", *(fmean(known) if known else None for known in means)])
        deviations = (pstdev(known) if len(known) > 1 else None for known in means)
        rows.append([name, "standard deviation", *deviations])
    title = f"Spread over the {LABELS[label]}s (CONCEPT, tables 12-14)"
    return StudyTable(f"spread-{label}", title, ("metric", "statistic", *systems), rows, "In per cent.")


def reliability(answers: Mapping[str, Json]) -> StudyTable:
    """Changes by another wording (table 11)."""
    names = {
        "consistent_action": "action consistency",
        "consistent_recommendation": "same item",
        "diverse_recommendation": "diversity",
        "sensitivity": "sensitivity",
    }
    rows: list[list[Any]] = []
    printed = published("concept")["reliability"]
    for (metric, name), view in product(names.items(), ("lists", "text")):
        found = [_scaled(WantedFigure(metric, view=view), answer["rows"]) for answer in answers.values()]
        beside = printed["rows"][metric] if view == "lists" else [None] * len(printed["columns"])
        rows.append([name, view, *found, *beside])
    columns = ("metric", "view", *answers, *(f"published: {name}" for name in printed["columns"]))
    note = "In per cent, over pairs of replies to two wordings of one message."
    title, place = "Reliability (CONCEPT, table 11)", source("concept", "reliability")
    return StudyTable("reliability", title, columns, rows, note, place)


def printed_of_judges() -> Iterable[StudyTable]:
    """The paper's judged figures: persuasiveness (table 5), overall performance by group of users (tables 8-10)."""
    title = "Published: persuasiveness of explanations, 1-5"
    yield published_table("concept", "persuasiveness", title, ["system"])
    for label in LABELS:
        yield printed_by("overall", label, "overall performance")


def printed_by(kind: str, label: str, figures: str) -> StudyTable:
    """The paper's figures by group of users (tables 8-10, 12-14)."""
    title, labels = f"Published: {figures} by {LABELS[label]}", ["data set", LABELS[label]]
    printed = published("concept")[kind][label]
    return published_table("concept", f"{kind}-by-{label}", title, labels, printed=printed, folded=True)


def sizes(played: Sequence[StudySession]) -> StudyTable:
    """The conversations in numbers (table 2)."""
    rows: list[list[Any]] = []
    for system, logs in logs_by_system(played).items():
        messages = [said for log in logs for said in log["messages"]]
        words = [len(str(said.get("content") or "").split()) for said in messages]
        replies = [sum(said["role"] == "assistant" for said in log["messages"]) for log in logs]
        rows.append([system, len(logs), fmean(replies), fmean(words) if words else None])
    printed = published("concept")["sizes"]
    rows.append(["published: all", printed["conversations"], printed["turns"], None])
    columns = ("system", "conversations", "mean turns", "mean words a message")
    title, place = "Conversations (CONCEPT, table 2)", source("concept", "sizes")
    return StudyTable("conversations", title, columns, rows, "A turn is a reply of the recommender.", place)


def users(played: Sequence[StudySession]) -> StudyTable:
    """Conversations by persona and age group, of all systems together (table 4)."""
    counts = Counter((_group(one.log, "persona"), _group(one.log, "age_group")) for one in played)
    personas, ages = ([*dict.fromkeys(found)] for found in zip(*counts, strict=True))
    printed = published("concept")["sizes"]["persona"]
    rows: list[list[Any]] = []
    for persona in personas:
        by_age = [counts[persona, age] for age in ages]
        rows.append([persona, *by_age, sum(by_age), *printed.values()])
    columns = ("persona", *ages, "all", *(f"published: one system, {name}" for name in printed))
    note = f"Over {len({one.system for one in played})} systems."
    title = "Conversations by persona and age group (CONCEPT, table 4)"
    return StudyTable("users", title, columns, rows, note, source("concept", "sizes"))
