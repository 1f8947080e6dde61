"""Sheets: one judge's scores on one factor, with people's where there are labels, on people's scale."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...domain.rubric import Scale
from ...errors import InvalidRequest
from ..estimates.means import LEVEL
from ..estimates.sample import Codes, Ends, Floats, Target
from .entries import PEOPLE, Entries, Labels
from .table import NONE, Mask

_SLACK = 1e-9


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
class Sheet:
    """One judge's scores on one factor. Each array has an entry for each unit that the judge rated: a conversation, or one of
    its turns. `judge` and `people` are on people's scale, `people` NaN without a label. `codes` are those of the
    ratings' vocabularies, and numbers; `unit` is the number of each unit; `probability` is NaN where none was given. `guessed`
    names scales that rest on the scores; `presumed` says that people's scale is neither in the request nor from the scores, but a
    factor's own; `unjudged` counts labels of units that the judge has not rated; `by_people` tells labels by people from those by
    a judge."""

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
    labels: Labels
    unit: Codes
    place: Codes
    unjudged: int
    by_people: bool

    @property
    def ends(self) -> Ends:
        """The ends of people's scale."""
        return Ends(self.people_scale.min, self.people_scale.max)

    @cached_property
    def labelled(self) -> Mask:
        """The units that have a label."""
        return np.asarray(~np.isnan(self.people))

    @cached_property
    def raters(self) -> Mapping[int | None, int]:
        """Numbers of raters of each system's labels (by code); of all under None."""
        judged = self.place[self.labels.entry]
        known = judged != NONE
        raters, systems = self.labels.rater[known], self.codes["system"][judged[known]]
        pairs = np.unique(np.column_stack([systems, raters]), axis=0)
        codes, counts = np.unique(pairs[:, 0], return_counts=True)
        found: dict[int | None, int] = {None: len(np.unique(raters))}
        return found | {int(code): int(count) for code, count in zip(codes, counts, strict=True)}


def sheets_of(entries: Entries, terms: Terms, check: Callable[[], None]) -> Iterator[Sheet]:
    """Every judge on every factor, in the order in which they are first met. Raises InvalidRequest for scores off their
    scale."""
    for factor in entries.ratings.names["factor"].names:
        part = entries.of_factor(factor)
        judges = [
            (rater, place)
            for rater, human, place in entries.raters_in(part)
            if not human and rater != terms.reference
        ]
        if judges:
            label = terms.same.get(factor, factor)
            labels = entries.labels(label, terms.reference)
            for rater, place in judges:
                check()
                yield _sheet(entries, terms, (factor, label, rater), labels, place)


def _sheet(
    entries: Entries, terms: Terms, names: tuple[str, str, str], labels: Labels, place: slice
) -> Sheet:
    factor, label, rater = names
    score = entries.score[place]
    judge_scale, people_scale, guessed = _scales(terms, factor, label, score, labels.mean)
    rows = entries.row[place]
    _check_scale(
        score, judge_scale, f"{rater} on {factor}", lambda at: entries.ratings.pointer(int(rows[at]), "score")
    )
    _check_scale(labels.mean, people_scale, f"people on {label}", lambda _: "/scales")
    units = entries.unit[rows]
    where = np.minimum(np.searchsorted(units, labels.units), len(units) - 1)
    judged = units[where] == labels.units
    people = np.full(len(units), np.nan)
    people[where[judged]] = labels.mean[judged]
    share = (score - judge_scale.min) / (judge_scale.max - judge_scale.min)
    return Sheet(
        factor=factor,
        label=label,
        rater=rater,
        judge_scale=judge_scale,
        people_scale=people_scale,
        guessed=guessed,
        presumed=label not in terms.scales and label in terms.known,
        judge=people_scale.min + share * (people_scale.max - people_scale.min),
        people=people,
        probability=entries.probability[entries.talk_of[units]],
        codes=_codes(entries, units, rows),
        labels=labels,
        unit=units,
        place=np.where(judged, where, NONE),
        unjudged=int((~judged).sum()),
        by_people=terms.reference == PEOPLE,
    )


def _codes(entries: Entries, units: Codes, rows: Codes) -> Mapping[str, Codes]:
    talk = entries.talk_of[units]
    conversation = entries.conversation_of[talk]
    known = {name: values[talk] for name, values in entries.known.items()}
    ratings = entries.ratings
    # A conversation without a situation or a cluster is one by itself.
    own = {"situation": conversation, "cluster": talk}
    for name, values in own.items():
        known[name] = np.where(known[name] == NONE, values + len(ratings.names[name]), known[name])
    of_rating = ("turn", "judge", "evaluator_revision", "comparison_key")
    return {
        **known,
        **{name: ratings.codes[name][rows] for name in of_rating},
        "conversation": conversation,
        "system": entries.system_of[talk],
    }


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


def _check_scale(scores: Floats, scale: Scale, whose: str, pointer: Callable[[int], str]) -> None:
    """Raise InvalidRequest for the first score off the scale; `pointer` says where it was sent."""
    off = np.flatnonzero((scores < scale.min - _SLACK) | (scores > scale.max + _SLACK))
    if len(off):
        raise InvalidRequest.at(
            pointer(int(off[0])),
            f"{scores[off[0]]:g} by {whose} is off the scale {scale.min} to {scale.max}",
            "give the scale in `scales`; where people use another scale than the judge, name their rating otherwise in `same`",
        )
