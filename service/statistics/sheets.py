"""Ratings sorted into sheets: for each factor, one score for each rater and unit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np

from .bootstrap import Matrix
from .coefficients import Indices, RaterPairs
from .ratings import NONE, PEOPLE, Mask, Ratings

DIGITS = 12
"""Means are rounded to this many digits: equal ones must tie, however they were summed."""


@dataclass(frozen=True)
class RatedUnits:
    """Everything that is rated, numbered in the order of its names: conversations with a system, or turns of them.

    Each array has an entry for each unit: the number of the conversation with its system (`talk`), and codes of the ratings'
    names. One conversation name under two systems is one situation put to both."""

    talk: Indices
    conversation: Indices
    system: Indices
    turn: Indices
    systems: Sequence[str]


@dataclass(frozen=True)
class RaterScores:
    """Scores of some units on one factor, in the order of the units. `rows` are the ratings that they come from."""

    units: RatedUnits
    at: Indices
    score: Matrix
    rows: Indices


@dataclass(frozen=True)
class RatingParts:
    """A judge's ratings of one factor before they become one score a unit: entries by unit, round and repeat."""

    at: Indices
    round: Indices
    repeat: Indices
    score: Matrix

    @cached_property
    def repeats(self) -> dict[tuple[int, int], float]:
        """Return the scores of each unit's last round, by unit and repeat."""
        last = dict(zip(self.at.tolist(), self.round.tolist(), strict=True))
        return {
            (unit, repeat): score for unit, number, repeat, score in self._entries() if number == last[unit]
        }

    @property
    def rounds(self) -> dict[tuple[int, int], float]:
        """Return the scores by unit and round, of units with a round in all ratings."""
        found: dict[tuple[int, int], list[float]] = {}
        for unit, number, _, score in self._entries():
            found.setdefault((unit, number), []).append(score)
        return {
            (unit, number): sum(scores) / len(scores)
            for (unit, number), scores in found.items()
            if (unit, NONE) not in found
        }

    def _entries(self) -> Iterator[tuple[int, int, int, float]]:
        columns = (self.at.tolist(), self.round.tolist(), self.repeat.tolist(), self.score.tolist())
        return zip(*columns, strict=True)


@dataclass(frozen=True)
class FactorSheet:
    """All scores of one factor. Repeats are averaged, of several rounds the last counts; `parts` keeps what that leaves out.
    `lengths` has the mean length of each unit where one is known."""

    factor: str
    units: RatedUnits
    judges: dict[str, RaterScores]
    people: dict[str, RaterScores]
    lengths: RaterScores
    parts: dict[str, RatingParts]

    @cached_property
    def mean_of_people(self) -> RaterScores:
        raters = list(self.people.values())
        at, score, rows = (
            np.concatenate(part)
            for part in zip(*((one.at, one.score, one.rows) for one in raters), strict=True)
        )
        return _mean_scores(raters[0].units, at, score, rows)

    @property
    def raters(self) -> dict[str, RaterScores]:
        """Every judge, and the mean of the people where there are any."""
        return {**self.judges, **({PEOPLE: self.mean_of_people} if self.people else {})}


@dataclass(frozen=True)
class Aligned:
    """Scores of the units that all of several raters scored, in the order of the units."""

    units: RatedUnits
    at: Indices
    scores: Matrix

    @cached_property
    def conversation(self) -> Indices:
        """The number of each unit's conversation, from 0."""
        return np.unique(self.units.conversation[self.at], return_inverse=True)[1]

    @cached_property
    def systems(self) -> tuple[list[str], Indices]:
        """The systems' names, and the number of each unit's. Units without a system must be left out before."""
        codes, number = np.unique(self.units.system[self.at], return_inverse=True)
        return [self.units.systems[code] for code in codes], number

    def pairs(self, *, within: bool = False, levels: int = 0) -> RaterPairs:
        """The first two raters' scores."""
        group = self.systems[1] if within else None
        return RaterPairs(self.scores[:, 0], self.scores[:, 1], self.conversation, group=group, levels=levels)

    def of_system(self, name: str) -> "Aligned":
        return self._where(self.units.system[self.at] == self.units.systems.index(name))

    def with_system(self) -> "Aligned":
        return self._where(self.units.system[self.at] != NONE)

    def _where(self, chosen: Mask) -> "Aligned":
        return Aligned(self.units, self.at[chosen], self.scores[chosen])


def align(*raters: RaterScores) -> Aligned:
    """The units that every one of these raters scored."""
    at = reduce(
        lambda common, one: np.intersect1d(common, one.at, assume_unique=True), raters[1:], raters[0].at
    )
    scores = [one.score[np.searchsorted(one.at, at)] for one in raters]
    return Aligned(raters[0].units, at, np.column_stack(scores))


@dataclass(frozen=True, slots=True)
class RatingRemark:
    """Something about the ratings that a reader of the figures must not miss."""

    code: str
    detail: str


@dataclass(frozen=True)
class SortedRatings:
    """Ratings as sheets in the order of the factors' names. `unit` has the unit of each rating; `duplicates` counts ratings
    that repeat another one."""

    ratings: Ratings
    units: RatedUnits
    unit: Indices
    sheets: Sequence[FactorSheet]
    duplicates: int

    def duplicate_remarks(self, code: str) -> Iterator[RatingRemark]:
        if self.duplicates:
            yield RatingRemark(
                code,
                f"{self.duplicates} ratings repeat the conversation, system, turn, factor, rater, repeat and round of "
                "another; such ratings were averaged.",
            )


def sort_ratings(ratings: Ratings) -> SortedRatings:
    """Sort ratings into sheets. A conversation's system, where a rating leaves it out, is the one that other ratings of it
    name, if they name one alone."""
    codes, names = ratings.codes, ratings.names
    system = _systems(codes["conversation"], codes["system"])
    talk, _ = _joint(codes["conversation"], system)
    unit, first = _joint(talk, codes["turn"])
    units = RatedUnits(
        talk[first], codes["conversation"][first], system[first], codes["turn"][first], names["system"]
    )
    keys = (codes["factor"], codes["rater"], unit, codes["round"], codes["repeat"])
    order = np.lexsort(keys[::-1])
    # A part is what one rater said of a unit in one round and repeat, an entry all that the rater said of it.
    starts = _starts(*(key[order] for key in keys))
    rows = order[starts]
    score = np.add.reduceat(ratings.values["score"][order], starts) / np.diff(starts, append=len(order))
    factor, rater, at, number, repeat = (key[rows] for key in keys)
    entry = _starts(factor, rater, at)
    ends = np.append(entry[1:], len(rows))
    counted = number == np.repeat(np.maximum.reduceat(number, entry), ends - entry)
    mean = np.add.reduceat(score * counted, entry) / np.add.reduceat(counted, entry, dtype=int)
    mean = np.round(mean, DIGITS)

    length = ratings.values["length"]
    known = np.flatnonzero(~np.isnan(length))
    sheets: dict[int, FactorSheet] = {}
    for start, end in pairwise([*_starts(factor[entry], rater[entry]), len(entry)]):
        code = int(factor[entry[start]])
        if code not in sheets:
            here = known[codes["factor"][known] == code]
            lengths = _mean_scores(units, unit[here], length[here], here)
            sheets[code] = FactorSheet(names["factor"][code], units, {}, {}, lengths, {})
        name, last = names["rater"][rater[entry[start]]], rows[ends[start:end] - 1]
        scores = RaterScores(units, at[entry[start:end]], mean[start:end], last)
        if ratings.human[last[0]]:
            sheets[code].people[name] = scores
        else:
            said = slice(entry[start], ends[end - 1])
            sheets[code].judges[name] = scores
            sheets[code].parts[name] = RatingParts(at[said], number[said], repeat[said], score[said])
    return SortedRatings(ratings, units, unit, list(sheets.values()), len(order) - len(rows))


def _mean_scores(units: RatedUnits, at: Indices, score: Matrix, rows: Indices) -> RaterScores:
    known, first, place = np.unique(at, return_index=True, return_inverse=True)
    mean = np.round(np.bincount(place, score) / np.bincount(place), DIGITS)
    return RaterScores(units, known, mean, rows[first])


def look_up(at: Indices, score: Matrix, wanted: Indices) -> Matrix:
    """Return the scores of the units `wanted`, NaN for those that are not among `at`."""
    found = np.full(len(wanted), np.nan)
    _, place, there = np.intersect1d(at, wanted, assume_unique=True, return_indices=True)
    found[there] = score[place]
    return found


def _systems(conversation: Indices, system: Indices) -> Indices:
    """Return the system of each rating, NONE where it is not known."""
    known = system != NONE
    if known.all() or not known.any():
        return system
    size = int(conversation.max()) + 1
    lowest, highest = np.full(size, np.iinfo(np.intp).max), np.full(size, NONE)
    np.minimum.at(lowest, conversation[known], system[known])
    np.maximum.at(highest, conversation[known], system[known])
    alone = np.where(lowest == highest, highest, NONE)
    return np.where(known, system, alone[conversation])


def _joint(first: Indices, second: Indices) -> tuple[Indices, Indices]:
    """Return the number of each pair of codes, in their order, and the place where each is first met."""
    width = int(second.max(initial=NONE)) + 2
    _, place, number = np.unique(first * width + second + 1, return_index=True, return_inverse=True)
    return number, place


def _starts(*keys: Indices) -> Indices:
    """Return the places in sorted columns where one of them changes."""
    changes = np.any([np.diff(key, prepend=NONE - 1) != 0 for key in keys], axis=0)
    return np.flatnonzero(changes)
