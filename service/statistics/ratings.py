"""Ratings by judges and people, sorted into sheets: one factor, one score a rater and unit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from ..domain.rounding import WHOLE
from .bootstrap import Matrix
from .coefficients import Indices, RaterPairs

PEOPLE = "people"
"""The rater that is the mean of all human raters of a unit."""


class RaterKind(StrEnum):
    """Kind of rater."""

    JUDGE = "judge"
    HUMAN = "human"


NamedLabel = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One score by one rater."""

    conversation: Annotated[NamedLabel, Field(examples=["session-4711"])]
    """The unit of resampling. One name under two systems is one situation put to both."""
    system: NamedLabel | None = None
    """The system that talked; needed once a conversation, in any rating."""
    factor: Annotated[NamedLabel, Field(examples=["coherence"])]
    """Any name; ratings of one factor are compared."""
    rater: Annotated[NamedLabel, Field(examples=["openai:gpt-x"])]
    """A judge's or a person's name; `people` is taken: it is the mean of all human raters."""
    kind: RaterKind
    score: Annotated[float, Field(ge=-1e6, le=1e6)]
    """On one scale for all raters where kappa is wanted."""
    repeat: Annotated[int, Field(ge=0, le=1_000_000), WHOLE] | None = None
    """The how-manieth asking; repeats are averaged, save for `repeat_spread`."""
    round: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    """The round of a debate whose debaters are the raters; the last counts."""
    turn: Annotated[int, Field(ge=0, le=1_000_000), WHOLE] | None = None
    """Index of the message that this is about; the whole conversation by default."""
    length: Annotated[float, Field(ge=0, le=1e9)] | None = None
    """Length of what was rated, in words, for `length_correlation`."""


class Rated(NamedTuple):
    """The unit that is rated. One conversation name under two systems is one situation put to both."""

    conversation: str
    system: str | None
    turn: int | None


Scores = Mapping[Rated, float]


@dataclass(frozen=True)
class FactorSheet:
    """All scores of one factor. Repeats are averaged, of several rounds the last counts.

    `repeats` and `rounds` keep what that leaves out: scores by rater, unit and repeat, and by
    rater, unit and round."""

    factor: str
    judges: Mapping[str, Scores]
    people: Mapping[str, Scores]
    lengths: Scores
    repeats: Mapping[str, Mapping[Rated, Mapping[int, float]]]
    rounds: Mapping[str, Mapping[Rated, Mapping[int, float]]]

    @cached_property
    def mean_of_people(self) -> Scores:
        """The mean over the human raters of each unit."""
        given: dict[Rated, list[float]] = {}
        for scores in self.people.values():
            for unit, score in scores.items():
                given.setdefault(unit, []).append(score)
        return {unit: sum(scores) / len(scores) for unit, scores in given.items()}

    @property
    def raters(self) -> dict[str, Scores]:
        """Every judge, and the mean of the people where there are any."""
        return {**self.judges, **({PEOPLE: self.mean_of_people} if self.people else {})}


@dataclass(frozen=True)
class Aligned:
    """Scores of the units that all of several raters scored, in the order of their names."""

    units: tuple[Rated, ...]
    scores: Matrix
    conversation: Indices

    def pairs(self, *, within: bool = False, levels: int = 0) -> RaterPairs:
        """The first two raters' scores."""
        return RaterPairs(
            self.scores[:, 0],
            self.scores[:, 1],
            self.conversation,
            group=self.systems[1] if within else None,
            levels=levels,
        )

    @cached_property
    def systems(self) -> tuple[list[str], Indices]:
        """The systems' names, and the number of each unit's; units without one have a number of
        their own, the last."""
        names = sorted({unit.system for unit in self.units if unit.system is not None})
        number = {name: index for index, name in enumerate(names)}
        of_units = [len(names) if u.system is None else number[u.system] for u in self.units]
        return names, np.array(of_units, dtype=np.intp)

    def of_system(self, name: str) -> "Aligned":
        """The units of one system."""
        return self.where([unit.system == name for unit in self.units])

    def with_system(self) -> "Aligned":
        """The units whose system is known."""
        return self.where([unit.system is not None for unit in self.units])

    def where(self, chosen: Sequence[bool]) -> "Aligned":
        """The units chosen, conversations renumbered."""
        here = np.array(chosen, dtype=bool)
        if here.all():
            return self
        units = tuple(unit for unit, keep in zip(self.units, chosen, strict=True) if keep)
        return Aligned(units, self.scores[here], _numbered(units))


def align(*raters: Scores) -> Aligned:
    """The units that every one of these raters scored."""
    common = set(raters[0]).intersection(*raters[1:])
    order = {
        unit: (unit.conversation, unit.system or "", -1 if unit.turn is None else unit.turn)
        for unit in common
    }
    units = tuple(sorted(common, key=order.__getitem__))
    scores = np.array([[scores[unit] for scores in raters] for unit in units], dtype=np.float64)
    return Aligned(units, scores.reshape(len(units), len(raters)), _numbered(units))


@dataclass(frozen=True)
class Sorted:
    """Ratings as sheets, with how many said the same thing twice."""

    sheets: tuple[FactorSheet, ...]
    duplicates: int


def sort_ratings(ratings: Iterable[Rating]) -> Sorted:
    """One sheet a factor, in order of name. A conversation's system, where a rating leaves it out,
    is the one that other ratings of it name, if they name one alone."""
    given = list(ratings)
    systems: dict[str, set[str]] = {}
    for rating in given:
        if rating.system is not None:
            systems.setdefault(rating.conversation, set()).add(rating.system)
    by_factor: dict[str, _Keyed] = {}
    units: dict[Rated, Rated] = {}
    for rating in given:
        known = systems.get(rating.conversation, set())
        system = rating.system or (next(iter(known)) if len(known) == 1 else None)
        unit = Rated(rating.conversation, system, rating.turn)
        keyed = by_factor.setdefault(rating.factor, {RaterKind.JUDGE: {}, RaterKind.HUMAN: {}})
        of_rater = keyed[rating.kind].setdefault(rating.rater, {})
        of_rater.setdefault(units.setdefault(unit, unit), []).append(rating)
    sheets = [_sheet(factor, by_factor[factor]) for factor in sorted(by_factor)]
    return Sorted(tuple(sheet for sheet, _ in sheets), sum(twice for _, twice in sheets))


_Ratings = Mapping[str, Mapping[Rated, Sequence[Rating]]]
_Keyed = dict[RaterKind, dict[str, dict[Rated, list[Rating]]]]


def _sheet(factor: str, given: _Keyed) -> tuple[FactorSheet, int]:
    judges = given[RaterKind.JUDGE]
    lengths: dict[Rated, list[float]] = {}
    twice = 0
    for units in (units for keyed in given.values() for units in keyed.values()):
        for unit, ratings in units.items():
            twice += len(ratings) - len({(rating.round, rating.repeat) for rating in ratings})
            for rating in ratings:
                if rating.length is not None:
                    lengths.setdefault(unit, []).append(rating.length)
    sheet = FactorSheet(
        factor,
        judges={rater: _last(units) for rater, units in judges.items()},
        people={rater: _last(units) for rater, units in given[RaterKind.HUMAN].items()},
        lengths={unit: _mean(known) for unit, known in lengths.items()},
        repeats=_repeats(judges),
        rounds=_rounds(judges),
    )
    return sheet, twice


def _by_round(ratings: Sequence[Rating]) -> dict[int, dict[int, list[float]]]:
    """One unit's scores by round and repeat. Without either a rating is the only one: -1 cannot clash
    with a number given."""
    found: dict[int, dict[int, list[float]]] = {}
    for rating in ratings:
        by_repeat = found.setdefault(-1 if rating.round is None else rating.round, {})
        by_repeat.setdefault(-1 if rating.repeat is None else rating.repeat, []).append(rating.score)
    return found


def _in_last_round(ratings: Sequence[Rating]) -> dict[int, float]:
    """A unit's score by repeat, of several rounds in the last."""
    by_round = _by_round(ratings)
    return {repeat: _mean(scores) for repeat, scores in by_round[max(by_round)].items()}


def _last(units: Mapping[Rated, Sequence[Rating]]) -> dict[Rated, float]:
    return {unit: _mean([*_in_last_round(ratings).values()]) for unit, ratings in units.items()}


def _repeats(judges: _Ratings) -> dict[str, dict[Rated, dict[int, float]]]:
    """Scores by repeat in the last round, of units asked about more than once."""
    return {
        rater: {
            unit: scores
            for unit, ratings in units.items()
            if len(ratings) > 1 and len(scores := _in_last_round(ratings)) > 1
        }
        for rater, units in judges.items()
    }


def _rounds(judges: _Ratings) -> dict[str, dict[Rated, dict[int, float]]]:
    """Scores by round, of what was said in rounds."""
    return {
        rater: {
            unit: {
                number: _mean([_mean(scores) for scores in by_repeat.values()])
                for number, by_repeat in _by_round(ratings).items()
            }
            for unit, ratings in units.items()
            if all(rating.round is not None for rating in ratings)
        }
        for rater, units in judges.items()
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _numbered(units: Sequence[Rated]) -> Indices:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(unit.conversation, len(numbers)) for unit in units], dtype=np.intp)
