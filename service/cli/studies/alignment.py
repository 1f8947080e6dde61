"""Behavior Alignment from human conversations to the tables (tables 1 and 3-5, figure 1)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from ...alignment.pair import decisive
from ...alignment.strategies import StrategyName
from ...computed_metrics.session import session
from ...domain.conversation import ConversationLog, Message, Role
from ...statistics.ratings import RaterKind, Rating
from ..exits import CommandError
from ..inputs import Json, Source
from ..scores import MEAN_OF_FACTORS
from ..tabulating.formats import StudyTable
from . import contexts, instruments, strategies
from .contexts import (
    HumanContexts,
    HumanTurn,
    MethodAnswers,
    existing_replies,
    next_replies,
    place_id,
)
from .methods import EXPLICIT, LLM, ask_method, join_panel
from .report import published, source
from .sessions import catalogue_of, parsed, recommenders
from .steps import StudyRun
from .strategies import HUMAN, IMPLICIT
from .study import BUILTIN, Component, StudyPlan, file_name, intervals_over, members


@dataclass(frozen=True, kw_only=True)
class BehaviorAlignmentPlan(StudyPlan):
    """Replies to human contexts, by recommenders under so many `seeds` or in `logs`. `models` and panels of models label strategies;
    the pair classifier always judges."""

    name: ClassVar = "alignment"
    papers: ClassVar = ("alignment",)
    sources: Sequence[Source]
    models: Sequence[str]
    strategies: Sequence[Json]
    preferences: Sequence[Json]
    logs: Sequence[Source] = ()
    seeds: int = 1
    samples: int | None = None

    @property
    def given(self) -> Sequence[Source]:
        return self.logs

    def check(self) -> None:
        if BUILTIN in members(self.models):
            raise CommandError("--panel: the embedded judge labels no strategies. Name models.")
        existing_replies((), self.logs, {one.conversation: parsed(one) for one in self.sources})
        names = [one.conversation for one in self.sources]
        for one in self.sources:
            if names.count(one.conversation) > 1:
                raise CommandError(
                    f"{one.place}: two conversations have the id {one.conversation!r}. Give each a different `id`."
                )

    def components(self) -> list[Component]:
        calls = len(self.sources) * (1 + len(self.systems) * self.seeds) * (self.samples or 1)
        return [Component("strategies", name, calls, "strategy") for name in members(self.models)]

    async def run(self, study: StudyRun) -> None:
        findings = study.findings
        logs = {one.conversation: parsed(one) for one in self.sources}
        people = _people(self.strategies, logs)
        turns = [place for one in self.sources for place in _places(one, logs[one.conversation], people)]
        if not turns:
            raise CommandError(
                "--humans: the conversations contain no reply of a human recommender to a user."
            )
        study.folder.write_lines("humans.jsonl", [one.log for one in self.sources])
        places = [
            replace(turn, id=place_id(turn.dialogue, turn.turn, seed), seed=seed)
            for seed in range(self.seeds)
            for turn in turns
        ]
        if self.logs:
            replies = existing_replies(places, self.logs, logs)
        else:
            replies = await next_replies(study, places, self.systems)
        known = {f"{system}/{place.id}" for system in self.systems for place in places}
        labels = _labels(self.strategies, known)
        material = HumanContexts(logs, places, replies, self.systems, labels)
        _keep(study, material)
        findings.add(replied(material))
        findings.add(sessions_of(material, study.options.catalog_file))
        every = [await ask_method(study, material, IMPLICIT, None)]
        asked = {
            name: await ask_method(study, material, LLM, name, self.samples) for name in members(self.models)
        }
        every += [
            asked.get(name) or join_panel(name, [asked[one] for one in members([name])])
            for name in self.models
        ]
        if labels:
            every.append(await ask_method(study, material, EXPLICIT, None))
        for one in every:
            strategies.tabulate(findings, one)
        if self.seeds > 1 or self.samples or set(self.models) - set(asked):
            strategies.tabulate_spread(findings, every, material)
        await strategies.tabulate_classifier(study, material, every)
        contexts.tabulate_preferences(findings, material, every, self.preferences)
        instruments.biases(findings, [one for each in every for one in _ratings(each, material)])
        if not labels:
            why = "no --strategies: have people label pairs/ in the run's folder, and pass their labels"
            findings.leave_out("strategies by annotators (the explicit method)", why)
        if not self.models:
            findings.leave_out("strategies by a language model (the llm method)", "no --judge names a model")
        why = "nobody is simulated: people's own messages are played"
        findings.leave_out("audit of simulated users", why)
        findings.methods += _methods(self, material)


def _people(given: Sequence[Json], logs: Mapping[str, ConversationLog]) -> dict[tuple[str, int], object]:
    """Return the labels of people's replies, as `crs-eval import` writes them, by conversation and message."""
    found = {}
    for one in given:
        if "reply" in one:
            continue
        name, at = str(one.get("conversation")), one.get("message")
        if name not in logs or not isinstance(at, int) or not 0 <= at < len(logs[name].messages):
            raise CommandError(
                f"--strategies: {name!r}, {at!r} is not a message of --humans. Label a `reply` of pairs/, or a `conversation` "
                "and `message` (from 0) of --humans."
            )
        found[name, at] = one.get("strategy")
    return found


def _places(
    source: Source, log: ConversationLog, people: Mapping[tuple[str, int], object]
) -> list[HumanTurn]:
    """The turns that answer a user. An opening of the recommender's has no context."""
    earlier = len(ConversationLog(log.history).turns)
    known = {name: source.log[name] for name in ("domain", "items", "history") if source.log.get(name)}
    found = []
    for number, turn in enumerate(log.turns, earlier + 1):
        if not any(log.messages[index].content.strip() for index in turn.user):
            continue
        said = source.log["messages"]
        name, before = place_id(source.conversation, number), said[: turn.assistant[0]]
        text = "\n".join(log.messages[index].content for index in turn.assistant)
        label = _label(source, turn.assistant, people)
        found.append(HumanTurn(name, source.conversation, before, known, number, text, label))
    return found


def _label(
    source: Source, indices: Sequence[int], people: Mapping[tuple[str, int], object]
) -> StrategyName | None:
    own = [(source.log["messages"][index].get("metadata") or {}).get("strategy") for index in indices]
    labels = [people.get((source.conversation, at), label) for at, label in zip(indices, own, strict=True)]
    known = [_strategy(label, source.place) for label in labels if label is not None]
    return decisive(known)[0] if known and len(known) == len(indices) else None


def _strategy(name: object, place: str) -> StrategyName:
    try:
        return StrategyName(str(name))
    except ValueError:
        listed = ", ".join(one.value for one in StrategyName)
        raise CommandError(f"{place}: unknown strategy {str(name)[:80]!r}. Use one of {listed}.") from None


def _labels(given: Sequence[Json], known: set[str]) -> dict[str, StrategyName]:
    found: dict[str, StrategyName] = {}
    for name, one in ((str(one["reply"]), one) for one in given if "reply" in one):
        if name not in known:
            raise CommandError(
                f"--strategies: {name!r} is not a reply of this run. Use the `reply` ids in the files of pairs/."
            )
        if name in found:
            raise CommandError(f"--strategies: {name!r} has two labels; give the one that counts.")
        found[name] = _strategy(one.get("strategy"), "--strategies")
    return found


def _keep(study: StudyRun, material: HumanContexts) -> None:
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


def _ratings(compared: MethodAnswers, material: HumanContexts) -> Iterator[Rating]:
    """Yield a method's answers as ratings of replies: 100 for one whose strategy agrees with the person's."""
    numbers = {place.id: number for number, place in enumerate(material.places)}
    for system, place, one in compared.known:
        yield Rating(
            conversation=str(one.pair.dialogue),
            system=system,
            factor=MEAN_OF_FACTORS,
            rater=compared.by,
            kind=RaterKind.JUDGE,
            score=100.0 * bool(one.judged.aligned),
            turn=numbers[place],
            length=len(material.replies[system, place].text.split()),
        )


def replied(material: HumanContexts) -> StudyTable:
    """The contexts that each system replied to, and its failures at others."""
    failures = sorted({one.failure for one in material.replies.values() if one.failure})
    rows: list[list[Any]] = []
    for name in material.systems:
        ends = Counter(material.replies[name, place.id].failure for place in material.places)
        rows.append([name, len(material.places), ends[None], *(ends[failure] for failure in failures)])
    columns = ("system", "contexts", "replies", *failures)
    return StudyTable("replies", "Replies to human contexts", columns, rows)


def sessions_of(material: HumanContexts, catalog: Path | None) -> StudyTable:
    """Turns before the first recommendation, and success, of people and of systems in their place (table 1)."""
    catalogue = catalogue_of(catalog)
    sides: dict[str, list[ConversationLog]] = {HUMAN: list(material.logs.values())}
    for name in material.systems:
        sides[name] = [
            _as_replied(log, material, name, id_, seed)
            for id_, log in material.logs.items()
            for seed in sorted({place.seed for place in material.places})
        ]
    rows: list[list[Any]] = []
    for name, logs in sides.items():
        found = [session(log, catalogue) for log in logs]
        turns = [count for count, _ in found if count is not None]
        success = [accepted for _, accepted in found if accepted is not None]
        share = 100 * fmean(success) if success else None
        rows.append([name, len(turns), fmean(turns) if turns else None, len(success), share])
    printed = published("alignment")["sessions"]["rows"]
    rows += [[f"published: {one['name']}", None, one["turns"], None, one["success"]] for one in printed]
    columns = ("side", "dialogues that recommend", "turns before the first", "with an outcome", "success, %")
    note = (
        "A system answers people's contexts, so it is counted at the first of them where its reply recommends. Success: a wanted "
        "item shown; for people, an acceptance where the log tells."
    )
    title = "Turns before the first recommendation, and success (Behavior Alignment, table 1)"
    return StudyTable("sessions", title, columns, rows, note, source("alignment", "sessions"), digits=3)


def _as_replied(
    log: ConversationLog, material: HumanContexts, name: str, id_: str, seed: int
) -> ConversationLog:
    """The human conversation with a system's replies in people's places."""
    first = len(ConversationLog(log.history).turns) + 1
    messages: list[Message] = []
    for number, turn in enumerate(log.turns, first):
        reply = material.replies.get((name, place_id(id_, number, seed)))
        messages += [log.messages[index] for index in turn.user]
        if reply is not None and reply.failure is None:
            shown = None if reply.recommendations is None else tuple(reply.recommendations)
            messages.append(Message(Role.ASSISTANT, reply.content, recommendations=shown))
        elif reply is None:
            messages.append(Message(Role.ASSISTANT, ""))  # people's opening: a turn of its own
    return replace(log, messages=tuple(messages), outcome=None)


def _methods(plan: BehaviorAlignmentPlan, material: HumanContexts) -> list[str]:
    draws = f", asked {plan.samples} times at temperature 1" if plan.samples and plan.samples > 1 else ""
    methods = ["a pair classifier trained on INSPIRED", *(f"labels by {name}{draws}" for name in plan.models)]
    if material.labels:
        methods.append("annotators' labels")
    times = f", {plan.seeds} times" if plan.seeds > 1 else ""
    return [
        f"{recommenders(plan.systems)} answered {len(material.turns)} contexts of "
        f"{len(plan.sources)} conversations with human recommenders, each up to a message of the user{times}. The "
        f"reply was compared with the person's by {', '.join(methods)}.",
        f"First turns of a dialogue and replies without a strategy are left out. {intervals_over('dialogues')}",
    ]
