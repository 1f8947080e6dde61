"""CONCEPT from the sessions, or from logs, to the tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ....domain.rubric import Protocol
from ....factors import load_factors
from ....importing.entries import plain_name
from ...exits import CommandError
from ...inputs import Json, Source
from ...records import Record
from ...run import Job
from ...tabulating.summary import Measured, summarise
from ..asking import Asking
from ..estimate import TOKENS
from ..figures import chart
from ..papers import published, source
from ..sheets import Sheet, sheet_of
from ..study import Component, Findings
from . import auditing, judging, sessions
from .judging import Judged
from .measuring import metrics
from .sessions import Session, file_name

ROUNDS = 10
CUTS, TURNS = (1, 10, 25, 50), (3, 5, 10)
OVERALL = "concept-overall"
MAXIMS = ("concept-manner", "concept-response-quality", "concept-relevance")
LABELS = {"age_group": "age group", "persona": "persona", "attributes": "attribute group"}
PERSONS = ("age_group", "persona")


@dataclass(frozen=True)
class Asked:
    """The options of a run. `had` says that the sources are conversations, not users."""

    sources: Sequence[Source]
    had: bool
    user_model: str | None
    seed: int
    paraphrases: int
    matching: str
    humans: Sequence[Json] = ()

    def check(self) -> None:
        """Raise CommandError for users and conversations without the wishes that everything is computed from."""
        for one in self.sources:
            user = one.log.get("user") or {}
            if not user.get("attributes"):
                raise CommandError(
                    f"{one.place}: CONCEPT's users have wishes: add `user.attributes`, a list of words."
                )
            if self.had and not one.log["messages"]:
                raise CommandError(
                    f"{one.place}: the conversation is empty. For users without one name a recommender."
                )

    def components(self, systems: Sequence[str], judges: Sequence[str]) -> list[Component]:
        """The models' calls: messages of users, wordings, verdicts."""
        count = len(self.sources) * (1 if self.had else len(systems))
        found = []
        if self.user_model and not self.had:
            found.append(Component("users", self.user_model, count * ROUNDS * 2, *TOKENS["persona"]))
            found.append(
                Component("wordings", self.user_model, count * self.paraphrases, *TOKENS["paraphrase"])
            )
        return found + [
            Component("abilities", judge, count * len(slugs()), *TOKENS["ability"]) for judge in judges
        ]

    def simulator(self, _: Source, seed: int) -> dict[str, Any]:
        """The persona user; by rule without a model."""
        if self.user_model is None:
            return {"type": "scripted", "seed": self.seed + seed, "max_rounds": ROUNDS}
        return {"type": "persona", "judge": self.user_model, "seed": self.seed + seed, "max_rounds": ROUNDS}


def slugs() -> tuple[str, ...]:
    """CONCEPT's judged factors."""
    return tuple(factor.slug for factor in load_factors().of(Protocol.CONCEPT))


async def run(asking: Asking, asked: Asked, systems: Sequence[str], judges: Sequence[str]) -> Findings:
    """All steps, and what they come to."""
    findings = Findings()
    records: Sequence[Record] = ()
    if asked.had:
        played = _had(asked.sources)
        sessions.keep(asking, played)
        systems = list(dict.fromkeys(session.system for session in played))
    else:
        asking.folder.write_lines("users.jsonl", [user.log for user in asked.sources])
        played, records = await sessions.play(asking, asked.sources, systems, 1, asked.simulator)
        findings.sheets.append(sessions.told(records))
    every = [await judging.judge(asking, name, played, ["concept"], {}) for name in judges]
    pairs = await _worded(asking, asked, played) if asked.paraphrases else {}
    findings.failures += sum(record.answer is None for record in records) + sum(one.failures for one in every)
    findings.sheets.append(_sizes(played))
    for one in every:
        await _measured(asking, asked, findings, one, pairs)
    if not asked.had:
        await auditing.audit(asking, findings, {"simulated": [one.log for one in played]}, asked.humans)
    _left_out(findings, asked)
    _tell(findings, asked, played, systems, judges)
    return findings


def _had(sources: Sequence[Source]) -> list[Session]:
    """Conversations as sessions; the user is who the log says, else its mood, age and wishes."""
    found = []
    for one in sources:
        log, user = one.log, one.log.get("user") or {}
        known = (log.get("metadata") or {}).get("user")
        who = known or "-".join(
            map(str, (user.get("persona"), user.get("age_group"), *sorted(user["attributes"])))
        )
        place = plain_name(Path(one.place.rpartition(":")[0] or one.place)).stem
        system = str(log.get("system") or place)
        found.append(
            Session(one.conversation, system, str(who), sessions.WHOLE, 0, {**log, "system": system})
        )
    return found


async def _worded(asking: Asking, asked: Asked, played: Sequence[Session]) -> dict[str, list[Json]]:
    """Pairs of replies to wordings of the user's second message, or the first of sessions that have one alone."""
    jobs = []
    for session in played:
        spoken = [place for place, said in enumerate(session.log["messages"]) if said["role"] == "user"]
        if spoken:
            at = spoken[min(1, len(spoken) - 1)]
            log = {
                **session.log,
                "messages": session.log["messages"][: at + 1],
                "outcome": None,
                "complete": None,
            }
            simulator = {
                "type": "paraphrase",
                "count": asked.paraphrases,
                "seed": asked.seed,
                "judge": asked.user_model,
            }
            body = {
                "simulator": {key: value for key, value in simulator.items() if value is not None},
                "log": {key: value for key, value in log.items() if value is not None},
                "crs": session.system,
                "catalog": asking.catalog,
            }
            present = {key: value for key, value in body.items() if value is not None}
            jobs.append(Job(session.id, session.system, "/simulate", present))
    pairs: dict[str, list[Json]] = {}
    for record in await asking.step("wordings", jobs):
        pairs.setdefault(record.system or "", []).extend((record.answer or {}).get("reply_pairs") or ())
    return pairs


async def _measured(
    asking: Asking, asked: Asked, findings: Findings, judged: Judged, pairs: Mapping[str, Sequence[Json]]
) -> None:
    answers = {
        system: await _metrics(asking, asked, judged, system, pairs.get(system))
        for system in dict.fromkeys(session.system for session in judged.sessions.values())
    }
    findings.sheets += _of_judge(judged, answers)
    known = judged.summary(f"Judged abilities, 1-5, judge {judged.judge}", slugs())
    findings.figures[f"judged-{file_name(judged.judge)}"] = chart(known, 1, 5)
    if not any(sheet.name == "recommendation" for sheet in findings.sheets):  # computed alike for every judge
        findings.sheets += [recommendation(answers, asked.matching), _printed_recommendation()]
        findings.sheets += [spread(answers, label) for label in LABELS]
        if pairs:
            findings.sheets.append(reliability(answers))


async def _metrics(
    asking: Asking, asked: Asked, judged: Judged, system: str, pairs: Sequence[Json] | None
) -> Json:
    ids = [name for name, session in judged.sessions.items() if session.system == system]
    body = {
        "logs": [judged.sessions[name].log for name in ids],
        "verdicts": [judged.records[name].verdicts for name in ids],
        "reply_pairs": pairs or None,
        "metrics": list(METRICS if pairs else METRICS[:-4]),
        "k": list(CUTS),
        "turns": list(TURNS),
        "spread_over": list(LABELS),
        "matching": asked.matching,
    }
    return await metrics(asking, body)


METRICS = (
    "recall",
    "success_rate",
    "average_turns",
    "acceptance_rate",
    "turns_to_acceptance",
    "nonexistent_items",
    "deceptive_acceptances",
    "honest_explanations",
    "consistent_action",
    "consistent_recommendation",
    "diverse_recommendation",
    "sensitivity",
)


def _of_judge(judged: Judged, answers: Mapping[str, Json]) -> Iterable[Sheet]:
    """Sheets that rest on one judge's verdicts."""
    name = file_name(judged.judge)
    title = f"Judged abilities, 1-5, judge {judged.judge} (CONCEPT, figure 4, table 5)"
    yield sheet_of(f"judged-{name}", judged.summary(title, slugs()))
    yield abilities(answers, judged.judge)
    yield parts(answers, judged.judge)
    for label, told in LABELS.items():
        yield _overall_by(judged, label, told)


def abilities(answers: Mapping[str, Json], judge: str) -> Sheet:
    """The six abilities of each system, 1-5; coordination from 0, lower is steadier (figure 2)."""
    names = list(dict.fromkeys(name for answer in answers.values() for name in answer["abilities"]))
    rows = [
        [name, *(_told(next(iter(answer["abilities"].get(name) or ()), None)) for answer in answers.values())]
        for name in names
    ]
    title = f"Six abilities, judge {judge} (CONCEPT, figures 2 and 6)"
    note = "Score [95 % interval over conversations]; coordination: lower is steadier. Empty: a part is not there."
    return Sheet(f"abilities-{file_name(judge)}", title, ("ability", *answers), rows, note)


def _told(found: Json | None) -> str | None:
    if found is None or found["score"] is None:
        return None
    bounds = found["interval"]
    return f"{found['score']:.2f}" + (f" [{bounds['low']:.2f}, {bounds['high']:.2f}]" if bounds else "")


def parts(answers: Mapping[str, Json], judge: str) -> Sheet:
    """The parts that the abilities rest on, each with its unit."""
    rows: list[list[Any]] = [
        [system, name, part["name"], part["value"], part["unit"], part["n"], part["undefined"]]
        for system, answer in answers.items()
        for name, scores in answer["abilities"].items()
        for part in (scores[0]["parts"] if scores else ())
    ]
    columns = ("system", "ability", "part", "value", "unit", "n", "undefined")
    return Sheet(
        f"parts-{file_name(judge)}", f"Parts of the abilities, judge {judge}", columns, rows, digits=4
    )


def _overall_by(judged: Judged, label: str, told: str) -> Sheet:
    """The judged overall performance by group of users (tables 8-10)."""
    scored = [
        (judged.sessions[name], verdict["score"])
        for name, record in judged.records.items()
        for verdict in record.verdicts
        if verdict["factor"] == OVERALL and verdict["status"] == "scored"
    ]
    numbers = [Measured(one.system, _group(one.log, label), one.user, score) for one, score in scored]
    title = f"Overall performance, 1-5, by {told}, judge {judged.judge} (CONCEPT, tables 8-10)"
    factors = sorted({one.factor for one in numbers})
    return sheet_of(
        f"overall-by-{label}-{file_name(judged.judge)}", summarise(title, numbers, factors=factors)
    )


def _group(log: Json, label: str) -> str:
    found = (log.get("user") or {}).get(label)
    return (
        ", ".join(sorted(found, key=str.casefold))
        if isinstance(found, list)
        else str(found or "none").casefold()
    )


def recommendation(answers: Mapping[str, Json], matching: str) -> Sheet:
    """Recommendation quality from three sides, in per cent and turns (table 3)."""
    wanted: list[tuple[str, str, str | None, str, int | None]] = [
        *(("lists", "recall", "last", f"Recall@{k}", k) for k in CUTS),
        *(("lists", "success_rate", None, f"SR@{turn}", turn) for turn in TURNS),
        ("lists", "average_turns", None, "AT", TURNS[-1]),
        *(("text", "success_rate", None, f"SR@{turn}", turn) for turn in TURNS),
        ("text", "average_turns", None, "AT", TURNS[-1]),
        ("user", "acceptance_rate", None, "acceptance rate", None),
        ("user", "turns_to_acceptance", None, "AT", None),
        ("text", "nonexistent_items", None, "items that do not exist", None),
        ("user", "deceptive_acceptances", None, "deceptive acceptances", None),
    ]
    rows = []
    for view, metric, scope, name, cut in wanted:
        found = [_value(answer["rows"], metric, view, scope, cut) for answer in answers.values()]
        rows.append([view, name, *found])
    title = f"Recommendation quality, matching {matching} (CONCEPT, table 3)"
    note = "Shares in per cent. View: the lists, the text, the user. AT: mean turn of the first success."
    return Sheet("recommendation", title, ("view", "metric", *answers), rows, note)


def _value(rows: Sequence[Json], metric: str, view: str, scope: str | None, cut: int | None) -> float | None:
    """A figure of a system as a whole; shares times 100."""
    for row in rows:
        same = row["metric"] == metric and row["view"] in (view, None) and row["scope"] in (scope, None)
        at = row["k"] if metric == "recall" else row["turn"]
        if same and at == cut and "statistic" not in row["group"]:
            return None if row["value"] is None else row["value"] * (100 if row["unit"] == "share" else 1)
    return None


def spread(answers: Mapping[str, Json], label: str) -> Sheet:
    """Success in the text and in lists at turn 10, and acceptance: mean and population standard deviation over groups
    of users, which weigh alike (tables 12-14)."""
    rows: list[list[Any]] = []
    for view, metric, name, cut in (
        ("text", "success_rate", "SR@10, text", 10),
        ("lists", "success_rate", "SR@10, lists", 10),
        ("user", "acceptance_rate", "acceptance rate", None),
    ):
        for statistic in ("mean", "standard_deviation"):
            found = [
                _spread(answer["rows"], (metric, view, cut), label, statistic) for answer in answers.values()
            ]
            rows.append([name, statistic.replace("_", " "), *found])
    title = f"Spread over the {LABELS[label]}s (CONCEPT, tables 12-14)"
    return Sheet(f"spread-{label}", title, ("metric", "statistic", *answers), rows, "In per cent.")


def _spread(
    rows: Sequence[Json], wanted: tuple[str, str, int | None], label: str, statistic: str
) -> float | None:
    metric, view, cut = wanted
    for row in rows:
        group = row["group"]
        if (
            row["metric"] == metric
            and row["view"] in (view, None)
            and row["turn"] == cut
            and group.get("over") == label
            and group.get("statistic") == statistic
        ):
            return None if row["value"] is None else row["value"] * 100
    return None


def reliability(answers: Mapping[str, Json]) -> Sheet:
    """Changes by another wording (table 11)."""
    names = {
        "consistent_action": "action consistency",
        "consistent_recommendation": "same item",
        "diverse_recommendation": "diversity",
        "sensitivity": "sensitivity",
    }
    rows: list[list[Any]] = []
    printed = published("concept")["reliability"]
    for metric, name in names.items():
        for view in ("lists", "text"):
            found = [_value(answer["rows"], metric, view, None, None) for answer in answers.values()]
            beside = printed["rows"].get(metric) if view == "lists" else None
            rows.append([name, view, *found, *(beside or [None] * len(printed["columns"]))])
    columns = ("metric", "view", *answers, *(f"published: {name}" for name in printed["columns"]))
    note = "In per cent, over pairs of replies to two wordings of one message."
    return Sheet(
        "reliability",
        "Reliability (CONCEPT, table 11)",
        columns,
        rows,
        note,
        source("concept", printed["place"]),
    )


def _printed_recommendation() -> Sheet:
    printed = published("concept")["recommendation"]
    rows = [[entry["view"], entry["metric"], *entry["values"]] for entry in printed["rows"]]
    title = (
        "Published: recommendation quality (its two AT rows are interchanged in print; here they stand right)"
    )
    columns = ("view", "metric", *printed["columns"])
    return Sheet("published-recommendation", title, columns, rows, "", source("concept", printed["place"]))


def _sizes(played: Sequence[Session]) -> Sheet:
    """The conversations in numbers (table 2)."""
    rows: list[list[Any]] = []
    for system in dict.fromkeys(session.system for session in played):
        logs = [session.log for session in played if session.system == system]
        messages = [said for log in logs for said in log["messages"]]
        words = [len(str(said.get("content") or "").split()) for said in messages]
        rows.append(
            [system, len(logs), fmean(len(log["messages"]) for log in logs), fmean(words) if words else None]
        )
    columns = ("system", "conversations", "mean messages", "mean words a message")
    return Sheet("conversations", "Conversations (CONCEPT, table 2)", columns, rows)


def _left_out(findings: Findings, asked: Asked) -> None:
    if asked.had:
        findings.leave_out(
            "reliability (table 11, figure 3)", "--logs has no recommender to ask in other words"
        )
    elif not asked.paraphrases:
        findings.leave_out("reliability (table 11, figure 3)", "--paraphrases 0")
    findings.leave_out(
        "agreement with people (section 4.4)", "crs-eval agreement takes the verdicts and people's ratings"
    )


def _tell(
    findings: Findings, asked: Asked, played: Sequence[Session], systems: Sequence[str], judges: Sequence[str]
) -> None:
    if asked.had:
        findings.methods.append(f"{len(played)} conversations of {len(systems)} systems were evaluated.")
    else:
        player = (
            f"users played by {asked.user_model}"
            if asked.user_model
            else "rule-based users (a stand-in for users that a model plays)"
        )
        findings.methods.append(
            f"{len(systems)} recommenders ({', '.join(systems)}) talked with {len(asked.sources)} {player} of different "
            f"personas, age groups and preferred attributes, seed {asked.seed}."
        )
    findings.methods += [
        f"Abilities were judged on 1-5 by {', '.join(judges)}; recommendation, sincerity and reliability were computed, with "
        f"titles matched by the {asked.matching} rules.",
        "Intervals are 95 % percentile bootstraps; differences of systems were tested by permutation over users and corrected "
        "by Holm's method.",
    ]
