"""Samples of an exam, stratified by fault."""

from collections.abc import Collection
from dataclasses import replace
from itertools import chain, zip_longest
from random import Random

from .pair import Exam, MinimalPair


def narrowed(exam: Exam, *, faults: Collection[str] = (), ids: Collection[str] = ()) -> Exam:
    """Keep the pairs of these faults, and what has these ids; empty keeps all. Rated conversations have no fault."""
    pairs = (one for one in exam.pairs if not faults or one.fault in faults)
    rated = () if faults else exam.rated
    return replace(
        exam,
        pairs=tuple(one for one in pairs if not ids or one.id in ids),
        rated=tuple(one for one in rated if not ids or one.id in ids),
    )


def sampled(exam: Exam, size: int, seed: int) -> Exam:
    """Draw `size` pairs, as evenly over the faults as there are pairs, and as large a share of the rated conversations.
    The same seed draws the same."""
    if size >= len(exam.pairs):
        return exam
    random = Random(seed)  # noqa: S311 - a sample, not a secret
    by_fault: dict[str, list[MinimalPair]] = {}
    for pair in exam.pairs:
        by_fault.setdefault(pair.fault, []).append(pair)
    piles = [random.sample(pile, len(pile)) for pile in by_fault.values()]
    random.shuffle(piles)
    drawn = [one for one in chain.from_iterable(zip_longest(*piles)) if one is not None][:size]
    rated = random.sample(exam.rated, round(len(exam.rated) * size / len(exam.pairs)))
    chosen = {one.id for one in drawn}
    return replace(exam, pairs=tuple(one for one in exam.pairs if one.id in chosen), rated=tuple(rated))
