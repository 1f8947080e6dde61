"""Strategies of recommenders and people as tables (Behavior Alignment, tables 1 and 3-5, figure 1)."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ....alignment.pair import Judged, Pair, Reply, StrategyFinding
from ....alignment.score import Alignment, Denominator, Estimate, LeftOut, align
from ....alignment.sessions import session
from ....alignment.stages import START, StageWeights, estimate, load_stage_weights
from ....alignment.strategies import ALL, StrategyName
from ....catalogue.catalogue import Catalogue
from ....domain.conversation import ConversationLog, Message, Role
from ....statistics.bootstrap import Resamples
from ....statistics.coefficients import RaterPairs, cohen_kappa
from ....statistics.rows import interval_of
from ...inputs import Json
from ...tabulating.formats import StudyTable, chart, table_of
from ...tabulating.summary import Measured, summarise
from ..report import Findings, published, source
from .agreeing import figure_cells, with_bounds
from .contexts import HumanContexts, HumanTurn, JudgedPairs, MethodAnswers
from .sessions import catalogue_of

HUMAN = "human"
SEED, PAIRS_OF_A_KIND = 42, 500
SAME, ANY = "same strategy", "any shared strategy"
LabelledPair = tuple[tuple[str, ...], float, float]
"""The dialogues that a pair of replies is of, and whether they share a strategy, as labels and a method say."""


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


def tabulate(findings: Findings, compared: MethodAnswers) -> None:
    """One method's tables and figure."""
    stages, own = load_stage_weights(), _own_stages(compared)
    findings.sheets += [_scores(compared), _parts(compared, stages, own)]
    findings.add(*_shares(compared))
    if own is not None:
        findings.add(_stages(compared, stages, own))
    findings.add(_confusions(compared))


def human(pair: Json) -> StrategyFinding | None:
    """Return what the human recommender's reply was found to do."""
    return _finding(pair["strategies"]["reference"])


def system(pair: Json) -> StrategyFinding | None:
    """Return what the system's reply was found to do."""
    return _finding(pair["strategies"]["candidate"])


def _finding(used: Sequence[Json] | None) -> StrategyFinding | None:
    return StrategyFinding(tuple(StrategyName(one["strategy"]) for one in used)) if used else None


def _together(pairs: JudgedPairs, denominator: Denominator, stages: StageWeights) -> Alignment:
    """The alignment over all pairs, each dialogue resampled whole."""
    said: list[Pair] = []
    judged: list[Judged] = []
    for place, one in pairs:
        reply = None if one["left_out"] == LeftOut.NO_COUNTERPART.value else Reply(("",))
        said.append(Pair(reply, reply, place.dialogue, place.turn))
        judged.append(Judged(system(one), human(one), one["aligned"], one["aligned_any"], ""))
    return align(said, judged, denominator, stages)


def _own_stages(compared: MethodAnswers) -> StageWeights | None:
    """Stage weights from what people did, turn by turn; None where no two turns with a strategy follow one another."""
    dialogues: dict[str, list[StrategyName]] = {}
    for place, pair in compared.of_people:
        if (finding := human(pair)) and finding.uses_one:
            dialogues.setdefault(place.dialogue, []).append(finding.strategy)
    return estimate(dialogues.values()) if any(len(each) > 1 for each in dialogues.values()) else None


def _scores(compared: MethodAnswers) -> StudyTable:
    numbers = [
        Measured(name, label, place.dialogue, float(pair[field]))
        for name, pairs in compared.pairs.items()
        for place, pair in pairs
        for label, field in ((SAME, "aligned"), (ANY, "aligned_any"))
        if pair["counted"]
    ]
    summary = summarise(f"Behavior Alignment, by {compared.by}", numbers, list(compared.pairs), [SAME, ANY])
    return table_of(f"alignment-{compared.file}", summary)


def _parts(compared: MethodAnswers, stages: StageWeights, own: StageWeights | None) -> StudyTable:
    """The score with other divisors and weights, and the pairs that are left out."""

    def found(denominator: Denominator, weights: StageWeights) -> list[Alignment]:
        return [_together(pairs, denominator, weights) for pairs in compared.pairs.values()]

    each, paper = found(Denominator.PAIRS, stages), found(Denominator.PAPER, stages)
    rows: list[list[Any]] = [
        ["score", *(_with_interval(one.score) for one in each)],
        ["divided as formula 2 is printed", *(_with_interval(one.score) for one in paper)],
        ["weighed by stage, INSPIRED", *(_with_interval(one.stage_weighted) for one in each)],
    ]
    if own is not None:
        ours = found(Denominator.PAIRS, own)
        rows.append(["weighed by stage, these people", *(_with_interval(one.stage_weighted) for one in ours)])
    rows.append(["pairs that count", *(one.counted for one in each)])
    for reason in LeftOut:
        label = f"left out: {reason.value.replace('_', ' ')}"
        rows.append([label, *(one.left_out[reason] for one in each)])
    title = f"Behavior Alignment in parts, by {compared.by}"
    note = "Share [95 % interval over dialogues]. Stage weights: docs/behavior-alignment.md."
    return StudyTable(f"parts-{compared.file}", title, ("part", *compared.pairs), rows, note, digits=3)


def _with_interval(estimate: Estimate) -> str | None:
    if estimate.value is None:
        return None
    bounds = estimate.interval
    return f"{estimate.value:.3f}" + (f" [{bounds.low:.3f}, {bounds.high:.3f}]" if bounds else "")


def _shares(compared: MethodAnswers) -> tuple[StudyTable, str]:
    """The use of each strategy by people and by systems (figure 1)."""
    sides = {HUMAN: compared.of_people, **compared.pairs}
    numbers = [
        Measured(name, one.slug.value, place.dialogue, float(one.slug is found.strategy))
        for name, pairs in sides.items()
        for place, pair in pairs
        if (found := human(pair) if name == HUMAN else system(pair)) is not None
        for one in ALL
    ]
    title = f"Strategies, by {compared.by} (Behavior Alignment, figure 1)"
    summary = summarise(title, numbers, list(sides), [one.slug.value for one in ALL])
    note = (
        "Shares of turns, by the strategy that counts (standard deviation) [95 % interval over dialogues]. The paper's figure 1 "
        "is a picture: it prints no values."
    )
    sheet = table_of(f"strategies-{compared.file}", summary)
    return replace(sheet, note=note, ranks={}), chart(summary, 0, 1)  # more of one is not better


def _stages(compared: MethodAnswers, stages: StageWeights, own: StageWeights) -> StudyTable:
    """The weight of a deviation after each strategy (section 8)."""
    names = [START, *(one for one in stages.weights if one != START)]
    rows = [[name, own.weights.get(name), stages.weights[name]] for name in names]
    title = f"Stage weights, people's strategies by {compared.by} (Behavior Alignment, section 8)"
    note = (
        "1 / (entropy + e) of people's next strategy, mean 1 over their turns. Few turns give rough weights."
    )
    columns = ("after", "these people", "INSPIRED")
    return StudyTable(f"stages-{compared.file}", title, columns, rows, note, digits=3)


def _confusions(compared: MethodAnswers) -> StudyTable:
    """The commonest strategies in people's place."""
    rows: list[list[Any]] = []
    for name, pairs in compared.pairs.items():
        differing: Counter[tuple[str, str]] = Counter()
        for _, pair in pairs:
            ours, theirs = system(pair), human(pair)
            if pair["counted"] and not pair["aligned"] and ours and theirs:
                differing[theirs.strategy.value, ours.strategy.value] += 1
        rows += [[name, *both, count] for both, count in differing.most_common(10)]
    title, columns = f"Commonest differences, by {compared.by}", ("system", "people", "the system", "turns")
    return StudyTable(f"differences-{compared.file}", title, columns, rows)


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
    found: list[LabelledPair] = []
    for name, pairs in explicit.pairs.items():
        theirs: Mapping[str, Json] = {place.id: pair for place, pair in other.pairs[name]}
        for place, pair in pairs:
            same = theirs.get(place.id)
            if pair["aligned"] is not None and same is not None and same["aligned"] is not None:
                found.append(((place.dialogue,), float(pair["aligned"]), float(same["aligned"])))
    return found


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
