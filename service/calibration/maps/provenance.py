"""Maps with their names: which judge, revision and conversations they were made from."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...domain.calibration import CalibrationMap
from ...domain.verdict import JudgeName
from ...statistics.ratings import NONE, Ratings
from ..estimates.sample import Codes
from ..sheets import Sheet
from .curves import Labelled
from .intervals import LEVEL, drawn, fit_map, held_coverage

MOST_NAMES = 1000
"""Systems or domains that a map lists; of more it lists none."""


def map_of(sheet: Sheet, ratings: Ratings) -> CalibrationMap | None:
    """Return the map of a judge on a factor, from labels of whole conversations; None where there is none, or where the labelled
    scores are of several revisions."""
    places = np.flatnonzero(sheet.labelled & (sheet.codes["turn"] == NONE))
    revisions = _names(sheet, ratings, "evaluator_revision", places)
    if not len(places) or len(revisions) > 1:
        return None
    labels = drawn(_labelled(sheet, places))
    fitted = fit_map(labels, sheet.ends)
    keys = _names(sheet, ratings, "comparison_key", places)
    return CalibrationMap(
        factor=sheet.factor,
        label=sheet.label,
        judge=_judge(sheet, ratings, places),
        evaluator_revision=revisions[0] if revisions else None,
        comparison_key=keys[0] if len(keys) == 1 else None,
        systems=_listed(sheet, ratings, "system", places),
        domains=_listed(sheet, ratings, "domain", places),
        form=fitted.form,
        judge_scale=sheet.judge_scale,
        people_scale=sheet.people_scale,
        knots=tuple(replace(knot, score=_on_judge_scale(sheet, knot.score)) for knot in fitted.knots),
        n=len(places),
        error_before=_rounded(fitted.error_before),
        error=_rounded(fitted.error),
        level=LEVEL,
        coverage=_rounded(held_coverage(labels, sheet.ends)),
    )


def _labelled(sheet: Sheet, places: Codes) -> Labelled:
    probability = sheet.probability[places]
    weight = np.where(np.isnan(probability), 1.0, 1 / probability)
    cluster = sheet.codes["cluster"][places]
    # Numbered as they come, so that folds depend on nothing else.
    _, first, number = np.unique(cluster, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return Labelled(sheet.judge[places], sheet.people[places], weight, rank[number])


def _on_judge_scale(sheet: Sheet, at: float) -> float:
    people, judge = sheet.people_scale, sheet.judge_scale
    share = (at - people.min) / (people.max - people.min)
    return round(judge.min + share * (judge.max - judge.min), 6)


def _judge(sheet: Sheet, ratings: Ratings, places: Codes) -> JudgeName:
    named = _names(sheet, ratings, "judge", places)
    text = named[0] if len(named) == 1 else sheet.rater
    try:
        return JudgeName.parse(text)
    except ValueError:
        return JudgeName(text)


def _listed(sheet: Sheet, ratings: Ratings, name: str, places: Codes) -> tuple[str, ...]:
    found = _names(sheet, ratings, name, places)
    return tuple(found) if len(found) <= MOST_NAMES else ()


def _names(sheet: Sheet, ratings: Ratings, name: str, places: Codes) -> Sequence[str]:
    codes = np.unique(sheet.codes[name][places])
    return [ratings.names[name][code] for code in codes if code != NONE]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
