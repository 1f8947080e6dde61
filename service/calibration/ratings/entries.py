"""Ratings reduced to one score for each factor, rater and unit, and what is known of each unit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidRequest
from ..estimates.sample import Codes, Floats
from .table import NONE, Ratings

PEOPLE = "people"
"""The reference that is the mean of all human raters."""

_OF_TALKS = ("stratum", "situation", "cluster", "domain")


@dataclass(frozen=True)
class Labels:
    """Ratings by people, or by the reference judge, of the units of one label: mean, number of raters and sum of squared deviations.
    `entry` and `rater` tell which unit, by its place here, each rater rated."""

    units: Codes
    mean: Floats
    count: Codes
    squares: Floats
    entry: Codes
    rater: Codes


class Entries:
    """All scores, in the order of factors, raters and units. A unit is a conversation with a system (a talk), or one of its
    turns. Raises InvalidRequest where ratings contradict one another."""

    def __init__(self, ratings: Ratings) -> None:
        codes = ratings.codes
        _check_raters(ratings)
        self.ratings = ratings
        self.talk, talks = _joint(codes["conversation"], _systems(codes["conversation"], codes["system"]))
        self.unit, units = _joint(self.talk, codes["turn"])
        self.talk_of = _first(self.unit, self.talk, units)
        self.system_of = _first(self.talk, _systems(codes["conversation"], codes["system"]), talks)
        self.conversation_of = _first(self.talk, codes["conversation"], talks)
        self.known = {name: self._of_talks(name, codes[name], talks, NONE) for name in _OF_TALKS}
        self.probability = self._of_talks("probability", ratings.probability, talks, np.nan)
        group, _ = _joint(codes["factor"], codes["rater"])
        group, _ = _joint(group, ratings.human.astype(np.intp))
        group, groups = _joint(group, self.unit)
        self.row, self.score = _reduced(group, groups, codes["round"], codes["repeat"], ratings.score)
        same, _ = _joint(group, codes["round"])
        self.duplicates = len(group) - _joint(same, codes["repeat"])[1]
        order = np.lexsort((self.unit[self.row], codes["rater"][self.row], codes["factor"][self.row]))
        self.row, self.score = self.row[order], self.score[order]
        self._factor = codes["factor"][self.row]

    def _of_talks(self, name: str, values: NDArray[Any], talks: int, missing: float) -> NDArray[Any]:
        """The value of each talk, which any of its ratings may give."""
        found = _first(self.talk, values, talks, missing)
        known = ~np.isnan(values) if np.isnan(missing) else values != missing
        differs = np.flatnonzero(known & (values != found[self.talk]))
        if len(differs):
            raise InvalidRequest.at(
                self.ratings.pointer(int(differs[0]), name),
                f"another {name} than an earlier rating gives the same conversation",
                f"give each conversation of a system one {name}",
            )
        return found

    def of_factor(self, name: str) -> slice:
        """The entries of one factor; empty where nobody rated it."""
        code = self.ratings.names["factor"].code(name)
        if code == NONE:
            return slice(0, 0)
        return slice(*np.searchsorted(self._factor, [code, code + 1]))

    def raters_in(self, part: slice) -> Iterator[tuple[str, bool, slice]]:
        """The raters of some entries: name, whether a person, and their entries."""
        rater = self.ratings.codes["rater"][self.row[part]]
        names = self.ratings.names["rater"].names
        for code, start in zip(*np.unique(rater, return_index=True), strict=True):
            first = part.start + int(start)
            end = part.start + int(np.searchsorted(rater, code, side="right"))
            yield names[code], bool(self.ratings.human[self.row[first]]), slice(first, end)

    def labels(self, name: str, reference: str) -> Labels:
        """Return the reference's ratings under one name."""
        part = self.of_factor(name)
        chosen = [
            place
            for rater, human, place in self.raters_in(part)
            if (human if reference == PEOPLE else rater == reference)
        ]
        entries = np.concatenate([np.arange(0), *(np.arange(place.start, place.stop) for place in chosen)])
        units, place, count = np.unique(self.unit[self.row[entries]], return_inverse=True, return_counts=True)
        size = len(units)
        mean = np.asarray(np.bincount(place, self.score[entries], size) / count)
        squares = np.zeros(size) + np.bincount(place, (self.score[entries] - mean[place]) ** 2, size)
        return Labels(units, mean, count, squares, place, self.ratings.codes["rater"][self.row[entries]])


def _check_raters(ratings: Ratings) -> None:
    """Refuse the name that stands for all people, and a rater who is a person and a judge."""
    rater, names = ratings.codes["rater"], ratings.names["rater"]
    fix = "give judges and people names of their own"
    first_human = np.zeros(len(names), dtype=bool)
    first_human[rater[::-1]] = ratings.human[::-1]
    for wrong, detail in (
        (rater == names.code(PEOPLE), f"{PEOPLE!r} is the name of the mean of all human raters"),
        (
            ratings.human != first_human[rater],
            "rated as a person before and as a judge here, or the other way about",
        ),
    ):
        places = np.flatnonzero(wrong)
        if len(places):
            raise InvalidRequest.at(ratings.pointer(int(places[0]), "rater"), detail, fix)


def _joint(first: Codes, second: Codes) -> tuple[Codes, int]:
    """Codes of pairs of codes, and how many there are."""
    width = int(second.max(initial=NONE)) + 2
    found, place = np.unique(first * width + second + 1, return_inverse=True)
    return place, len(found)


def _systems(conversation: Codes, system: Codes) -> Codes:
    """The system of each rating: where it is left out, the one that other ratings of the conversation name, if they
    name one alone."""
    known = system != NONE
    if known.all() or not known.any():
        return system
    size = int(conversation.max()) + 1
    lowest, highest = np.full(size, np.iinfo(np.intp).max), np.full(size, NONE)
    np.minimum.at(lowest, conversation[known], system[known])
    np.maximum.at(highest, conversation[known], system[known])
    alone = np.where(lowest == highest, highest, NONE)
    return np.where(known, system, alone[conversation])


def _first(place: Codes, values: NDArray[Any], size: int, missing: float = NONE) -> NDArray[Any]:
    """The first known value at each place."""
    found = np.full(size, missing, dtype=values.dtype)
    known = ~np.isnan(values) if np.isnan(missing) else values != missing
    found[place[known][::-1]] = values[known][::-1]
    return found


def _reduced(group: Codes, groups: int, rounds: Codes, repeat: Codes, score: Floats) -> tuple[Codes, Floats]:
    """The first rating of each group, and its score: that of the last round, the mean over repeats."""
    first = np.full(groups, len(group))
    np.minimum.at(first, group, np.arange(len(group)))
    if groups == len(group):
        return first, score[first]
    last = np.full(groups, NONE)
    np.maximum.at(last, group, rounds)
    counted = np.flatnonzero(rounds == last[group])
    each, _ = _joint(group[counted], repeat[counted])
    number = np.bincount(each)
    mean = np.bincount(each, score[counted]) / number
    owner = np.full(len(number), NONE)
    owner[each] = group[counted]
    return first, np.bincount(owner, mean, minlength=groups) / np.bincount(owner, minlength=groups)
