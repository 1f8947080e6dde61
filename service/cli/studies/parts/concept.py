"""CONCEPT from the sessions, or from logs, to the tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import ClassVar

from ....api.wire.verdict import Verdict
from ....domain.verdict import JudgeName, Scored, nearest_level
from ....importing.entries import plain_name
from ....metrics.abilities import IN_HAND, IN_HAND_SCALE, of_known
from ....simulators.phrases import age_groups, persona_names
from ...exits import CommandError
from ...inputs import Json, Source, objects, present
from ...run import Job
from ...tabulating.formats import chart
from ..options import BUILTIN
from ..steps import StudyRun
from ..study import Component, UsersPlan, intervals_over
from . import concept_tables as tables
from . import instruments, judgements, sessions
from .judgements import JudgeRun
from .sessions import StudySession, metrics

ROUNDS = 10
REVISION = "concept-in-hand-1"


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
        """Raise CommandError for users and conversations without the wishes that everything is computed from."""
        super().check()
        for one in (*self.users, *self.logs):
            if not (one.log.get("user") or {}).get("attributes"):
                raise CommandError(
                    f"{one.place}: CONCEPT's users have wishes: add `user.attributes`, a list of words."
                )

    def components(self) -> list[Component]:
        """Return messages of users, wordings, verdicts."""
        count = self.count
        found = []
        if model := self.user_model:
            found.append(Component("users", model, count * ROUNDS * 2, "persona"))
            found.append(Component("wordings", model, count * self.paraphrases, "paraphrase"))
        abilities = count * len(tables.slugs())
        return found + [Component("abilities", judge, abilities, "ability") for judge in self.judges]

    def simulator(self, seed: int) -> Json:
        """Return the persona user; by rule without a model."""
        return self.played(self.seed + seed, ROUNDS, type="persona", variant=self.variant)

    async def run(self, study: StudyRun) -> None:
        """Play all sessions, or take them from logs; judge, measure and tabulate them."""
        findings = study.findings
        played = await sessions.take(study, self)
        more = {**self.scoring, "variant": self.variant}
        parts = [slug for slug in tables.slugs() if slug != tables.OVERALL]
        every = [await judgements.judge(study, name, played, parts, more) for name in self.judges]
        pairs = await _worded(study, self, played) if self.paraphrases else {}
        for one in every:
            computed = await _computed(study, one, pairs, self.matching)
            await judgements.judge_whole(study, one, tables.OVERALL, more, computed)
        findings.sheets += [tables.sizes(played), tables.users(played)]
        for one in every:
            await _measured(study, self, one, pairs)
        await instruments.check(study, self, every, tables.slugs(), {"simulated": played})
        if not self.paraphrases:
            why = "--logs has no recommender to ask in other words" if self.logs else "--paraphrases 0"
            findings.leave_out("reliability (table 11, figure 3)", why)
        why = "crs-eval agreement takes the verdicts and people's ratings"
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
    """Quality, reliability, sincerity and identity of each session with verdicts, as verdicts themselves. Nothing for the
    embedded judge, whose rule weighs the judged abilities alone."""
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
    findings = study.findings
    answers = {system: await _metrics(study, plan, judged, system, pairs) for system in judged.systems}
    findings.sheets += tables.of_judge(judged, answers)
    title = f"Judged abilities, 1-5, judge {judged.judge}"
    known = judged.summary(title, tables.slugs(), whole=False)
    findings.figures[f"judged-{judged.file}"] = chart(known, 1, 5)
    if judged.judge == plan.judges[0]:  # computed alike for every judge
        findings.sheets += [*tables.printed_of_judges(), *tables.recommendation(answers, plan.matching)]
        shares = await tables.shares_of(study, judged, plan.matching)
        if len(answers) > 1:
            findings.add(tables.differences(shares))
        for label in tables.LABELS:
            findings.sheets += [tables.spread(shares, label), tables.success_by(shares, label)]
            findings.add(tables.printed_by("success", label, "success and acceptance"))
        if pairs:
            findings.add(tables.reliability(answers))


async def _metrics(
    study: StudyRun, plan: ConceptPlan, judged: JudgeRun, system: str, worded: Mapping[str, Sequence[Json]]
) -> Json:
    ids = [name for name, session in judged.sessions.items() if session.system == system]
    pairs = [pair for name in ids for pair in worded.get(name, ())]
    body = {
        "logs": [judged.sessions[name].log for name in ids],
        "verdicts": [judged.records[name].verdicts for name in ids],
        "reply_pairs": pairs or None,
        "metrics": [*METRICS, *(PAIR_METRICS if pairs else ())],
        "k": list(tables.CUTS),
        "turns": list(tables.TURNS),
        "matching": plan.matching,
    }
    return await metrics(study, body)


METRICS = (
    "recall",
    "success_rate",
    "success_rate_ratio",
    "average_turns",
    "acceptance_rate",
    "turns_to_acceptance",
    "nonexistent_items",
    "deceptive_acceptances",
    "honest_explanations",
)
PAIR_METRICS = ("consistent_action", "consistent_recommendation", "diverse_recommendation", "sensitivity")


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
