"""Strengths of systems from preferences (Bradley and Terry 1952), on Elo's scale, with intervals over whole conversations."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .bootstrap import DRAWS, Interval, Matrix, Resamples, intervals

CENTRE = 1000.0
"""The mean of all systems' ratings."""
SCALE = 400 / math.log(10)
"""Points for one unit of log odds: 400 points are odds of 10 to 1."""
PRIOR = 0.5
"""Wins that each side of a compared pair is given, so that a system that won everything has a finite rating."""
_STEPS, _CLOSE = 200, 1e-10


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A preference between two systems in a conversation: `share` is 1 for the first, 0 for the second, 0.5 for a tie."""

    conversation: str
    first: str
    second: str
    share: float


@dataclass(frozen=True, slots=True)
class EloRating:
    """A system's rating, its 95 % percentile interval, None below two conversations, and the wins it has: ties count half."""

    system: str
    rating: float
    interval: Interval | None
    wins: float
    n: int


def elo_ratings(choices: Sequence[PairChoice], *, draws: int = DRAWS) -> list[EloRating]:
    """Rate the systems, the best first. The order of the choices does not matter.

    Raises ValueError where some systems were compared with the others neither directly nor through further ones."""
    systems = sorted({name for one in choices for name in (one.first, one.second)})
    conversations = sorted({one.conversation for one in choices})
    wins = np.zeros((len(conversations), len(systems), len(systems)))
    for one in choices:
        of_conversation = wins[conversations.index(one.conversation)]
        first, second = systems.index(one.first), systems.index(one.second)
        of_conversation[first, second] += one.share
        of_conversation[second, first] += 1 - one.share
    total = wins.sum(axis=0)
    games = total + total.T
    if not np.linalg.matrix_power((games > 0) + np.eye(len(systems)), len(systems)).all():
        raise ValueError("not all systems are compared with one another, directly or through others")
    prior = PRIOR * (games > 0)
    drawn = [
        _fit((block @ wins.reshape(len(wins), -1)).reshape(-1, *total.shape) + prior)
        for block in Resamples(draws).blocks(len(wins), widest=total.size)
    ]
    bounds = intervals(np.vstack(drawn)) if len(wins) > 1 and draws else [None] * len(systems)
    rated = zip(
        systems, _fit(total[None] + prior)[0], bounds, total.sum(axis=1), games.sum(axis=1), strict=True
    )
    found = [
        EloRating(name, float(rating), bound, float(won), int(n)) for name, rating, bound, won, n in rated
    ]
    return sorted(found, key=lambda one: -one.rating)


def _fit(wins: Matrix) -> Matrix:
    """The maximum-likelihood ratings of each (systems, systems) matrix of wins, by Newton's method."""
    games = wins + wins.transpose(0, 2, 1)
    count = wins.shape[1]
    strengths = np.zeros(wins.shape[:2])
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
        gradient = (wins - games * expected).sum(axis=2)
        weights = games * expected * (1 - expected)
        # Strengths are known up to a constant: the ones keep their sum at 0.
        curvature = weights.sum(axis=2)[:, :, None] * np.eye(count) - weights + 1 / count
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        strengths += step / np.maximum(1, np.abs(step).max(axis=1, keepdims=True))
        if np.abs(step).max() < _CLOSE:
            break
    return np.asarray(CENTRE + SCALE * strengths)
