"""A whole calibration: means that people would give, differences of systems, maps to people's scale, and how many labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..domain.calibration import CalibrationMap
from ..errors import InvalidRequest
from ..statistics.ratings import Ratings
from ..statistics.sheets import RatingRemark, SortedRatings, sort_ratings
from .groups import FEWEST, Group, groups_of
from .maps.intervals import map_of
from .remarks import Code, codes_of, general_remarks, map_remarks, not_random, sheet_remarks
from .rows import CalibratedDifference, CalibratedMean, LabelPlan, difference_of, mean_of
from .sheets import Sheet, Terms, sheets_of

MOST_FACTORS = 200
MOST_GROUPS = 2000
"""Systems, each counted for every factor and judge."""
MOST_COMPARED = 20
"""Systems up to which every two are compared."""


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a calibration."""

    means: tuple[CalibratedMean, ...]
    differences: tuple[CalibratedDifference, ...]
    maps: tuple[CalibrationMap, ...]
    plan: tuple[LabelPlan, ...]
    remarks: tuple[RatingRemark, ...]


def calibrate(ratings: Ratings, terms: Terms, check: Callable[[], None] = lambda: None) -> Report:
    """Return what people's ratings of some conversations say about a judge's ratings of all.

    `check` is called now and then, and raises to end the work. Raises InvalidRequest for ratings that contradict one
    another, lie off their scales, or are of too many systems."""
    if len(ratings.names["factor"]) > MOST_FACTORS:
        raise InvalidRequest.at(
            "", f"the ratings are of more than {MOST_FACTORS} factors", "send fewer at once"
        )
    found = sort_ratings(ratings)
    check()
    sheets = _grouped(found, terms, check)
    bad = not_random(sheets, check)
    means: list[CalibratedMean] = []
    plans: list[LabelPlan] = []
    differences: list[CalibratedDifference] = []
    maps: list[CalibrationMap] = []
    remarks: list[RatingRemark] = []
    for place, (sheet, groups) in enumerate(sheets):
        random = place not in bad
        remarks += sheet_remarks(sheet, groups, bad.get(place, ()))
        codes = [codes_of(group, random=random) for group in groups]
        for group, beside in zip(groups, codes, strict=True):
            check()
            mean, planned = mean_of(group, terms, beside)
            means.append(mean)
            plans += [planned] if planned else []
        apart, more = _differences(sheet, list(zip(groups, codes, strict=True)), terms)
        differences += apart
        check()
        remarks += more
        if made := map_of(sheet, ratings):
            maps.append(made)
            remarks += map_remarks(sheet, made)
    remarks += general_remarks(found, sheets, terms.reference)
    return Report(tuple(means), tuple(differences), tuple(maps), tuple(plans), tuple(dict.fromkeys(remarks)))


def _grouped(
    ratings: SortedRatings, terms: Terms, check: Callable[[], None]
) -> list[tuple[Sheet, Sequence[Group]]]:
    found: list[tuple[Sheet, Sequence[Group]]] = []
    count = 0
    for sheet in sheets_of(ratings, terms, check):
        groups = list(groups_of(sheet, ratings.units.systems))
        count += len(groups)
        if count > MOST_GROUPS:
            raise InvalidRequest.at(
                "",
                f"the ratings are of more than {MOST_GROUPS} systems, each counted for every factor and judge",
                "send fewer factors, judges or systems in one request",
            )
        found.append((sheet, groups))
    if not found:
        raise InvalidRequest.at(
            "",
            "no rating is by a judge that could be calibrated",
            "send the scores of a judge with the labels",
        )
    return found


def _differences(
    sheet: Sheet, groups: Sequence[tuple[Group, Sequence[str]]], terms: Terms
) -> tuple[list[CalibratedDifference], list[RatingRemark]]:
    systems = [one for one in groups if one[0].system is not None and one[0].n >= FEWEST]
    if len(systems) > MOST_COMPARED:
        detail = f"{sheet.rater} on {sheet.factor}: {len(systems)} systems are not compared two by two."
        return [], [RatingRemark(Code.MANY_SYSTEMS, detail)]
    return [
        difference_of(first, second, terms, tuple(dict.fromkeys([*codes, *more])))
        for (first, codes), (second, more) in combinations(systems, 2)
    ], []
