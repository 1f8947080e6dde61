"""Ratings reduced to one score for each factor, rater and unit, and what is known of each unit."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...errors import InvalidRequest
from ..estimates.sample import Codes, Floats
from .table import NONE, Ratings

PEOPLE = "people"
"""The reference that is the mean of all human raters."""

_OF_TALKS = ("stratum", "situation", "cluster", "domain")


@dataclass(frozen=True)
class Labels:
    """What people, or the reference judge, gave the units of one label: mean, number of raters and sum of squared deviations.
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
        self.known = {
            name: _agreed(name, self.talk, codes[name], talks, strict=name != "domain") for name in _OF_TALKS
        }
        self.probability = _probabilities(self.talk, ratings.probability, talks)
        group, _ = _joint(codes["factor"], codes["rater"])
        group, _ = _joint(group, ratings.human.astype(np.intp))
        group, groups = _joint(group, self.unit)
        self.row, self.score = _reduced(group, groups, codes["round"], codes["repeat"], ratings.score)
        self.duplicates = _duplicates(group, codes["round"], codes["repeat"])
        order = np.lexsort((self.unit[self.row], codes["rater"][self.row], codes["factor"][self.row]))
        self.row, self.score = self.row[order], self.score[order]
        self._factor = codes["factor"][self.row]

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
        """What the reference said under one name."""
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
    """Refuse a rater who is a person and a judge, and the name that stands for all people."""
    names = ratings.names["rater"]
    fix = "give judges and people names of their own"
    if names.code(PEOPLE) != NONE:
        raise InvalidRequest.at("", f"{PEOPLE!r} is the name of the mean of all human raters", fix)
    rater = ratings.codes["rater"]
    both = set(rater[ratings.human].tolist()) & set(rater[~ratings.human].tolist())
    if both:
        name = names.names[min(both)]
        raise InvalidRequest.at("", f"the rater {name!r} rates as a person and as a judge", fix)


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


def _first(place: Codes, values: Codes, size: int) -> Codes:
    """The first known value at each place."""
    found = np.full(size, NONE)
    known = values != NONE
    found[place[known][::-1]] = values[known][::-1]
    return found


def _agreed(name: str, place: Codes, values: Codes, size: int, *, strict: bool) -> Codes:
    found = _first(place, values, size)
    if strict and ((values != NONE) & (values != found[place])).any():
        at = int(np.flatnonzero((values != NONE) & (values != found[place]))[0])
        raise _contradiction(name, at)
    return found


def _probabilities(place: Codes, values: Floats, size: int) -> Floats:
    found = np.full(size, np.nan)
    known = ~np.isnan(values)
    found[place[known][::-1]] = values[known][::-1]
    differs = known & (values != found[place])
    if differs.any():
        raise _contradiction("probability", int(np.flatnonzero(differs)[0]))
    return found


def _contradiction(name: str, at: int) -> InvalidRequest:
    detail = f"rating {at} gives its conversation another {name} than an earlier rating does"
    return InvalidRequest.at("", detail, f"give each conversation of a system one {name}")


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


def _duplicates(group: Codes, rounds: Codes, repeat: Codes) -> int:
    same, _ = _joint(group, rounds)
    _, distinct = _joint(same, repeat)
    return len(group) - distinct
