"""Two systems side by side: which one each rater prefers, and whether judge and people agree on it.

A preference is the sign of a difference of scores. Where both systems were put into the same
situations (one conversation name under both), the two conversations of a situation are compared;
otherwise every conversation of one with every conversation of the other."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Any

import numpy as np

from .bootstrap import DRAWS, Interval, Matrix, Resamples, intervals
from .coefficients import over_chance
from .ratings import PEOPLE
from .rows import FigureUnit, Over, StatGap, StatRow, Workshop, interval_of
from .sheets import FactorSheet, RaterScores, align

MOST_PAIRS = 4_000_000
"""Pairs of conversations up to which preferences are resampled."""
_Conversations = dict[str, dict[int, float]]
CENTRE = 1000.0
"""The mean of all systems' ratings."""
SCALE = 400 / math.log(10)
"""Points for one unit of log odds: 400 points are odds of 10 to 1."""
PRIOR = 0.5
"""Wins that each side of a compared pair is given, so that a system that won everything has a finite rating."""
_STEPS, _CLOSE = 200, 1e-10


class PreferenceStatistic(StrEnum):
    """A figure of two systems."""

    PREFERENCE_SHARE = "preference_share"
    PREFERENCE_KAPPA = "preference_kappa"


@dataclass(frozen=True)
class _Contest:
    """The pairs of two systems' conversations. A table has one row a kind of pair: pairs in all,
    agreed, and for each rater those that prefer the first system and those that prefer the second."""

    kinds: Matrix
    matched: bool
    sizes: tuple[int, int]

    @property
    def conversations(self) -> int:
        return sum(self.sizes)

    def table(self) -> Matrix:
        return np.asarray(self.kinds.reshape(len(self.kinds), -1).sum(axis=1))

    def drawn(self, work: Workshop) -> Matrix:
        """The table in each resample, (draws, kinds); each system's conversations are drawn apart. NaN where there are too many
        pairs to resample."""
        if not work.resamples.draws or not 0 < self.kinds[0].size <= MOST_PAIRS:
            return np.full((1, 6), np.nan)
        if self.matched:
            flat = self.kinds[:, :, 0].T
            return np.vstack([block @ flat for block in work.resamples.blocks(self.sizes[0])])
        count, first, second = self.kinds.shape
        beside = self.kinds.transpose(1, 0, 2).reshape(first, count * second)
        widest = max(beside.shape)
        rows = []
        for a, b in zip(
            work.resamples.blocks(first, widest=widest),
            work.resamples.blocks(second, widest=widest, stream=1),
            strict=True,
        ):
            rows.append(np.einsum("dks,ds->dk", (a @ beside).reshape(len(a), count, second), b))
        return np.vstack(rows)


def prefer(sheet: FactorSheet, names: Sequence[PreferenceStatistic], work: Workshop) -> Iterator[StatRow]:
    """The rows of one factor: shares for each judge and the people, kappa of each judge with the
    people for every two systems and for all of these together."""
    people = _by_system(sheet.mean_of_people) if sheet.people else None
    for rater in sheet.raters:
        yield from _of_rater(sheet, rater, None if rater == PEOPLE else people, names, work)


def _by_system(scores: RaterScores) -> _Conversations:
    known = align(scores).with_system()
    names, number = known.systems
    talk, conversation = (codes[known.at] for codes in (known.units.talk, known.units.conversation))
    _, first, place = np.unique(talk, return_index=True, return_inverse=True)
    means = np.bincount(place, known.scores[:, 0]) / np.bincount(place)
    found: _Conversations = {name: {} for name in names}
    for at, mean in zip(first, means, strict=True):
        found[names[number[at]]][int(conversation[at])] = float(mean)
    return found


def _of_rater(
    sheet: FactorSheet,
    rater: str,
    people: _Conversations | None,
    names: Sequence[PreferenceStatistic],
    work: Workshop,
) -> Iterator[StatRow]:
    """The rows of one rater; shares alone where there are no `people` to compare it with."""
    factor, own = sheet.factor, _by_system(sheet.raters[rater])
    other = own if people is None else people
    total, drawn = np.zeros(6), np.zeros((1, 6))
    seen: set[tuple[str, int]] = set()
    for pair in combinations([name for name in own if name in other], 2):
        work.check()
        contest = _contest(own, other, *pair)
        table, resampled = contest.table(), contest.drawn(work)
        if not table[0]:
            continue
        of_pair: dict[str, Any] = {
            "over": Over.SYSTEM,
            "conversations": contest.conversations,
            "system": pair[0],
            "other_system": pair[1],
        }
        if PreferenceStatistic.PREFERENCE_SHARE in names:
            yield replace(_share(factor, rater, table, resampled), **of_pair)
        if PreferenceStatistic.PREFERENCE_KAPPA in names and people is not None:
            yield replace(_kappa_row(factor, rater, table, resampled), **of_pair)
        total, drawn = total + table, drawn + resampled
        seen.update((name, place) for name in pair for place in own[name] if place in other[name])
    if PreferenceStatistic.PREFERENCE_KAPPA in names and people is not None and total[0]:
        yield replace(_kappa_row(factor, rater, total, drawn), conversations=len(seen))


def _contest(one: _Conversations, two: _Conversations, system: str, other: str) -> _Contest:
    """Raters `one` and `two` on the conversations that both scored."""
    first = [name for name in one[system] if name in two[system]]
    second = [name for name in one[other] if name in two[other]]
    situations = [name for name in first if name in set(second)]
    if situations:
        first = second = situations
    signs = []
    for rater in (one, two):
        a = np.array([rater[system][name] for name in first])
        b = np.array([rater[other][name] for name in second])
        signs.append(np.sign(a - b)[:, None] if situations else np.sign(np.subtract.outer(a, b)))
    x, y = signs
    kinds = np.array([np.ones_like(x), x == y, x > 0, x < 0, y > 0, y < 0], dtype=np.float64)
    return _Contest(kinds, bool(situations), (len(first), 0 if situations else len(second)))


def _share(factor: str, rater: str, table: Matrix, drawn: Matrix) -> StatRow:
    """Return how often the rater prefers the first of two systems; equal scores count half for each."""
    return StatRow(
        PreferenceStatistic.PREFERENCE_SHARE.value,
        float(_share_of(table[None])[0]),
        FigureUnit.SHARE,
        n=int(table[0]),
        interval=interval_of(_share_of(drawn)),
        factor=factor,
        rater=rater,
    )


def _share_of(table: Matrix) -> Matrix:
    pairs, preferred, opposed = table[:, 0], table[:, 2], table[:, 3]
    return np.asarray((preferred + (pairs - preferred - opposed) / 2) / pairs)


def _kappa_row(factor: str, rater: str, table: Matrix, drawn: Matrix) -> StatRow:
    row = StatRow(
        PreferenceStatistic.PREFERENCE_KAPPA.value, n=int(table[0]), factor=factor, rater=rater, other=PEOPLE
    )
    value = float(_kappa_of(table[None])[0])
    if np.isnan(value):
        return replace(row, undefined=StatGap.ONE_VALUE)
    return replace(row, value=value, interval=interval_of(_kappa_of(drawn)))


def _kappa_of(table: Matrix) -> Matrix:
    """Cohen's kappa over prefers the first, prefers the second, neither."""
    shares = table[:, 1:] / table[:, :1]
    agreed, x, x_other, y, y_other = shares.T
    chance = x * y + x_other * y_other + (1 - x - x_other) * (1 - y - y_other)
    return over_chance(agreed, chance)


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
