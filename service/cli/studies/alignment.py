"""Behavior Alignment from human conversations to the tables (tables 1 and 3-5, figure 1)."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from ...alignment.pair import Judged, Pair, Reply, StrategyFinding, decisive
from ...alignment.score import Alignment, Denominator, Estimate, LeftOut, align
from ...alignment.sessions import session
from ...alignment.stages import START, StageWeights, estimate, load_stage_weights
from ...alignment.strategies import ALL, StrategyName
from ...catalogue.catalogue import Catalogue
from ...domain.conversation import ConversationLog, Message, Role
from ...statistics.bootstrap import Resamples
from ...statistics.coefficients import RaterPairs, cohen_kappa
from ...statistics.ratings import RaterKind, Rating
from ...statistics.rows import interval_of
from ..exits import CommandError
from ..inputs import Json, Source, present
from ..run import Job
from ..scores import MEAN_OF_FACTORS
from ..tabulating.formats import StudyTable, chart, table_of
from ..tabulating.summary import Measured, summarise
from . import instruments, preferring
from .agreeing import figure_cells, with_bounds
from .contexts import HumanContexts, HumanTurn, MethodAnswers, Replied, next_replies
from .report import Findings, published, source
from .sessions import catalogue_of, file_name, parsed, recommenders
from .steps import StudyRun
from .study import Component, StudyPlan, intervals_over

EXPLICIT, IMPLICIT, LLM = "explicit", "implicit", "llm"
HUMAN = "human"
SEED, PAIRS_OF_A_KIND = 42, 500
SAME, ANY = "same strategy", "any shared strategy"
LabelledPair = tuple[tuple[str, ...], float, float]
"""The dialogues that a pair of replies is of, and whether they share a strategy, as labels and a method say."""


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
                    f"{one.place}: two conversations have the id {one.conversation!r}. Give each a different `id`."
                )

    def components(self) -> list[Component]:
        """Return labels of strategies: each side of a dialogue once, the person's for all systems."""
        dialogues = len(self.sources) * (1 + len(self.systems))
        return [Component("strategies", name, dialogues, "strategy") for name in self.models]

    async def run(self, study: StudyRun) -> None:
        """Play all contexts to the systems, compare strategies, and tabulate them."""
        findings = study.findings
        logs = {one.conversation: parsed(one) for one in self.sources}
        places = [place for one in self.sources for place in _places(one, logs[one.conversation])]
        if not places:
            raise CommandError(
                "--humans: the conversations contain no reply of a human recommender to a user."
            )
        study.folder.write_lines("humans.jsonl", [one.log for one in self.sources])
        replies = await next_replies(study, places, self.systems)
        known = {f"{system}/{place.id}" for system in self.systems for place in places}
        labels = _labels(self.strategies, known)
        material = HumanContexts(logs, places, replies, self.systems, labels)
        _keep(study, material)
        findings.add(replied(material))
        findings.add(sessions_of(material, study.catalog_file))
        every = [await _compare(study, material, IMPLICIT, None)]
        every += [await _compare(study, material, LLM, name) for name in self.models]
        if labels:
            every.append(await _compare(study, material, EXPLICIT, None))
        for one in every:
            _tabulate(findings, one)
        await _classifier(study, material, every)
        preferring.tabulate(findings, material, every, self.preferences)
        instruments.biases(findings, [one for each in every for one in _ratings(each, material)])
        if not labels:
            why = "no --strategies: have people label pairs/ in the run's folder, and pass their labels"
            findings.leave_out("strategies by annotators (the explicit method)", why)
        if not self.models:
            findings.leave_out("strategies by a language model (the llm method)", "no --judge names a model")
        why = "nobody is simulated: people's own messages are played"
        findings.leave_out("audit of simulated users", why)
        findings.methods += _methods(self, material)


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
        raise CommandError(f"{place}: unknown strategy {str(name)[:80]!r}. Use one of {listed}.") from None


def _labels(given: Sequence[Json], known: set[str]) -> dict[str, StrategyName]:
    found = {}
    for one in given:
        name = str(one.get("reply"))
        if name not in known:
            raise CommandError(
                f"--strategies: {name!r} is not a reply of this run. Use the `reply` ids in the files of pairs/."
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
    found: dict[str, list[Json]] = {system: [] for system in material.systems}
    for record in await study.step(f"alignment-{file_name(by)}", jobs):
        found[record.system or ""] += (record.answer or {}).get("pairs", ())
    return MethodAnswers(by, {system: _together(pairs) for system, pairs in found.items()})


def _together(answered: Sequence[Json]) -> Alignment:
    """The alignment over all pairs of a system, each dialogue resampled whole."""
    said = Reply(("",))  # the words have no part in it
    pairs = [Pair(said, said, one["dialogue"], one["turn"]) for one in answered]
    judged = [
        Judged(
            _finding(one["strategies"]["candidate"]),
            _finding(one["strategies"]["reference"]),
            one["aligned"],
            one["aligned_any"],
            one["rationale"],
        )
        for one in answered
    ]
    return align(pairs, judged, Denominator.PAIRS, load_stage_weights())


def _finding(used: Sequence[Json] | None) -> StrategyFinding | None:
    return StrategyFinding(tuple(StrategyName(one["strategy"]) for one in used)) if used else None


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
    drawn = drawn_pairs(labelled)
    if not drawn:
        why = "no two replies of --humans in different conversations have a label in `metadata.strategy`"
        study.findings.leave_out("quality of the pair classifier (tables 3-5)", why)
        return
    pairs = [{"candidate": a.reference, "reference": b.reference} for a, b in drawn]
    body = {"method": IMPLICIT, "pairs": pairs}
    (record,) = await study.step("classifier", [Job("pairs", None, "/behavior-alignment", body)])
    judged = record.answer["pairs"] if record.answer else ()
    study.findings.add(quality(list(zip(drawn, judged, strict=False)), every))


def _ratings(compared: MethodAnswers, material: HumanContexts) -> Iterator[Rating]:
    """Yield a method's answers as ratings of replies: 100 for one whose strategy agrees with the person's."""
    for system, place, one in compared.known:
        yield Rating(
            conversation=str(one.pair.dialogue),
            system=system,
            factor=MEAN_OF_FACTORS,
            rater=compared.by,
            kind=RaterKind.JUDGE,
            score=100.0 * bool(one.judged.aligned),
            turn=one.pair.turn,
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
        sides[name] = [_as_replied(log, material, name, id_) for id_, log in material.logs.items()]
    rows: list[list[Any]] = []
    for name, logs in sides.items():
        found = [session(log, catalogue or Catalogue.of_log(log, None)) for log in logs]
        before = (one.turns_before_recommendation for one in found)
        turns = [count for count in before if count is not None]
        success = [one.success for one in found if one.success is not None]
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


def _as_replied(log: ConversationLog, material: HumanContexts, name: str, id_: str) -> ConversationLog:
    """The human conversation with a system's replies in people's places."""
    first = len(ConversationLog(log.history).turns) + 1
    messages: list[Message] = []
    for number, turn in enumerate(log.turns, first):
        reply = material.replies.get((name, f"{id_}/{number}"))
        messages += [log.messages[index] for index in turn.user]
        if reply is not None and reply.failure is None:
            shown = None if reply.recommendations is None else tuple(reply.recommendations)
            messages.append(Message(Role.ASSISTANT, reply.content, recommendations=shown))
        elif reply is None:
            messages.append(Message(Role.ASSISTANT, ""))  # people's opening: a turn of its own
    return replace(log, messages=tuple(messages), outcome=None)


def _tabulate(findings: Findings, compared: MethodAnswers) -> None:
    """One method's tables and figure."""
    systems = list(compared.systems)
    numbers = [
        Measured(name, label, str(one.pair.dialogue), float(shared or False))
        for name, alignment in compared.systems.items()
        for one in alignment.pairs
        if one.left_out is None
        for label, shared in ((SAME, one.judged.aligned), (ANY, one.judged.aligned_any))
    ]
    title = f"Behavior Alignment, by {compared.by}"
    findings.tabulate(f"alignment-{compared.file}", title, numbers, [SAME, ANY], systems=systems)
    own = _own_stages(compared)
    findings.add(_parts(compared, own))
    findings.add(*_shares(compared))
    if own is not None:
        findings.add(_stages(compared, own))
    differing = [
        [name, one.reference.value, one.candidate.value, one.count]
        for name, alignment in compared.systems.items()
        for one in alignment.confusions[:10]
    ]
    title, columns = f"Commonest differences, by {compared.by}", ("system", "people", "the system", "turns")
    findings.add(StudyTable(f"differences-{compared.file}", title, columns, differing))


def _own_stages(compared: MethodAnswers) -> StageWeights | None:
    """Stage weights from what people did, turn by turn; None where no two turns with a strategy follow one another."""
    dialogues: dict[str | None, list[StrategyName]] = {}
    for one in compared.of_people:
        if (finding := one.judged.reference) and finding.uses_one:
            dialogues.setdefault(one.pair.dialogue, []).append(finding.strategy)
    return estimate(dialogues.values()) if any(len(each) > 1 for each in dialogues.values()) else None


def _parts(compared: MethodAnswers, own: StageWeights | None) -> StudyTable:
    """The score with other divisors and weights, and the pairs that are left out."""
    each = compared.systems.values()

    def again(denominator: Denominator, weights: StageWeights) -> list[Alignment]:
        return [
            align([p.pair for p in one.pairs], [p.judged for p in one.pairs], denominator, weights)
            for one in each
        ]

    paper = again(Denominator.PAPER, load_stage_weights())
    rows: list[list[Any]] = [
        ["score", *(_with_interval(one.score) for one in each)],
        ["divided as formula 2 is printed", *(_with_interval(one.score) for one in paper)],
        ["weighed by stage, INSPIRED", *(_with_interval(one.stage_weighted) for one in each)],
    ]
    if own is not None:
        ours = again(Denominator.PAIRS, own)
        rows.append(["weighed by stage, these people", *(_with_interval(one.stage_weighted) for one in ours)])
    rows.append(["pairs that count", *(one.counted for one in each)])
    for reason in LeftOut:
        label = f"left out: {reason.value.replace('_', ' ')}"
        rows.append([label, *(one.left_out[reason] for one in each)])
    title = f"Behavior Alignment in parts, by {compared.by}"
    note = "Share [95 % interval over dialogues]. Stage weights: docs/behavior-alignment.md."
    return StudyTable(f"parts-{compared.file}", title, ("part", *compared.systems), rows, note, digits=3)


def _with_interval(estimate: Estimate) -> str | None:
    if estimate.value is None:
        return None
    bounds = estimate.interval
    return f"{estimate.value:.3f}" + (f" [{bounds.low:.3f}, {bounds.high:.3f}]" if bounds else "")


def _shares(compared: MethodAnswers) -> tuple[StudyTable, str]:
    """The use of each strategy by people and by systems (figure 1)."""
    sides = [(HUMAN, one, one.judged.reference) for one in compared.of_people]
    sides += [
        (name, one, one.judged.candidate)
        for name, alignment in compared.systems.items()
        for one in alignment.pairs
    ]
    numbers = [
        Measured(name, strategy.slug.value, str(one.pair.dialogue), float(strategy.slug is found.strategy))
        for name, one, found in sides
        if found is not None
        for strategy in ALL
    ]
    title = f"Strategies, by {compared.by} (Behavior Alignment, figure 1)"
    summary = summarise(title, numbers, [HUMAN, *compared.systems], [one.slug.value for one in ALL])
    note = (
        "Shares of turns, by the strategy that counts (standard deviation) [95 % interval over dialogues]. The paper's figure 1 "
        "is a picture: it prints no values."
    )
    sheet = table_of(f"strategies-{compared.file}", summary)
    return replace(sheet, note=note, ranks={}), chart(summary, 0, 1)  # more of one is not better


def _stages(compared: MethodAnswers, own: StageWeights) -> StudyTable:
    """The weight of a deviation after each strategy (section 8)."""
    inspired = load_stage_weights().weights
    names = [START, *(one for one in inspired if one != START)]
    rows = [[name, own.weights.get(name), inspired[name]] for name in names]
    title = f"Stage weights, people's strategies by {compared.by} (Behavior Alignment, section 8)"
    note = (
        "1 / (entropy + e) of people's next strategy, mean 1 over their turns. Few turns give rough weights."
    )
    columns = ("after", "these people", "INSPIRED")
    return StudyTable(f"stages-{compared.file}", title, columns, rows, note, digits=3)


def drawn_pairs(labelled: Sequence[HumanTurn]) -> list[tuple[HumanTurn, HumanTurn]]:
    """As many pairs with one strategy as with two, up to `PAIRS_OF_A_KIND` of each, of different conversations and texts."""
    rng = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    found: dict[bool, list[tuple[HumanTurn, HumanTurn]]] = {True: [], False: []}
    seen: set[frozenset[str]] = set()
    for _ in range(PAIRS_OF_A_KIND * 40 if len(labelled) > 1 else 0):
        a, b = rng.sample(labelled, 2)
        same, key = found[a.label is b.label], frozenset((a.id, b.id))
        if a.dialogue != b.dialogue and a.reference != b.reference and key not in seen:
            seen.add(key)
            same.append((a, b))
        if min(map(len, found.values())) >= PAIRS_OF_A_KIND:
            break
    size = min(PAIRS_OF_A_KIND, *map(len, found.values()))
    return found[True][:size] + found[False][:size]


def quality(
    judged: Sequence[tuple[tuple[HumanTurn, HumanTurn], Json]], every: Sequence[MethodAnswers]
) -> StudyTable:
    """Accuracy and Cohen's kappa of the classifier on labelled pairs. The other methods are measured on the systems' replies
    whose labels are known, published figures beside (tables 3-5)."""
    known: list[LabelledPair] = [
        ((a.dialogue, b.dialogue), float(a.label is b.label), float(found["aligned"]))
        for (a, b), found in judged
        if found["aligned"] is not None
    ]
    rows: list[list[Any]] = [_agreement("pair classifier, people's replies", known)]
    explicit = next((one for one in every if one.by == "explicit"), None)
    if explicit is not None:
        others = [one for one in every if one is not explicit]
        rows += [_agreement(f"{one.by}, systems beside people", _both(explicit, one)) for one in others]
    for each in published("alignment")["classifier"]["rows"]:
        rows.append([f"published: {each['name']}", None, each["accuracy"], each["kappa"], None, None])
    note = (
        "Do two replies share a strategy? Pairs of different conversations, as many that do as do not. The classifier learned "
        "from INSPIRED: on its conversations these figures flatter it. Low and high: 95 % percentile bootstrap over dialogues."
    )
    title = "Quality of the pair classifier (Behavior Alignment, tables 3-5)"
    columns = ("pairs", "n", "accuracy", *with_bounds("kappa"))
    return StudyTable("classifier", title, columns, rows, note, source("alignment", "classifier"), digits=3)


def _both(explicit: MethodAnswers, other: MethodAnswers) -> list[LabelledPair]:
    theirs = {(system, place): one.judged.aligned for system, place, one in other.known}
    return [
        ((str(one.pair.dialogue),), float(one.judged.aligned or False), float(theirs[system, place] or False))
        for system, place, one in explicit.known
        if (system, place) in theirs
    ]


def _agreement(name: str, known: Sequence[LabelledPair]) -> list[Any]:
    """Accuracy and kappa of pairs, each with the dialogues that it is of. A pair of two dialogues is in a resample as often as
    the two together: the product of how often each is."""
    if not known:
        return [name, 0, None, None, None, None]
    dialogues, first, second = (np.array(side) for side in zip(*known, strict=True))
    units = np.arange(len(known), dtype=np.intp)
    pairs = RaterPairs(first, second, units)
    names, of_pair = np.unique(dialogues, return_inverse=True)
    of_pair = of_pair.reshape(dialogues.shape)
    with np.errstate(invalid="ignore"):  # a resample may hold no pair at all
        drawn = [
            cohen_kappa(pairs.cells, pairs.drawn(block[:, of_pair].prod(axis=2)))
            for block in Resamples().blocks(len(names), widest=len(known))
        ]
    kappa = float(cohen_kappa(pairs.cells, pairs.counts)[0])
    interval = interval_of(np.concatenate(drawn)) if len(names) > 1 else None
    cells = figure_cells(None, None) if np.isnan(kappa) else figure_cells(kappa, interval)
    return [name, len(known), float((first == second).mean()), *cells]


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
