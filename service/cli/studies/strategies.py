"""A method's strategies: alignment, shares and stages, and the quality of the pair classifier (Behavior Alignment, tables 3-5, figure 1)."""

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import numpy as np

from ...alignment.score import Denominator, Estimate, LeftOut, align
from ...alignment.stages import START, StageWeights, estimate, stage_weights
from ...alignment.strategies import ALL, StrategyName
from ...statistics.bootstrap import Resamples
from ...statistics.coefficients import RaterPairs, cohen_kappa
from ...statistics.rows import interval_of
from ..inputs import Json, grouped
from ..run import Job
from ..tabulating.formats import StudyTable, chart, table_of
from ..tabulating.summary import Measured, summarise
from .contexts import HumanContexts, HumanTurn, MethodAnswers
from .judgements import figure_cells, with_bounds
from .report import Findings, published, source
from .steps import StudyRun

SAME, ANY = "same strategy", "any shared strategy"
HUMAN = "human"


def tabulate(findings: Findings, compared: MethodAnswers) -> None:
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


def tabulate_spread(findings: Findings, every: Sequence[MethodAnswers], material: HumanContexts) -> None:
    """The share of labels that agree with the one that counts, and the spread of alignment over seeds."""
    seeds = {place.id: place.seed for place in material.places}
    rows: list[list[Any]] = []
    for one in every:
        for name, alignment in one.systems.items():
            labels = [each.judged.candidate for each in alignment.pairs if one.by != IMPLICIT]
            shares = [found.shares[0] for found in labels if found and found.shares]
            values = grouped(
                (seeds[place], float(each.judged.aligned or False))
                for place, each in zip(one.places[name], alignment.pairs, strict=True)
                if each.left_out is None
            ).values()
            spread = stdev(map(fmean, values)) if len(values) > 1 else None
            rows.append([one.by, name, fmean(shares) if shares else None, spread])
    columns = ("method", "system", "labels that agree", "over seeds")
    note = (
        "Labels that agree: mean share of a model's samples, or of a panel's models, that give the label that counts to the "
        "system's replies. Over seeds: standard deviation of the share of aligned pairs."
    )
    title = "Spread of labels over samples and models, and of alignment over seeds"
    findings.add(StudyTable("spread", title, columns, rows, note, digits=3))


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
    pairs = [([p.pair for p in one.pairs], [p.judged for p in one.pairs]) for one in each]
    paper = [align(*one, Denominator.PAPER) for one in pairs]
    rows: list[list[Any]] = [
        ["score", *(_with_interval(one.score) for one in each)],
        ["divided as formula 2 is printed", *(_with_interval(one.score) for one in paper)],
        ["weighed by stage, INSPIRED", *(_with_interval(one.stage_weighted) for one in each)],
    ]
    if own is not None:
        ours = [align(*one, stages=own) for one in pairs]
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
    inspired = stage_weights()
    names = [START, *(one for one in inspired if one != START)]
    rows = [[name, own.get(name), inspired[name]] for name in names]
    title = f"Stage weights, people's strategies by {compared.by} (Behavior Alignment, section 8)"
    note = (
        "1 / (entropy + e) of people's next strategy, mean 1 over their turns. Few turns give rough weights."
    )
    columns = ("after", "these people", "INSPIRED")
    return StudyTable(f"stages-{compared.file}", title, columns, rows, note, digits=3)


IMPLICIT = "implicit"
SEED, PAIRS_OF_A_KIND = 42, 500
LabelledPair = tuple[tuple[str, ...], float, float]
"""The dialogues that a pair of replies is of, and whether they share a strategy, as labels and a method say."""


async def tabulate_classifier(
    study: StudyRun, material: HumanContexts, every: Sequence[MethodAnswers]
) -> None:
    """The pair classifier on pairs of people's replies whose labels are known (tables 3-5)."""
    labelled = [place for place in material.turns if place.label not in (None, StrategyName.NO_STRATEGY)]
    drawn = drawn_pairs(labelled)
    if not drawn:
        why = "no two replies of --humans in different conversations have a label, in `metadata.strategy` or --strategies"
        study.findings.leave_out("quality of the pair classifier (tables 3-5)", why)
        return
    pairs = [{"candidate": a.reference, "reference": b.reference} for a, b in drawn]
    body = {"method": IMPLICIT, "pairs": pairs}
    (record,) = await study.step("classifier", [Job("pairs", None, "/behavior-alignment", body)])
    judged = record.answer["pairs"] if record.answer else ()
    study.findings.add(quality(list(zip(drawn, judged, strict=False)), every))


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
    """Quality of the classifier on labelled pairs, and of other methods on labelled replies, beside the paper's (tables 3-5)."""
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
    """Accuracy and kappa of pairs. A resample holds a pair as often as the product of its dialogues' counts."""
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
