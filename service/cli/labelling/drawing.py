"""The sample of conversations that people label, and the probability with which each was drawn."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..exits import CommandError

_LEAST_DRAWN = 2
"""Of each stratum: one conversation says nothing about how much a stratum varies."""


class Design(StrEnum):
    """Ways to draw conversations."""

    RANDOM = "random"
    SYSTEM = "system"


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
    """Return `n` conversations in random order, all of them where there are fewer. The same seed draws the same. By system, every
    system gets the same number.

    Raises CommandError where `n` is too small for the systems, or a conversation names none."""
    source = random.Random(seed)  # noqa: S311 - a sample that can be repeated, no secret
    n = min(n, len(units))
    if design is Design.RANDOM:
        return [DrawnConversation(place, None, None) for place in source.sample(range(len(units)), n)]
    strata = _systems(units)
    if n < _LEAST_DRAWN * len(strata):
        least = _LEAST_DRAWN * len(strata)
        raise CommandError(f"{len(strata)} strata take {least} conversations or more: {', '.join(strata)}.")
    sizes = [len(places) for places in strata.values()]
    counts = _allocated(sizes, n)
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


def _allocated(sizes: Sequence[int], n: int) -> list[int]:
    """Return how many each system gets: the same number, at least two, and no more than it has."""
    counts = [min(_LEAST_DRAWN, size) for size in sizes]
    for _ in range(n - sum(counts)):
        free = [index for index, size in enumerate(sizes) if counts[index] < size]
        counts[min(free, key=counts.__getitem__)] += 1
    return counts
