"""CONCEPT's users: the grid of personas, age groups and attribute groups, and tables by group (tables 4, 8-10 and 12-14)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from ...importing.entries import plain_name
from ...simulators.phrases import age_groups, persona_names
from ..exits import CommandError
from ..inputs import Json, Source, objects
from ..tabulating.formats import StudyTable, table_of
from ..tabulating.summary import Measured, summarise
from .judgements import JudgeRun
from .report import published, published_table, source
from .sessions import StudySession, WantedFigure

LABELS = {"age_group": "age group", "persona": "persona", "attributes": "attribute group"}
SUCCESS = {
    "SR@10, text": WantedFigure("success_rate", view="text", turn=10),
    "SR@10, lists": WantedFigure("success_rate", turn=10),
    "acceptance rate": WantedFigure("acceptance_rate", view="user"),
}
OVERALL = "concept-overall"
Shares = Sequence[tuple[StudySession, Mapping[str, float]]]
"""Recall and success of each session, 0-1."""


def overall_by(judged: JudgeRun, label: str) -> StudyTable:
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
    """Success at turn 10 and acceptance: mean and population SD over groups of users, equally weighted (tables 12-14)."""
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


def printed_by(kind: str, label: str, figures: str) -> StudyTable:
    """The paper's figures by group of users (tables 8-10, 12-14)."""
    title, labels = f"Published: {figures} by {LABELS[label]}", ["data set", LABELS[label]]
    printed = published("concept")[kind][label]
    return published_table("concept", f"{kind}-by-{label}", title, labels, printed=printed, folded=True)


def conversations_by(played: Sequence[StudySession]) -> StudyTable:
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


def _group(log: Json, label: str) -> str:
    found = (log.get("user") or {}).get(label)
    if isinstance(found, list):
        return ", ".join(sorted(map(str.casefold, found)))
    return str(found or "none").casefold()


def grid_of(
    catalog: str | None, count: int, sizes: Sequence[int], dimension: str, own: Sequence[Json] = ()
) -> list[Source]:
    """A user for each persona, age group and attribute group, always in the same order. `own` personas take the place
    of the twelve.

    Raises CommandError without the file of a catalogue, and where it has too few groups. Raises it also for a persona without a
    description that is none of the twelve."""
    personas = [_persona(one) for one in own] or [{"persona": name} for name in persona_names()]
    if catalog is None or not Path(catalog).is_file():
        raise CommandError(
            "The grid of users is made from a catalogue: give its file by --catalog, or users by --users."
        )
    groups = attribute_groups(objects([catalog]), count, sizes, dimension)
    domain = plain_name(Path(catalog)).stem
    users = []
    for group in groups:
        for persona, age in product(personas, age_groups()):
            name = f"{persona['persona']}-{age}-{'+'.join(group)}"
            user = {**persona, "age_group": age, "attributes": list(group)}
            log = {"id": name, "user": user, "messages": [], "metadata": {"dataset": domain}}
            users.append(Source(f"user {name}", name, log, None, None))
    return users


def _persona(given: Json) -> Json:
    name, description = given.get("persona"), given.get("description")
    if not isinstance(name, str) or not (isinstance(description, str) or name.casefold() in persona_names()):
        raise CommandError(
            f"--personas: {name!r} is none of {', '.join(persona_names())}: describe it, as in "
            '{"persona": "haste", "description": "You are in a hurry."}.'
        )
    return {"persona": name} | ({"persona_description": description} if isinstance(description, str) else {})


def attribute_groups(
    items: Sequence[Json], count: int, sizes: Sequence[int], dimension: str
) -> list[tuple[str, ...]]:
    """The `count` most frequent sets of so many values of a dimension that items have whole. The first by name comes first of
    equally frequent ones (CONCEPT, appendix B.2.2: 19 groups of three genres on ReDial).

    Raises CommandError where there are too few."""
    found = (tuple(sorted({*((item.get("attributes") or {}).get(dimension) or ())})) for item in items)
    counts = Counter(group for group in found if len(group) in sizes)
    ranked = sorted(counts, key=lambda group: (-counts[group], group))
    if len(ranked) < count:
        wanted = " or ".join(map(str, sizes))
        raise CommandError(
            f"The catalogue has {len(ranked)} sets of {wanted} values of {dimension!r}, and --groups asks for "
            f"{count}. Ask for fewer, or for other --group-sizes or another --dimension."
        )
    return ranked[:count]
