"""Sheets: one judge's scores on one factor, with people's where there are labels, on people's scale."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain.rubric import Scale
from ..errors import InvalidRequest
from ..statistics.ratings import NONE, PEOPLE, Mask, Ratings
from ..statistics.sheets import FactorSheet, RaterScores, SortedRatings, look_up
from .estimates.means import LEVEL
from .estimates.sample import Codes, Ends, Floats, Target

_SLACK = 1e-9
_OF_TALKS = ("stratum", "situation", "cluster", "domain")


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a calibration. `same` names a factor's label, where that has another name; `scales` those given in the
    request, `known` those of the service's own factors. `reference` rates the labels."""

    same: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    known: Mapping[str, Scale] = field(default_factory=dict)
    reference: str = PEOPLE
    target: Target = Target.FUTURE
    level: float = LEVEL
    half_width: float | None = None


@dataclass(frozen=True)
class UnitLabels:
    """Ratings by people, or by the reference judge, of the units of one label: mean, number of raters and sum of squared deviations.
    `entry` and `rater` tell which unit, by its place here, each rater gave each `score`, `rows` the rating that it comes from."""

    units: Codes
    mean: Floats
    count: Codes
    squares: Floats
    entry: Codes
    rater: Codes
    score: Floats
    rows: Codes


@dataclass(frozen=True)
class Sheet:
    """One judge's scores on one factor. Each array has an entry for each unit that the judge rated: a conversation, or one of
    its turns. `judge` and `people` are on people's scale, `people` NaN without a label. `codes` are those of the
    ratings' names, and numbers; `unit` is the number of each unit; `probability` is NaN where none was given. `guessed`
    names scales that rest on the scores; `presumed` says that people's scale is neither in the request nor from the scores, but a
    factor's own; `by_people` tells labels by people from those by a judge."""

    factor: str
    label: str
    rater: str
    judge_scale: Scale
    people_scale: Scale
    guessed: tuple[str, ...]
    presumed: bool
    judge: Floats
    people: Floats
    probability: Floats
    codes: Mapping[str, Codes]
    labels: UnitLabels
    unit: Codes
    by_people: bool

    @property
    def ends(self) -> Ends:
        return Ends(self.people_scale.min, self.people_scale.max)

    @cached_property
    def labelled(self) -> Mask:
        return np.asarray(~np.isnan(self.people))

    @property
    def unjudged(self) -> int:
        """Labels of units that the judge has not rated."""
        return len(self.labels.units) - int(self.labelled.sum())

    @cached_property
    def raters(self) -> Mapping[int | None, int]:
        """Numbers of raters of each system's labels (by code); of all under None."""
        units = self.labels.units[self.labels.entry]
        judged = np.isin(units, self.unit)
        systems, raters = (
            self.codes["system"][np.searchsorted(self.unit, units[judged])],
            self.labels.rater[judged],
        )
        pairs = np.unique(np.column_stack([systems, raters]), axis=0)
        codes, counts = np.unique(pairs[:, 0], return_counts=True)
        found: dict[int | None, int] = {None: len(np.unique(raters))}
        return found | {int(code): int(count) for code, count in zip(codes, counts, strict=True)}


def labels_of(sheet: FactorSheet | None, reference: str) -> UnitLabels:
    """Return the ratings of a factor by people, or by the reference judge."""
    raters: list[RaterScores] = []
    if sheet is not None:
        everyone = sheet.people if reference == PEOPLE else sheet.judges | sheet.people
        raters = [one for name, one in everyone.items() if reference in {PEOPLE, name}]
    at = np.concatenate([np.arange(0), *(one.at for one in raters)])
    score = np.concatenate([np.empty(0), *(one.score for one in raters)])
    units, place, count = np.unique(at, return_inverse=True, return_counts=True)
    mean = np.bincount(place, score) / count
    squares = np.bincount(place, (score - mean[place]) ** 2).astype(float)
    rater = np.repeat(np.arange(len(raters)), [len(one.at) for one in raters])
    rows = np.concatenate([np.arange(0), *(one.rows for one in raters)])
    return UnitLabels(units, mean, count, squares, place, rater, score, rows)


def sheets_of(ratings: SortedRatings, terms: Terms, check: Callable[[], None]) -> Iterator[Sheet]:
    """Every judge on every factor, in the order in which they are first met. Raises InvalidRequest for scores off their scale, and
    for ratings that contradict one another."""
    known = {name: _of_talks(ratings, name) for name in (*_OF_TALKS, "probability")}
    sheets = {sheet.factor: sheet for sheet in ratings.sheets}
    first = ratings.ratings.first("rater")
    for factor in sorted(sheets, key=ratings.ratings.first("factor").__getitem__):
        label = terms.same.get(factor, factor)
        labels = labels_of(sheets.get(label), terms.reference)
        judges = sheets[factor].judges
        for rater in sorted(judges, key=first.__getitem__):
            if rater != terms.reference:
                check()
                yield _sheet(
                    ratings, known, terms, (factor, label, rater), labels=labels, scores=judges[rater]
                )


def _of_talks(ratings: SortedRatings, name: str) -> NDArray[Any]:
    """Return the value of each conversation with its system, which any of its ratings may give."""
    talk, given = ratings.units.talk[ratings.unit], ratings.ratings
    values: NDArray[Any] = given.values[name] if name in given.values else given.codes[name]
    missing = np.nan if name in given.values else NONE
    known = ~np.isnan(values) if name in given.values else values != NONE
    found = np.full(int(talk.max()) + 1, missing, dtype=values.dtype)
    found[talk[known][::-1]] = values[known][::-1]
    differs = known & (values != found[talk])
    if differs.any():
        raise InvalidRequest.at(
            given.pointer(int(differs.argmax()), name),
            f"another {name} than an earlier rating gives the same conversation",
            f"give each conversation of a system one {name}",
        )
    return found


def _sheet(
    ratings: SortedRatings,
    known: Mapping[str, NDArray[Any]],
    terms: Terms,
    names: tuple[str, str, str],
    *,
    labels: UnitLabels,
    scores: RaterScores,
) -> Sheet:
    factor, label, rater = names
    judge_scale, people_scale, guessed = _scales(terms, factor, label, scores.score, labels.score)
    given, units = ratings.ratings, ratings.units
    _check_scale(given, scores.score, scores.rows, judge_scale, f"{rater} on {factor}")
    _check_scale(given, labels.score, labels.rows, people_scale, f"people on {label}")
    share = (scores.score - judge_scale.min) / (judge_scale.max - judge_scale.min)
    talk, conversation = units.talk[scores.at], units.conversation[scores.at]
    codes = {name: known[name][talk] for name in _OF_TALKS}
    # A conversation without a situation or a cluster is one by itself.
    for name, own in {"situation": conversation, "cluster": talk}.items():
        codes[name] = np.where(codes[name] == NONE, own + len(given.names[name]), codes[name])
    for name in ("judge", "evaluator_revision", "comparison_key"):
        codes[name] = given.codes[name][scores.rows]
    codes |= {"conversation": conversation, "system": units.system[scores.at], "turn": units.turn[scores.at]}
    return Sheet(
        factor=factor,
        label=label,
        rater=rater,
        judge_scale=judge_scale,
        people_scale=people_scale,
        guessed=guessed,
        presumed=label not in terms.scales and label in terms.known,
        judge=people_scale.min + share * (people_scale.max - people_scale.min),
        people=look_up(labels.units, labels.mean, scores.at),
        probability=known["probability"][talk],
        codes=codes,
        labels=labels,
        unit=scores.at,
        by_people=terms.reference == PEOPLE,
    )


def _scales(
    terms: Terms, factor: str, label: str, score: Floats, people: Floats
) -> tuple[Scale, Scale, tuple[str, ...]]:
    """The judge's scale, people's, and the names of those that rest on the scores."""
    guessed = []
    judge = terms.known.get(factor) or terms.scales.get(factor)
    if judge is None:
        judge = _reach(np.concatenate([score, people]) if label == factor else score)
        guessed.append(factor)
    ours = terms.scales.get(label) or terms.known.get(label)
    if ours is None and label != factor:
        guessed.append(label)
        ours = _reach(people) if len(people) else judge
    return judge, ours or judge, tuple(guessed)


def _reach(scores: Floats) -> Scale:
    low, high = int(np.floor(scores.min())), int(np.ceil(scores.max()))
    return Scale(low, max(high, low + 1))


def _check_scale(given: Ratings, scores: Floats, rows: Codes, scale: Scale, whose: str) -> None:
    """Raise InvalidRequest for the first score off the scale; `rows` are the ratings that the scores come from."""
    off = np.flatnonzero((scores < scale.min - _SLACK) | (scores > scale.max + _SLACK))
    if len(off):
        row = int(rows[off[0]])
        conversation = given.names["conversation"][given.codes["conversation"][row]]
        raise InvalidRequest.at(
            given.pointer(row, "score"),
            f"{scores[off[0]]:g} by {whose} is off the scale {scale.min} to {scale.max}, of conversation {conversation!r}",
            "give the scale in `scales`; where people use another scale than the judge, name their rating otherwise in `same`",
        )
