"""The quality of the pair classifier on replies whose strategies are known (Behavior Alignment, tables 3-5)."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...alignment.strategies import StrategyName
from ...statistics.bootstrap import Resamples
from ...statistics.coefficients import RaterPairs, cohen_kappa
from ...statistics.rows import interval_of
from ..inputs import Json
from ..run import Job
from ..tabulating.formats import StudyTable
from .agreeing import figure_cells, with_bounds
from .contexts import HumanContexts, HumanTurn, MethodAnswers
from .report import published, source
from .steps import StudyRun

IMPLICIT = "implicit"
SEED, PAIRS_OF_A_KIND = 42, 500
LabelledPair = tuple[tuple[str, ...], float, float]
"""The dialogues that a pair of replies is of, and whether they share a strategy, as labels and a method say."""


async def tabulate(study: StudyRun, material: HumanContexts, every: Sequence[MethodAnswers]) -> None:
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
