"""All statistics over a set of ratings: one tidy table, every figure with its n and interval."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .bootstrap import DRAWS, Resamples
from .coefficients import Coefficient
from .comparison import MOST_PEOPLE, compare
from .preference import PreferenceStatistic, prefer
from .ratings import Rating, Ratings
from .rows import FigureUnit, StatGap, StatRow, Workshop
from .sheets import FactorSheet, RatingRemark, SortedRatings, sort_ratings
from .stability import Coupling, Rounds, Stability, couple, debate_rows, length, means, spread


@dataclass(frozen=True)
class AgreementReport:
    """The table, and remarks on it."""

    rows: tuple[StatRow, ...]
    remarks: tuple[RatingRemark, ...]


def measure(
    ratings: Iterable[Rating],
    *,
    statistics: Sequence[str] | None = None,
    levels: Mapping[str, int] | None = None,
    draws: int = DRAWS,
    check: Callable[[], None] = lambda: None,
) -> AgreementReport:
    """The named statistics (all by default) of these ratings.

    `levels` says how many levels a factor's scale has, for Randolph's kappa; `draws` how many
    resamples of conversations the 95 % percentile intervals rest on, 0 for none. `check` is called
    every few milliseconds of work and may raise to end it. The order of ratings does not matter.

    Raises InvalidRequest where a rater has the name of the people's mean, or is judge and person."""
    sorted_ratings = sort_ratings(Ratings.from_objects(ratings))
    sheets = sorted_ratings.sheets
    asked = STATISTICS if statistics is None else statistics
    work = Workshop(Resamples(draws), check, levels or {})
    rows: list[StatRow] = []
    for family, compute in _FAMILIES:
        names = [name for name in family if name.value in asked]
        found = list(compute(sheets, names, work)) if names else []
        answered = {row.statistic for row in found}
        rows += [*found, *(_missing(name, sheets) for name in names if name.value not in answered)]
    return AgreementReport(tuple(rows), tuple(_remarks(sorted_ratings)))


Sheets = Sequence[FactorSheet]
Rows = Iterable[StatRow]


def _by_factor(rows: Callable[[FactorSheet, Sequence[Any], Workshop], Rows]) -> Callable[..., Rows]:
    """Return the rows of a family whose statistics are of one factor each, factor by factor."""
    return lambda sheets, names, work: (row for sheet in sheets for row in rows(sheet, names, work))


_FAMILIES: Sequence[tuple[Sequence[StrEnum], Callable[[Sheets, Sequence[Any], Workshop], Rows]]] = (
    (tuple(Coefficient), _by_factor(compare)),
    (tuple(PreferenceStatistic), _by_factor(prefer)),
    (tuple(Coupling), couple),
    ((Stability.MEAN_SCORE,), _by_factor(means)),
    ((Stability.REPEAT_SPREAD,), spread),
    ((Stability.LENGTH_CORRELATION,), _by_factor(length)),
    (tuple(Rounds), _by_factor(debate_rows)),
)
STATISTICS: tuple[str, ...] = tuple(name.value for family, _ in _FAMILIES for name in family)


def _missing(name: StrEnum, sheets: Sheets) -> StatRow:
    """Return the row of a statistic that cannot be computed from these sheets, with the reason."""
    unit = FigureUnit.COEFFICIENT
    match name:
        case Coefficient():
            why = StatGap.NO_PAIRS if any(sheet.people for sheet in sheets) else StatGap.NO_PEOPLE
        case PreferenceStatistic():
            several = sheets and len(sheets[0].units.systems) > 1
            why = StatGap.NO_PEOPLE if several else StatGap.SINGLE_SYSTEM
        case Coupling():
            why = StatGap.SINGLE_FACTOR if len(sheets) < 2 else StatGap.NO_PAIRS
        case Rounds():
            why, unit = StatGap.NO_ROUNDS, FigureUnit.SHARE
        case Stability.REPEAT_SPREAD:
            why, unit = StatGap.NO_REPEATS, FigureUnit.POINTS
        case _:
            why = StatGap.NO_LENGTHS
    return StatRow(name.value, unit=unit, undefined=why)


def _remarks(ratings: SortedRatings) -> Iterator[RatingRemark]:
    yield from ratings.duplicate_remarks("duplicate_ratings")
    if any(len(sheet.people) > MOST_PEOPLE for sheet in ratings.sheets):
        yield RatingRemark(
            "many_people",
            f"Factors with more than {MOST_PEOPLE} human raters compare no two of them; Krippendorff's alpha "
            "speaks for all.",
        )
