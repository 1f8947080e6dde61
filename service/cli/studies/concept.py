"""CONCEPT from the sessions, or from logs, to the tables, with the paper's figures beside."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean
from typing import Any, ClassVar

from ...computed_metrics.abilities import IN_HAND, IN_HAND_SCALE, of_known
from ...domain.rubric import Protocol
from ...domain.verdict import JudgeName, Scored, nearest_level
from ...factors import load_factors
from ...usecases.wire.verdict import Verdict
from ..exits import CommandError
from ..inputs import Json, present
from ..run import Job
from ..tabulating.formats import StudyTable, chart, differences_of, table_of
from ..tabulating.summary import Measured, summarise
from . import instruments, judgements, sessions
from .judgements import JudgeRun
from .report import published, published_table, source
from .sessions import StudySession, WantedFigure, logs_by_system, measure_each, metrics, recalls
from .steps import StudyRun
from .study import BUILTIN, Component, UsersPlan, intervals_over
from .user_groups import (
    LABELS,
    OVERALL,
    SUCCESS,
    conversations_by,
    overall_by,
    printed_by,
    spread,
    success_by,
)

ROUNDS = 10
REVISION = "concept-in-hand-1"
CUTS, TURNS = (1, 10, 25, 50), (3, 5, 10)
METRICS = (
    "recall", "success_rate", "success_rate_ratio", "average_turns", "acceptance_rate", "turns_to_acceptance",
    "nonexistent_items", "deceptive_acceptances", "honest_explanations",
)  # fmt: skip
PAIR_METRICS = {
    "consistent_action": "action consistency",
    "consistent_recommendation": "same item",
    "diverse_recommendation": "diversity",
    "sensitivity": "sensitivity",
}


def slugs() -> tuple[str, ...]:
    """CONCEPT's judged factors."""
    return tuple(factor.slug for factor in load_factors().of(Protocol.CONCEPT))


@dataclass(frozen=True, kw_only=True)
class ConceptPlan(UsersPlan):
    """Users of moods, ages and wishes, and six abilities."""

    name: ClassVar = "concept"
    papers: ClassVar = ("concept",)
    seed: int
    paraphrases: int
    matching: str
    variant: str | None

    def check(self) -> None:
        super().check()
        for one in self.given:
            if not (one.log.get("user") or {}).get("attributes"):
                raise CommandError(
                    f"{one.place}: CONCEPT's users need wishes. Add `user.attributes`, a list of words."
                )

    def components(self) -> list[Component]:
        count = self.count
        return [
            Component("users", self.user_model, count * ROUNDS * 2, "persona"),
            Component("wordings", self.user_model, count * self.paraphrases, "paraphrase"),
            *(Component("abilities", judge, count * len(slugs()), "ability") for judge in self.judges),
        ]

    def simulator(self, seed: int) -> Json:
        return self.played(self.seed + seed, ROUNDS, type="persona", variant=self.variant)

    async def run(self, study: StudyRun) -> None:
        findings = study.findings
        played = await sessions.take(study, self)
        more = {**self.scoring, "variant": self.variant}
        parts = [slug for slug in slugs() if slug != OVERALL]
        every = [await judgements.judge(study, name, played, parts, more) for name in self.judges]
        pairs = await _worded(study, self, played) if self.paraphrases else {}
        for one in every:
            computed = await _computed(study, one, pairs, self.matching)
            await judgements.judge_whole(study, one, OVERALL, more, computed)
        findings.sheets += [_sizes(played), conversations_by(played)]
        for one in every:
            await _measured(study, self, one, pairs)
        await instruments.check(study, self, every, slugs(), {"simulated": played})
        if not self.paraphrases:
            why = "--logs has no recommender to ask in other words" if self.logs else "--paraphrases 0"
            findings.leave_out("reliability (table 11, figure 3)", why)
        why = "use crs-eval agreement with the verdicts and people's ratings"
        findings.leave_out("agreement with people (section 4.4)", why)
        findings.methods += _methods(self, played)


async def _worded(
    study: StudyRun, plan: ConceptPlan, played: Sequence[StudySession]
) -> dict[str, list[Json]]:
    """Each session's pairs of replies to wordings of the user's second message, or the first where there is one alone."""
    simulator = {"type": "paraphrase", "count": plan.paraphrases, "seed": plan.seed, "judge": plan.user_model}
    given = {"simulator": present(simulator), "catalog": study.catalog}
    jobs = []
    for session in played:
        messages = session.log["messages"]
        if spoken := [place for place, said in enumerate(messages) if said["role"] == "user"]:
            unfinished = {"messages": messages[: spoken[:2][-1] + 1], "outcome": None, "complete": None}
            body = {**given, "log": present({**session.log, **unfinished}), "crs": session.system}
            jobs.append(Job(session.id, session.system, "/simulate", present(body)))
    return {
        record.conversation: list((record.answer or {}).get("reply_pairs") or ())
        for record in await study.step("wordings", jobs)
    }


async def _computed(
    study: StudyRun, judged: JudgeRun, pairs: Mapping[str, Sequence[Json]], matching: str
) -> dict[str, list[Json]]:
    """The computed abilities of each judged session, as verdicts. None for the embedded judge, which weighs judged ones alone."""
    if judged.judge == BUILTIN:
        return {}
    found = {}
    for name in judged.scored:
        body = {
            "logs": [judged.sessions[name].log],
            "verdicts": [judged.records[name].verdicts],
            "reply_pairs": list(pairs.get(name, ())) or None,
            "metrics": ["acceptance_rate"],
            "matching": matching,
        }
        found[name] = _as_verdicts((await metrics(study, body))["abilities"])
    return found


def _as_verdicts(abilities: Mapping[str, Sequence[Json]]) -> list[Json]:
    parts = {part["name"]: part for scores in abilities.values() if scores for part in scores[0]["parts"]}
    known = {name: part["value"] for name, part in parts.items() if part["value"] is not None}
    return [
        Verdict.on_scale(
            Scored(
                factor=slug,
                judge=JudgeName(BUILTIN),
                evaluator_revision=REVISION,
                score=score,
                level=nearest_level(score),
                rationale=_rationale(names, parts, known),
            ),
            IN_HAND_SCALE,
        ).model_dump(mode="json")
        for slug, names in IN_HAND.items()
        if (score := of_known(slug, known)) is not None
    ]


def _rationale(names: Sequence[str], parts: Mapping[str, Json], known: Mapping[str, float]) -> str:
    """The parts with their scales: shares from 0 to 1, judged ones from 1 to 5."""
    ends = {name: "share, 0 to 1" if parts[name]["unit"] == "share" else "judged, 1 to 5" for name in known}
    phrases = (
        f"{name} {known[name]:.2f} ({ends[name]})" if name in known else f"{name} does not arise"
        for name in names
    )
    return f"Computed: {', '.join(phrases).replace('_', ' ')}."


async def _measured(
    study: StudyRun, plan: ConceptPlan, judged: JudgeRun, pairs: Mapping[str, Sequence[Json]]
) -> None:
    """Add the tables that rest on one judge's verdicts; with the first judge those that are computed alike for all."""
    findings = study.findings
    answers = {system: await _metrics(plan, study, judged, system, pairs) for system in judged.systems}
    title = f"Judged abilities, 1-5, judge {judged.judge}"
    known = judged.summary(f"{title} (CONCEPT, figure 4, table 5)", slugs(), whole=False)
    findings.add(table_of(f"judged-{judged.file}", known), chart(replace(known, title=title), 1, 5))
    findings.sheets += [_abilities(judged, answers), _parts(judged, answers)]
    findings.sheets += [overall_by(judged, label) for label in LABELS]
    if judged.judge != plan.judges[0]:
        return
    title = "Published: persuasiveness of explanations, 1-5"
    findings.add(published_table("concept", "persuasiveness", title, ["system"]))
    findings.sheets += [printed_by("overall", label, "overall performance") for label in LABELS]
    findings.sheets += _recommendation(answers, plan.matching)
    wanted = {**recalls((10,), "last"), **SUCCESS}
    shares = await measure_each(study, judged.sessions.values(), wanted, matching=plan.matching)
    if len(answers) > 1:
        numbers = [
            Measured(one.system, name, one.user, 100 * share)
            for one, found in shares
            for name, share in found.items()
        ]
        summary = summarise("Recommendation quality, per cent", numbers)
        findings.add(differences_of("recommendation", summary))
    for label in LABELS:
        findings.sheets += [spread(shares, label), success_by(shares, label)]
        findings.add(printed_by("success", label, "success and acceptance"))
    if pairs:
        findings.add(_reliability(answers))


async def _metrics(
    plan: ConceptPlan, study: StudyRun, judged: JudgeRun, system: str, worded: Mapping[str, Sequence[Json]]
) -> Json:
    ids = [name for name, session in judged.sessions.items() if session.system == system]
    pairs = [pair for name in ids for pair in worded.get(name, ())]
    body = {
        "logs": [judged.sessions[name].log for name in ids],
        "verdicts": [judged.records[name].verdicts for name in ids],
        "reply_pairs": pairs or None,
        "metrics": [*METRICS, *(PAIR_METRICS if pairs else ())],
        "k": list(CUTS),
        "turns": list(TURNS),
        "matching": plan.matching,
    }
    return await metrics(study, body)


def _abilities(judged: JudgeRun, answers: Mapping[str, Json]) -> StudyTable:
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


def _recommendation(answers: Mapping[str, Json], matching: str) -> Iterator[StudyTable]:
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


def _reliability(answers: Mapping[str, Json]) -> StudyTable:
    rows: list[list[Any]] = []
    printed = published("concept")["reliability"]
    for (metric, name), view in product(PAIR_METRICS.items(), ("lists", "text")):
        found = [_scaled(WantedFigure(metric, view=view), answer["rows"]) for answer in answers.values()]
        beside = printed["rows"][metric] if view == "lists" else [None] * len(printed["columns"])
        rows.append([name, view, *found, *beside])
    columns = ("metric", "view", *answers, *(f"published: {name}" for name in printed["columns"]))
    note = "In per cent, over pairs of replies to two wordings of one message."
    title, place = "Reliability (CONCEPT, table 11)", source("concept", "reliability")
    return StudyTable("reliability", title, columns, rows, note, place)


def _sizes(played: Sequence[StudySession]) -> StudyTable:
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


def _methods(plan: ConceptPlan, played: Sequence[StudySession]) -> list[str]:
    player = sessions.player(plan, "users")
    kinds = f"of different personas, age groups and preferred attributes, from seed {plan.seed} on"
    return [
        sessions.described(plan, played, len(plan.users), player, kinds),
        f"Abilities were judged on 1-5 by {', '.join(plan.judges)}; recommendation, sincerity and reliability were computed, with "
        f"titles matched by the {plan.matching} rules.",
        *judgements.read_as(plan.variant),
        intervals_over("users"),
    ]
