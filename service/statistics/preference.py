"""Two systems side by side: which one each rater prefers, and whether judge and people agree on it.

A preference is the sign of a difference of scores. Where both systems were put into the same
situations (one conversation name under both), the two conversations of a situation are compared;
otherwise every conversation of one with every conversation of the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

import numpy as np

from .bootstrap import Matrix
from .coefficients import over_chance
from .ratings import PEOPLE, FactorSheet, Scores
from .rows import Over, StatGap, StatRow, StatUnit, Workshop, interval_of

MOST_PAIRS = 4_000_000
"""Pairs of conversations up to which preferences are resampled."""


class PreferenceStatistic(StrEnum):
    """A figure of two systems."""

    PREFERENCE_SHARE = "preference_share"
    PREFERENCE_KAPPA = "preference_kappa"


@dataclass(frozen=True)
class _Contest:
    """The pairs of two systems' conversations. A table has one row a kind of pair: pairs in all,
    agreed, and for each rater those that prefer the first system and those that prefer the second."""

    system: str
    other: str
    kinds: Matrix
    matched: bool
    sizes: tuple[int, int]

    @property
    def conversations(self) -> int:
        return sum(self.sizes)

    def table(self) -> Matrix:
        """The table of the pairs themselves."""
        return np.asarray(self.kinds.reshape(len(self.kinds), -1).sum(axis=1))

    def drawn(self, work: Workshop) -> Matrix:
        """The table in each resample, (draws, kinds); each system's conversations are drawn apart."""
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
    for rater, scores in sheet.raters.items():
        if people is None or rater == PEOPLE:
            yield from _shares(sheet.factor, rater, _by_system(scores), names, work)
        else:
            yield from _with_people(sheet, rater, people, names, work)


_Conversations = dict[str, dict[str, float]]


def _by_system(scores: Scores) -> _Conversations:
    """Mean scores by system and conversation."""
    given: dict[str, dict[str, list[float]]] = {}
    for unit, score in scores.items():
        if unit.system is not None:
            given.setdefault(unit.system, {}).setdefault(unit.conversation, []).append(score)
    return {
        system: {name: sum(known) / len(known) for name, known in sorted(given[system].items())}
        for system in sorted(given)
    }


def _shares(
    factor: str, rater: str, own: _Conversations, names: Sequence[PreferenceStatistic], work: Workshop
) -> Iterator[StatRow]:
    if PreferenceStatistic.PREFERENCE_SHARE in names:
        for system, other in combinations(own, 2):
            work.check()
            contest = _contest(own, own, system, other)
            yield _share(factor, rater, contest, _resampled(contest, work))


def _with_people(
    sheet: FactorSheet,
    rater: str,
    people: _Conversations,
    names: Sequence[PreferenceStatistic],
    work: Workshop,
) -> Iterator[StatRow]:
    own = _by_system(sheet.judges[rater])
    total, drawn = np.zeros(6), np.zeros((1, 6))
    seen: set[tuple[str, str]] = set()
    for system, other in combinations([name for name in own if name in people], 2):
        work.check()
        contest = _contest(own, people, system, other)
        table, resampled = contest.table(), _resampled(contest, work)
        if not table[0]:
            continue
        if PreferenceStatistic.PREFERENCE_SHARE in names:
            yield _share(sheet.factor, rater, contest, resampled)
        if PreferenceStatistic.PREFERENCE_KAPPA in names:
            row = _kappa_row(sheet.factor, rater, table, resampled)
            yield replace(
                row, over=Over.SYSTEM, conversations=contest.conversations, system=system, other_system=other
            )
        total, drawn = total + table, drawn + resampled
        seen.update((name, place) for name in (system, other) for place in own[name] if place in people[name])
    if PreferenceStatistic.PREFERENCE_KAPPA in names and total[0]:
        yield replace(_kappa_row(sheet.factor, rater, total, drawn), conversations=len(seen))


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
    return _Contest(system, other, kinds, bool(situations), (len(first), 0 if situations else len(second)))


def _resampled(contest: _Contest, work: Workshop) -> Matrix:
    if not work.resamples.draws or contest.kinds[0].size > MOST_PAIRS or not contest.kinds[0].size:
        return np.full((1, 6), np.nan)
    return contest.drawn(work)


def _share(factor: str, rater: str, contest: _Contest, drawn: Matrix) -> StatRow:
    """Return how often the rater prefers the first of two systems; equal scores count half for each."""
    table = contest.table()
    return StatRow(
        statistic=PreferenceStatistic.PREFERENCE_SHARE.value,
        value=float(_share_of(table[None])[0]) if table[0] else None,
        unit=StatUnit.SHARE,
        n=int(table[0]),
        conversations=contest.conversations,
        interval=interval_of(_share_of(drawn)) if table[0] else None,
        undefined=None if table[0] else StatGap.NO_PAIRS,
        over=Over.SYSTEM,
        factor=factor,
        rater=rater,
        system=contest.system,
        other_system=contest.other,
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
