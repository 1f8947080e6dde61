"""Warnings that a reader of a calibration must not miss, as codes beside figures and as sentences."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

import numpy as np

from ..domain.calibration import CalibrationMap, Form
from ..domain.plurals import listed
from ..statistics.permutation import holm
from ..statistics.ratings import NONE
from ..statistics.sheets import RatingRemark, SortedRatings
from .estimates.means import SOUND_UNLIKE, unlike
from .estimates.shift import ALPHA, group_weight, sample_tests
from .groups import Group
from .maps.intervals import FEWEST
from .sheets import Sheet, labels_of


class Code(StrEnum):
    """The kinds of warnings; a list that may grow."""

    NO_LABELS = "no_labels"
    FEW_LABELS = "few_labels"
    NOT_RANDOM = "labels_not_random"
    ONE_ANNOTATOR = "one_annotator"
    OTHER_REVISION = "other_revision"
    MIXED_KEYS = "mixed_keys"
    LABELS_EQUAL = "labels_equal"
    LABELS_ALIKE = "labels_alike"
    SCALE_FROM_SCORES = "scale_from_scores"
    SCALE_LITTLE_USED = "scale_little_used"
    NO_MAP_GAIN = "no_map_gain"
    LABEL_WITHOUT_JUDGE = "label_without_judge"
    LABELS_NOT_JUDGED = "labels_not_judged"
    DUPLICATES = "duplicates"
    MANY_SYSTEMS = "many_systems"


_WIDE = 10
"""Of a scale this long, labels in the lowest tenth alone are suspected to be on another one: debates are on 0 to 100."""


SheetGroups = Sequence[tuple[Sheet, Sequence[Group]]]


def not_random(sheets: SheetGroups, check: Callable[[], None]) -> dict[int, list[Group]]:
    """Return the sheets (by their place) whose labels are no random sample, and the groups where that shows.

    All tests of a request share one chance of a false warning."""
    tests: list[tuple[float, float]] = []
    owners: list[tuple[int, Group]] = []
    for place, (sheet, groups) in enumerate(sheets):
        systems = sum(group.system is not None for group in groups) if len(groups) > 1 else 0
        for group in groups:
            check()
            weight = group_weight(group.system is None, systems)
            found = sample_tests(sheet.judge[group.labelled], sheet.judge[group.units], group.draw, weight)
            tests += found
            owners += [(place, group)] * len(found)
    failed: dict[int, list[Group]] = {}
    adjusted = holm([p for p, _ in tests], [weight for _, weight in tests])
    for (place, group), p in zip(owners, adjusted, strict=True):
        if p <= ALPHA and group not in failed.setdefault(place, []):
            failed[place].append(group)
    return failed


def codes_of(group: Group, *, random: bool) -> tuple[str, ...]:
    """Return the codes shown beside a group's figures."""
    sheet = group.sheet
    if not group.n:
        return (Code.NO_LABELS.value,)
    people = sheet.people[group.labelled]
    found = {
        Code.FEW_LABELS: group.n < FEWEST,
        Code.NOT_RANDOM: not random,
        Code.ONE_ANNOTATOR: sheet.by_people and sheet.raters.get(group.code, 0) == 1,
        Code.OTHER_REVISION: _kinds(sheet, group, "evaluator_revision") > 1,
        Code.MIXED_KEYS: _kinds(sheet, group, "comparison_key") > 1,
        Code.LABELS_EQUAL: bool(np.ptp(people) == 0),
        Code.LABELS_ALIKE: group.n >= FEWEST and 0 < int(unlike(people)) < SOUND_UNLIKE,
        Code.SCALE_FROM_SCORES: bool(sheet.guessed),
        Code.SCALE_LITTLE_USED: sheet.presumed
        and sheet.ends.span >= _WIDE
        and float(np.nanmax(sheet.people)) <= sheet.ends.low + sheet.ends.span / 10,
    }
    return tuple(code.value for code, holds in found.items() if holds)


def _kinds(sheet: Sheet, group: Group, name: str) -> int:
    codes = sheet.codes[name][group.units]
    return len(np.unique(codes[codes != NONE]))


def sheet_remarks(sheet: Sheet, groups: Sequence[Group], bad: Sequence[Group]) -> Iterator[RatingRemark]:
    """The warnings about one judge on one factor."""
    whose = f"{sheet.rater} on {sheet.factor}"
    whole = groups[0]
    if bare := [group.system for group in groups if not group.n and group.system is not None]:
        yield RatingRemark(
            Code.NO_LABELS,
            f"{whose}: no label of {listed(bare)}. The scores of a system without labels are not corrected.",
        )
    elif not whole.n:
        yield RatingRemark(Code.NO_LABELS, f"{whose}: there are no labels, so nothing is calibrated.")
    if 0 < whole.n < FEWEST:
        yield RatingRemark(
            Code.FEW_LABELS,
            f"{whose}: {whole.n} labels. Below {FEWEST} intervals may hold less than they say.",
        )
    if few := [group.system for group in groups if group.system and 0 < group.n < FEWEST <= whole.n]:
        yield RatingRemark(Code.FEW_LABELS, f"{whose}: fewer than {FEWEST} labels of {listed(few)}.")
    if bad:
        where = listed([group.system or "all systems together" for group in bad])
        yield RatingRemark(
            Code.NOT_RANDOM,
            f"{whose}: the labelled conversations of {where} differ from all judged ones in the judge's scores. Labels "
            "that are not a random sample can reverse a comparison: draw them at random, or send their probabilities.",
        )
    yield from _about_ratings(sheet, whole, whose)


def _about_ratings(sheet: Sheet, whole: Group, whose: str) -> Iterator[RatingRemark]:
    ends, people = sheet.people_scale, sheet.people[whole.labelled]
    low, high = people.min(initial=ends.max), people.max(initial=ends.min)
    different = int(unlike(people)) if whole.n else 0
    scales = {sheet.label: sheet.people_scale, sheet.factor: sheet.judge_scale}
    guessed = " and ".join(f"{name} ({scales[name].min} to {scales[name].max})" for name in sheet.guessed)
    sentences = {
        Code.ONE_ANNOTATOR: f"{sheet.label}: one person gave all labels. The intervals hold for this person's judgement.",
        Code.OTHER_REVISION: f"{whose}: scores are of several revisions of the judge, which do not compare.",
        Code.MIXED_KEYS: f"{whose}: scores come from answers with several comparison keys.",
        Code.LABELS_EQUAL: f"{sheet.label}: all labels are equal. The interval depends only on the ends of the scale.",
        Code.LABELS_ALIKE: f"{sheet.label}: only {different} labels differ from the most common one. They say little about the judge: "
        "`worth`, `correlation` and `weight` are rough.",
        Code.SCALE_FROM_SCORES: f"The scale of {guessed} is not known and was read from the scores. Give it in `scales`: a "
        "map applies only to answers on its own scale.",
        Code.SCALE_LITTLE_USED: f"{sheet.label}: its scale is {ends.min} to {ends.max}, and all labels lie between {low:g} and "
        f"{high:g}. If people used another scale, give it in `scales`.",
    }
    codes = {*codes_of(whole, random=True), *([Code.SCALE_FROM_SCORES] if sheet.guessed else [])}
    yield from (RatingRemark(code, sentence) for code, sentence in sentences.items() if code in codes)
    if sheet.unjudged:
        yield RatingRemark(
            Code.LABELS_NOT_JUDGED,
            f"{whose}: {sheet.unjudged} labels are of conversations that it has not rated.",
        )


def map_remarks(sheet: Sheet, made: CalibrationMap) -> Iterator[RatingRemark]:
    """The warning about a map that leaves scores as they are."""
    if made.form is Form.IDENTITY and made.n >= FEWEST:
        yield RatingRemark(
            Code.NO_MAP_GAIN,
            f"{sheet.rater} on {sheet.factor}: no map beats the judge's own score on labels that it has not seen; the scores stay as "
            "they are.",
        )


def general_remarks(ratings: SortedRatings, sheets: SheetGroups, reference: str) -> Iterator[RatingRemark]:
    """The warnings about all ratings."""
    judged = {sheet.label for sheet, _ in sheets}
    if unused := [
        sheet.factor
        for sheet in ratings.sheets
        if sheet.factor not in judged and len(labels_of(sheet, reference).units)
    ]:
        yield RatingRemark(
            Code.LABEL_WITHOUT_JUDGE,
            f"No judge rated {listed(unused)}. `same` says which factor corresponds to which label.",
        )
    yield from ratings.duplicate_remarks(Code.DUPLICATES)
