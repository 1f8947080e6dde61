"""Every rater against every other: pooled, system by system, within systems, over systems, and
beside each judge what knowing the system alone would reach."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from .bootstrap import Matrix, Resamples, divide
from .coefficients import CORRELATIONS, Coefficient, RaterPairs, alpha_of_many, nearest_levels
from .ratings import PEOPLE
from .rows import Over, StatGap, StatRow, Workshop, coefficient_rows, whole_rows
from .sheets import DIGITS, Aligned, FactorSheet, RaterScores, align, look_up

MOST_PEOPLE = 10
"""People up to which every two of them are compared; alpha says it for any number."""


def compare(sheet: FactorSheet, names: Sequence[Coefficient], work: Workshop) -> Iterator[StatRow]:
    """The rows of one factor: judges with people in every way, judges with one another and people
    with one another pooled and within systems, and alpha among all people."""
    levels = work.levels.get(sheet.factor) or _reach(sheet)
    for judge, scores in sheet.judges.items():
        if sheet.people:
            aligned = align(scores, sheet.mean_of_people)
            for row in (*whole_rows(work, names, aligned, levels), *_by_system(aligned, names, levels, work)):
                yield replace(row, factor=sheet.factor, rater=judge, other=PEOPLE)
    few = len(sheet.people) <= MOST_PEOPLE
    for raters in (sheet.judges, sheet.people if few else {}):
        for (rater, scores), (other, others) in combinations(raters.items(), 2):
            for row in whole_rows(work, names, align(scores, others), levels):
                yield replace(row, factor=sheet.factor, rater=rater, other=other)
    if len(sheet.people) > 1 and Coefficient.KRIPPENDORFF_ALPHA in names:
        yield from _among_people(sheet, work)


def _by_system(
    aligned: Aligned, names: Sequence[Coefficient], levels: int, work: Workshop
) -> Iterator[StatRow]:
    """Each system by itself, the systems' means, and what knowing the system alone would reach."""
    known = aligned.with_system()
    systems = known.systems[0]
    if len(systems) < 2:
        return
    for system in systems:
        pairs = known.of_system(system).pairs(levels=levels)
        yield from coefficient_rows(work, names, pairs, over=Over.SYSTEM, system=system)
    correlations = [name for name in names if name in CORRELATIONS]
    number, people = known.systems[1], known.scores[:, 1]
    # Knowing only who talks gives the people's mean over the system. It is held fixed while conversations are resampled.
    oracle = RaterPairs(
        (np.bincount(number, people) / np.bincount(number))[number], people, known.conversation
    )
    yield from coefficient_rows(work, correlations, oracle, over=Over.SYSTEM_MEAN)
    yield from over_systems(correlations, known, work)


def over_systems(names: Sequence[Coefficient], known: Aligned, work: Workshop) -> Iterator[StatRow]:
    """Yield how alike two raters' means rank the systems: correlations of the means over units whose system is known, with
    intervals over conversations."""
    number = known.systems[1]
    count = len(known.systems[0])
    first, second = (
        np.round(np.bincount(number, known.scores[:, side]) / np.bincount(number), DIGITS) for side in (0, 1)
    )
    pairs = RaterPairs(first, second, np.arange(count, dtype=np.intp))
    conversations = known.pairs().conversations
    widest = max(len(known.at), count**2)
    for row in coefficient_rows(Workshop(Resamples(draws=0)), names, pairs):
        value = partial(_means_drawn, Coefficient(row.statistic), known)
        interval = None if row.value is None else work.interval(conversations, widest, value)
        yield replace(row, conversations=conversations, interval=interval, over=Over.SYSTEMS)


def _means_drawn(name: Coefficient, known: Aligned, resamples: Matrix) -> Matrix:
    """The correlation of the systems' means in each resample; systems that a resample leaves out
    are left out of its correlation."""
    names, number = known.systems
    member = np.zeros((resamples.shape[1], len(names) * 3))
    for part, values in enumerate((np.ones(len(number)), known.scores[:, 0], known.scores[:, 1])):
        np.add.at(member, (known.conversation, number + part * len(names)), values)
    sizes, *sums = np.split(resamples @ member, 3, axis=1)
    present = sizes > 0
    sides = [np.round(divide(part, sizes, 0.0), DIGITS) for part in sums]
    if name is Coefficient.PEARSON:
        middles = (side.sum(axis=1) / present.sum(axis=1) for side in sides)
        x, y = ((side - middle[:, None]) * present for side, middle in zip(sides, middles, strict=True))
    else:
        both = present[:, :, None] & present[:, None, :]
        x, y = (np.sign(side[:, :, None] - side[:, None, :]) * both for side in sides)
        if name is Coefficient.SPEARMAN:  # a sum of signs is twice the distance from the middle rank
            x, y = x.sum(axis=2), y.sum(axis=2)
        x, y = x.reshape(len(resamples), -1), y.reshape(len(resamples), -1)
    scale = np.sqrt((x * x).sum(axis=1)) * np.sqrt((y * y).sum(axis=1))
    return np.asarray(np.clip(divide((x * y).sum(axis=1), scale), -1.0, 1.0))


def _among_people(sheet: FactorSheet, work: Workshop) -> Iterator[StatRow]:
    """Krippendorff's alpha of all people, whole and system by system."""
    everyone = list(sheet.people.values())
    whole = align(sheet.mean_of_people)
    yield _alpha_row(sheet.factor, everyone, whole, work, None)
    systems = whole.with_system().systems[0]
    if len(systems) > 1:
        for system in systems:
            yield _alpha_row(sheet.factor, everyone, whole.of_system(system), work, system)


def _alpha_row(
    factor: str, everyone: Sequence[RaterScores], aligned: Aligned, work: Workshop, system: str | None
) -> StatRow:
    work.check()
    given = np.column_stack([look_up(one.at, one.score, aligned.at) for one in everyone])
    conversations = int(aligned.conversation.max()) + 1
    value = float(alpha_of_many(given, np.ones((1, len(given))))[0])
    shared = int(((~np.isnan(given)).sum(axis=1) > 1).sum())
    row = StatRow(
        Coefficient.KRIPPENDORFF_ALPHA.value,
        n=shared,
        conversations=conversations,
        over=Over.SYSTEM if system else Over.POOLED,
        factor=factor,
        rater=PEOPLE,
        system=system,
    )
    if np.isnan(value):
        return replace(row, undefined=StatGap.ONE_VALUE if shared else StatGap.NO_PAIRS)
    interval = work.interval(
        conversations, len(given), lambda w: alpha_of_many(given, w[:, aligned.conversation])
    )
    return replace(row, value=value, interval=interval)


def _reach(sheet: FactorSheet) -> int:
    """Return how many levels there are from the lowest score of a factor to the highest."""
    given = [one.score for one in (*sheet.judges.values(), *sheet.people.values())]
    seen = nearest_levels(np.concatenate(given))
    return int(seen.max() - seen.min()) + 1
