"""Behavior Alignment from human conversations to the tables."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import ValidationError

from ....alignment.pair import decisive
from ....alignment.strategies import StrategyName
from ....api.wire.log import Log
from ....domain.conversation import ConversationLog
from ....statistics.ratings import RaterKind, Rating
from ...exits import CommandError
from ...inputs import Json, Source, present
from ...run import Job
from ...scores import MEAN_OF_FACTORS
from ..steps import StudyRun
from ..study import Component, StudyPlan, intervals_over
from . import instruments, preferring, strategies
from .contexts import HumanContexts, HumanTurn, MethodAnswers, Replied, next_replies
from .sessions import file_name, recommenders

EXPLICIT, IMPLICIT, LLM = "explicit", "implicit", "llm"


@dataclass(frozen=True, kw_only=True)
class BehaviorAlignmentPlan(StudyPlan):
    """Replies to human contexts. `models` label strategies; the pair classifier always judges."""

    name: ClassVar = "alignment"
    papers: ClassVar = ("alignment",)
    sources: Sequence[Source]
    models: Sequence[str]
    strategies: Sequence[Json]
    preferences: Sequence[Json]

    def check(self) -> None:
        """Raise CommandError without a recommender, and for two conversations of one name."""
        if not self.systems:
            raise CommandError("Name a recommender: --crs mine=http://localhost:9000/reply")
        names = [one.conversation for one in self.sources]
        for one in self.sources:
            if names.count(one.conversation) > 1:
                raise CommandError(
                    f"{one.place}: two conversations are called {one.conversation!r}; give each an `id`."
                )

    def components(self) -> list[Component]:
        """Return labels of strategies: each side of a dialogue once, the person's for all systems."""
        dialogues = len(self.sources) * (1 + len(self.systems))
        return [Component("strategies", name, dialogues, "strategy") for name in self.models]

    async def run(self, study: StudyRun) -> None:
        """Play all contexts to the systems, compare strategies, and tabulate them."""
        findings = study.findings
        logs = {one.conversation: _log(one) for one in self.sources}
        places = [place for one in self.sources for place in _places(one, logs[one.conversation])]
        if not places:
            raise CommandError("--humans: no reply of a human recommender follows a message of a user.")
        study.folder.write_lines("humans.jsonl", [one.log for one in self.sources])
        replies = await next_replies(study, places, self.systems)
        known = {f"{system}/{place.id}" for system in self.systems for place in places}
        labels = _labels(self.strategies, known)
        material = HumanContexts(logs, places, replies, self.systems, labels)
        _keep(study, material)
        findings.add(strategies.replied(material))
        findings.add(strategies.sessions_of(material, study.catalog_file))
        every = [await _compare(study, material, IMPLICIT, None)]
        every += [await _compare(study, material, LLM, name) for name in self.models]
        if labels:
            every.append(await _compare(study, material, EXPLICIT, None))
        for one in every:
            strategies.tabulate(findings, one)
        await _classifier(study, material, every)
        preferring.tabulate(findings, material, every, self.preferences)
        instruments.biases(findings, [one for each in every for one in _ratings(each, material)])
        if not labels:
            why = "no --strategies: have people label the folder's pairs/, and give their labels"
            findings.leave_out("strategies by annotators (the explicit method)", why)
        if not self.models:
            findings.leave_out("strategies by a language model (the llm method)", "no --judge names a model")
        why = "nobody is simulated: people's own messages are played"
        findings.leave_out("audit of simulated users", why)
        findings.methods += _methods(self, material)


def _log(source: Source) -> ConversationLog:
    try:
        return Log.model_validate_json(json.dumps(source.log)).value()
    except ValidationError as wrong:
        first = wrong.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise CommandError(f"{source.place}: {at}: {first['msg']}") from None


def _places(source: Source, log: ConversationLog) -> list[HumanTurn]:
    """The turns that answer a user. An opening of the recommender's has no context."""
    earlier = len(ConversationLog(log.history).turns)
    known = {name: source.log[name] for name in ("domain", "items", "history") if source.log.get(name)}
    found = []
    for number, turn in enumerate(log.turns, earlier + 1):
        if not any(log.messages[index].content.strip() for index in turn.user):
            continue
        said = source.log["messages"]
        name, before = f"{source.conversation}/{number}", said[: turn.assistant[0]]
        text = "\n".join(log.messages[index].content for index in turn.assistant)
        label = _label(source, turn.assistant)
        found.append(HumanTurn(name, source.conversation, before, known, number, text, label))
    return found


def _label(source: Source, indices: Sequence[int]) -> StrategyName | None:
    labels = [(source.log["messages"][index].get("metadata") or {}).get("strategy") for index in indices]
    known = [_strategy(label, source.place) for label in labels if label is not None]
    return decisive(known)[0] if known and len(known) == len(indices) else None


def _strategy(name: object, place: str) -> StrategyName:
    try:
        return StrategyName(str(name))
    except ValueError:
        listed = ", ".join(one.value for one in StrategyName)
        raise CommandError(f"{place}: no such strategy: {str(name)[:80]!r}; name one of {listed}.") from None


def _labels(given: Sequence[Json], known: set[str]) -> dict[str, StrategyName]:
    found = {}
    for one in given:
        name = str(one.get("reply"))
        if name not in known:
            raise CommandError(
                f"--strategies: {name!r} is no reply of this run: the files in pairs/ name them as `reply`."
            )
        found[name] = _strategy(one.get("strategy"), "--strategies")
    return found


def _keep(study: StudyRun, material: HumanContexts) -> None:
    """Write the pairs into the run's folder, for annotators and other commands."""
    for system in material.systems:
        lines = [
            {
                "reply": f"{system}/{place.id}",
                "context": place.id,
                "dialogue": place.dialogue,
                "turn": place.turn,
                "candidate": reply.text,
                "reference": place.reference,
                "recommendations": reply.recommendations,
            }
            for place, reply in material.answered(system)
        ]
        study.folder.write_lines(f"pairs/{file_name(system)}.jsonl", lines)


async def _compare(study: StudyRun, material: HumanContexts, method: str, judge: str | None) -> MethodAnswers:
    """A method's answers: a request for each dialogue of each system."""
    by = judge or method
    jobs = []
    for system in material.systems:
        dialogues: dict[str, list[Json]] = {}
        for place, reply in material.answered(system):
            if (pair := _pair(place, reply, method, material.labels.get(f"{system}/{place.id}"))) is not None:
                dialogues.setdefault(place.dialogue, []).append(pair)
        for name, pairs in dialogues.items():
            body = present({"method": method, "pairs": pairs, "judge": judge})
            jobs.append(Job(f"{system}/{name}", system, "/behavior-alignment", body))
    places = {(place.dialogue, place.turn): place for place in material.places}
    judged: dict[str, list[tuple[HumanTurn, Json]]] = {system: [] for system in material.systems}
    for record in await study.step(f"alignment-{file_name(by)}", jobs):
        for pair in (record.answer or {}).get("pairs", ()):
            judged[record.system or ""].append((places[pair["dialogue"], pair["turn"]], pair))
    return MethodAnswers(by, judged)


def _pair(place: HumanTurn, reply: Replied, method: str, label: StrategyName | None) -> Json | None:
    pair: Json = {
        "candidate": reply.text,
        "reference": place.reference,
        "dialogue": place.dialogue,
        "turn": place.turn,
    }
    if method == LLM:
        pair["context"] = [*place.log.get("history", ()), *place.messages]
    if method == EXPLICIT:
        if label is None or place.label is None:
            return None
        pair |= {"candidate_strategy": label.value, "reference_strategy": place.label.value}
    return pair


async def _classifier(study: StudyRun, material: HumanContexts, every: Sequence[MethodAnswers]) -> None:
    """The pair classifier on pairs of people's replies whose labels are known (tables 3-5)."""
    labelled = [place for place in material.places if place.label not in (None, StrategyName.NO_STRATEGY)]
    drawn = strategies.drawn_pairs(labelled)
    if not drawn:
        why = "no two replies of --humans in different conversations have a label in `metadata.strategy`"
        study.findings.leave_out("quality of the pair classifier (tables 3-5)", why)
        return
    pairs = [{"candidate": a.reference, "reference": b.reference} for a, b in drawn]
    body = {"method": IMPLICIT, "pairs": pairs}
    (record,) = await study.step("classifier", [Job("pairs", None, "/behavior-alignment", body)])
    judged = record.answer["pairs"] if record.answer else ()
    study.findings.add(strategies.quality(list(zip(drawn, judged, strict=False)), every))


def _ratings(compared: MethodAnswers, material: HumanContexts) -> Iterator[Rating]:
    """Yield a method's answers as ratings of replies: 100 for one whose strategy agrees with the person's."""
    for system, pairs in compared.pairs.items():
        for place, pair in pairs:
            if pair["aligned"] is not None:
                score, length = 100.0 * pair["aligned"], len(material.replies[system, place.id].text.split())
                yield Rating(
                    conversation=place.dialogue,
                    system=system,
                    factor=MEAN_OF_FACTORS,
                    rater=compared.by,
                    kind=RaterKind.JUDGE,
                    score=score,
                    turn=place.turn,
                    length=length,
                )


def _methods(plan: BehaviorAlignmentPlan, material: HumanContexts) -> list[str]:
    methods = ["a pair classifier trained on INSPIRED", *(f"labels by {name}" for name in plan.models)]
    if material.labels:
        methods.append("annotators' labels")
    return [
        f"{recommenders(plan.systems)} answered {len(material.places)} contexts of "
        f"{len(plan.sources)} conversations with human recommenders, each up to a message of the user. The "
        f"reply was compared with the person's by {', '.join(methods)}.",
        f"First turns of a dialogue and replies without a strategy are left out. {intervals_over('dialogues')}",
    ]
