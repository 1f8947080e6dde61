"""The sample of conversations that people label, and the probability with which each was drawn."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..exits import CommandError

BINS = 4
"""Parts of equal width into which scores are divided."""
_LEAST_IN_BIN = 4
_LEAST_DRAWN = 2
"""Of each stratum: one conversation says nothing about how much a stratum varies."""


class Design(StrEnum):
    """Ways to draw conversations."""

    RANDOM = "random"
    SYSTEM = "system"
    SCORE = "score"


@dataclass(frozen=True)
class JudgedConversation:
    """A judged conversation: who talked, and its mean score over the factors, 0-1."""

    system: str | None
    score: float


@dataclass(frozen=True)
class DrawnConversation:
    """A drawn conversation by its place. `probability` and `stratum` are None for a simple random sample."""

    place: int
    probability: float | None
    stratum: str | None


def draw(units: Sequence[JudgedConversation], n: int, design: Design, seed: int) -> list[DrawnConversation]:
    """Return `n` conversations in random order, all of them where there are fewer. The same seed draws the same.

    By system, every system gets the same number. By score, the scale that was used is cut into parts of equal width. A part gets
    labels by the root of its size: the rare ends get more than their share, without starving the rest.

    Raises CommandError where `n` is too small for the strata, or there is nothing to divide by."""
    source = random.Random(seed)  # noqa: S311 - a sample that can be repeated, no secret
    n = min(n, len(units))
    if design is Design.RANDOM:
        return [DrawnConversation(place, None, None) for place in source.sample(range(len(units)), n)]
    strata = _systems(units) if design is Design.SYSTEM else _score_bins(units)
    if n < _LEAST_DRAWN * len(strata):
        least = _LEAST_DRAWN * len(strata)
        raise CommandError(f"{len(strata)} strata take {least} conversations or more: {', '.join(strata)}.")
    sizes = [len(places) for places in strata.values()]
    power = 0.0 if design is Design.SYSTEM else 0.5
    counts = _allocated([size**power for size in sizes], sizes, n)
    drawn = [
        DrawnConversation(place, count / len(places), name)
        for (name, places), count in zip(strata.items(), counts, strict=True)
        for place in source.sample(places, count)
    ]
    source.shuffle(drawn)
    return drawn


def _systems(units: Sequence[JudgedConversation]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, unit in enumerate(units):
        if unit.system is None:
            raise CommandError("Some results name no system, so there is no drawing by system.")
        found.setdefault(unit.system, []).append(place)
    return found


def _score_bins(units: Sequence[JudgedConversation]) -> dict[str, list[int]]:
    """Conversations by score from the lowest; a bin with too few is joined with the next one."""
    low, high = min(unit.score for unit in units), max(unit.score for unit in units)
    width = (high - low) / BINS or 1.0
    bins: list[list[int]] = [[] for _ in range(BINS)]
    for place, unit in enumerate(units):
        bins[min(int((unit.score - low) / width), BINS - 1)].append(place)
    merged: list[list[int]] = []
    for places in bins:
        if merged and (len(merged[-1]) < _LEAST_IN_BIN or not places):
            merged[-1] += places
        else:
            merged.append(places)
    if len(merged) > 1 and len(merged[-1]) < _LEAST_IN_BIN:
        merged[-2] += merged.pop()
    return {_bin_name(units, places): places for places in merged}


def _bin_name(units: Sequence[JudgedConversation], places: Sequence[int]) -> str:
    scores = [units[place].score for place in places]
    return f"score {min(scores):.3f} to {max(scores):.3f}"


def _allocated(weights: Sequence[float], sizes: Sequence[int], n: int) -> list[int]:
    """Return how many each stratum gets: in proportion to its weight (by divisors, Sainte-Laguë), at least two, and
    no more than it has."""
    counts = [min(_LEAST_DRAWN, size) for size in sizes]
    for _ in range(n - sum(counts)):
        free = [index for index, size in enumerate(sizes) if counts[index] < size]
        poorest = min(free, key=lambda index: (counts[index] + 0.5) / weights[index])
        counts[poorest] += 1
    return counts
