"""CONCEPT from the sessions, or from logs, to the tables."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....importing.entries import plain_name
from ....simulators.phrases import own_words
from ...exits import CommandError
from ...inputs import Json, Source
from ...records import Record
from ...run import Job
from ..estimate import TOKENS
from ..figures import chart
from ..steps import Asking
from ..study import Component, Findings
from . import auditing, judgements, sessions
from . import concept_tables as tables
from .concept_in_hand import in_hand
from .judgements import Judged
from .measuring import metrics
from .sessions import Session, file_name

ROUNDS = 10


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
    variant: str | None = None

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
            unknown = {words for one in self.sources if (words := unworded(one.log))}
            found.append(Component("everyday words", self.user_model, len(unknown), *TOKENS["paraphrase"]))
            found.append(
                Component("wordings", self.user_model, count * self.paraphrases, *TOKENS["paraphrase"])
            )
        return found + [
            Component("abilities", judge, count * len(tables.slugs()), *TOKENS["ability"]) for judge in judges
        ]

    def simulator(self, _: Source, seed: int) -> dict[str, Any]:
        """The persona user; by rule without a model."""
        if self.user_model is None:
            return {"type": "scripted", "seed": self.seed + seed, "max_rounds": ROUNDS}
        return {
            "type": "persona",
            "judge": self.user_model,
            "variant": self.variant,
            "seed": self.seed + seed,
            "max_rounds": ROUNDS,
        }


def unworded(log: Json) -> tuple[str, ...]:
    """The wishes of a user that the simulator's model puts in everyday words."""
    wishes = (log.get("user") or {}).get("attributes") or ()
    return tuple(wish for wish in wishes if own_words(wish, random.Random(0)) is None)  # noqa: S311 - any of them


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
    more = {"variant": asked.variant}
    parts = [slug for slug in tables.slugs() if slug != tables.OVERALL]
    every = [await judgements.judge(asking, name, played, parts, more) for name in judges]
    pairs = await _worded(asking, asked, played) if asked.paraphrases else {}
    for one in every:
        computed = await in_hand(asking, one, pairs, asked.matching)
        await judgements.judge_whole(asking, one, tables.OVERALL, more, computed)
    findings.failures += sum(record.answer is None for record in records) + sum(one.failures for one in every)
    findings.sheets += [tables.sizes(played), tables.users(played)]
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
    """Each session's pairs of replies to wordings of the user's second message, or the first where there is one alone."""
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
        pairs[record.conversation] = list((record.answer or {}).get("reply_pairs") or ())
    return pairs


async def _measured(
    asking: Asking, asked: Asked, findings: Findings, judged: Judged, pairs: Mapping[str, Sequence[Json]]
) -> None:
    answers = {
        system: await _metrics(asking, asked, judged, system, pairs)
        for system in dict.fromkeys(session.system for session in judged.sessions.values())
    }
    findings.sheets += tables.of_judge(judged, answers)
    title = f"Judged abilities, 1-5, judge {judged.judge}"
    known = judged.summary(title, tables.slugs(), whole=False)
    findings.figures[f"judged-{file_name(judged.judge)}"] = chart(known, 1, 5)
    if not any(sheet.name == "recommendation" for sheet in findings.sheets):  # computed alike for every judge
        findings.sheets += [tables.recommendation(answers, asked.matching), tables.printed_recommendation()]
        for label in tables.LABELS:
            findings.sheets.append(tables.spread(answers, label))
            findings.sheets.append(await tables.success_by(asking, judged, label, asked.matching))
            findings.sheets.append(tables.printed_by("success", label))
        if pairs:
            findings.sheets.append(tables.reliability(answers))


async def _metrics(
    asking: Asking, asked: Asked, judged: Judged, system: str, worded: Mapping[str, Sequence[Json]]
) -> Json:
    ids = [name for name, session in judged.sessions.items() if session.system == system]
    pairs = [pair for name in ids for pair in worded.get(name, ())]
    body = {
        "logs": [judged.sessions[name].log for name in ids],
        "verdicts": [judged.records[name].verdicts for name in ids],
        "reply_pairs": pairs or None,
        "metrics": list(METRICS if pairs else METRICS[:-4]),
        "k": list(tables.CUTS),
        "turns": list(tables.TURNS),
        "spread_over": list(tables.LABELS),
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


def _left_out(findings: Findings, asked: Asked) -> None:
    if asked.had:
        findings.leave_out(
            "reliability (table 11, figure 3)", "--logs has no recommender to ask in other words"
        )
        findings.leave_out(
            "audit of simulated users",
            "the users of --logs are none of this run; POST /simulate/audit takes them",
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
            f"{sessions.recommenders(systems)} talked with {len(asked.sources)} {player} of different "
            f"personas, age groups and preferred attributes, seed {asked.seed}."
        )
    findings.methods += [
        f"Abilities were judged on 1-5 by {', '.join(judges)}; recommendation, sincerity and reliability were computed, with "
        f"titles matched by the {asked.matching} rules.",
        *judgements.read_as(asked.variant),
        "Intervals are 95 % percentile bootstraps; differences of systems were tested by permutation over users and corrected "
        "by Holm's method.",
    ]
