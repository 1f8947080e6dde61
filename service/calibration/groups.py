"""The conversations of one system, of all systems, or of two systems in pairs, as a sample."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InvalidRequest
from ..statistics.ratings import NONE
from .estimates.sample import Clusters, Codes, Draw, Floats, Sample
from .sheets import Sheet

FEWEST = 2
"""Labels below which there is no estimate."""
MOST_STRATA = 50
"""Most strata that are distinguished, which bounds their memory."""


@dataclass(frozen=True)
class Group:
    """Some units of a sheet. `system` is None for all of them together, `code` its code; `labelled` and `rest` are the places of
    units with and without a label."""

    sheet: Sheet
    system: str | None
    code: int | None
    labelled: Codes
    rest: Codes

    @property
    def n(self) -> int:
        """Labelled units."""
        return len(self.labelled)

    @cached_property
    def units(self) -> Codes:
        return np.concatenate([self.labelled, self.rest])

    @cached_property
    def judge_mean(self) -> float:
        """The judge's mean over all units, on people's scale."""
        return float(self.sheet.judge[self.units].mean())

    @cached_property
    def repeats(self) -> bool:
        """True where a situation was put to the system more than once."""
        return _repeats(self.sheet.codes["situation"][self.units])

    @cached_property
    def draw(self) -> Draw | None:
        """The draw of the labels; None for a simple random sample."""
        return _draw(self.sheet, self.labelled)

    @cached_property
    def sample(self) -> Sample:
        """The group as a sample. Raises InvalidRequest where some labels have a probability and others none."""
        judge = self.sheet.judge
        return Sample.of(
            self.sheet.people[self.labelled],
            judge[self.labelled],
            judge[self.rest],
            self.draw,
            _clusters(self.sheet.codes["cluster"], self.labelled, self.rest, judge[self.rest]),
        )


def groups_of(sheet: Sheet, names: Sequence[str]) -> Iterator[Group]:
    """Yield all units together, then those of each system in the order of their names; a single system is yielded once."""
    system = sheet.codes["system"]
    order = np.argsort(system, kind="stable")
    codes, starts = np.unique(system[order], return_index=True)
    if len(codes) != 1 or NONE in codes:
        yield _group(sheet, None, None, np.arange(len(system)))
    for code, places in zip(codes.tolist(), np.split(order, starts[1:]), strict=True):
        if code != NONE:
            yield _group(sheet, names[code], code, places)


def paired(first: Group, second: Group) -> Sample | None:
    """The differences, first minus second, over the situations that were put to both systems. None where under half of either
    one's labels are in pairs, or the two were not drawn alike."""
    sheet, situation = first.sheet, first.sheet.codes["situation"]
    here, there = first.units, second.units
    if first.repeats or second.repeats:
        return None
    _, at, at_other = np.intersect1d(
        situation[here], situation[there], assume_unique=True, return_indices=True
    )
    here, there = here[at], there[at_other]
    both = sheet.labelled[here] & sheet.labelled[there]
    if both.sum() < max(FEWEST, first.n / 2, second.n / 2):
        return None
    probability = sheet.probability[here[both]]
    if not np.array_equal(probability, sheet.probability[there[both]], equal_nan=True):
        return None
    judge = sheet.judge[here] - sheet.judge[there]
    people = sheet.people[here] - sheet.people[there]
    cluster = sheet.codes["cluster"]
    return Sample.of(
        people[both],
        judge[both],
        judge[~both],
        _draw(sheet, here[both]),
        _clusters(cluster, here[both], here[~both], judge[~both]),
    )


def _group(sheet: Sheet, system: str | None, code: int | None, places: Codes) -> Group:
    labelled = sheet.labelled[places]
    return Group(sheet, system, code, places[labelled], places[~labelled])


def _draw(sheet: Sheet, labelled: Codes) -> Draw | None:
    probability, stratum = sheet.probability[labelled], sheet.codes["stratum"][labelled]
    missing = np.isnan(probability)
    if missing.all():
        return None
    if missing.any():
        raise InvalidRequest.at(
            "",
            f"of {len(missing)} labels of {sheet.label!r}, {int(missing.sum())} have no probability",
            "give every labelled conversation the probability with which it was drawn, or none",
        )
    if np.ptp(probability) < 1e-9 and len(np.unique(stratum)) == 1 and probability[0] < 1:
        return None
    return Draw(probability, _strata(probability, stratum))


def _clusters(cluster: Codes, labelled: Codes, rest: Codes, scores: Floats) -> Clusters | None:
    """Clusters where any has two units or more."""
    members = cluster[np.concatenate([labelled, rest])]
    if not _repeats(members):
        return None
    _, number = np.unique(members, return_inverse=True)
    return Clusters(number[: len(labelled)], number[len(labelled) :], scores)


def _repeats(codes: Codes) -> bool:
    ordered = np.sort(codes)
    return bool((ordered[1:] == ordered[:-1]).any())


def _strata(probability: Floats, stratum: Codes) -> Codes:
    """Numbers of strata, from 0: those named, and labels of one probability where none is. Neighbours in the order of their
    probabilities join until each has two labels, and until there are no more than MOST_STRATA."""
    unnamed = np.where(stratum == NONE, np.round(probability, 9), 0)
    _, number = np.unique(np.column_stack([stratum, unnamed]), axis=0, return_inverse=True)
    number = number.ravel()
    count = np.bincount(number)
    order = np.argsort(np.bincount(number, probability) / count, kind="stable")
    least = 2 if len(count) <= MOST_STRATA else len(number) / MOST_STRATA
    joined = np.zeros(len(count), dtype=np.intp)
    at, held = 0, 0
    for place in order.tolist():
        if held >= least:
            at, held = at + 1, 0
        joined[place] = at
        held += int(count[place])
    if held < least and at:
        joined[joined == at] = at - 1
    return joined[number]
