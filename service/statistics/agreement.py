"""All statistics over a set of ratings: one tidy table, every figure with its n and interval."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import InvalidRequest
from .bootstrap import DRAWS, Resamples
from .coefficients import Coefficient
from .comparison import MOST_PEOPLE, compare
from .coupling import Coupling, couple
from .preference import PreferenceStatistic, prefer
from .ratings import PEOPLE, FactorSheet, RaterKind, Rating, Sorted, sort_ratings
from .rounds import Rounds, debate_rows
from .rows import StatGap, StatRow, StatUnit, Workshop, missing
from .stability import Stability, length, means, spread

STATISTICS: tuple[str, ...] = tuple(
    name.value
    for family in (Coefficient, PreferenceStatistic, Coupling, Stability, Rounds)
    for name in family
)


@dataclass(frozen=True, slots=True)
class AgreementRemark:
    """Something about the ratings that a reader of the table must not miss."""

    code: str
    detail: str


@dataclass(frozen=True)
class AgreementReport:
    """The table, and remarks on it."""

    rows: tuple[StatRow, ...]
    remarks: tuple[AgreementRemark, ...]


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
    given = list(ratings)
    _check_names(given)
    sorted_ratings = sort_ratings(given)
    asked = tuple(dict.fromkeys(STATISTICS if statistics is None else statistics))
    work = Workshop(Resamples(draws), check)
    rows = [row for family in _FAMILIES for row in family(sorted_ratings.sheets, asked, levels or {}, work)]
    return AgreementReport(tuple(rows), tuple(_remarks(sorted_ratings)))


def _check_names(ratings: Sequence[Rating]) -> None:
    kinds: dict[str, RaterKind] = {}
    for index, rating in enumerate(ratings):
        pointer = f"/ratings/{index}/rater"
        if rating.rater == PEOPLE:
            detail = f"{PEOPLE!r} is the name of the mean of all human raters"
            raise InvalidRequest.at(pointer, detail, "give this rater another name")
        if kinds.setdefault(rating.rater, rating.kind) is not rating.kind:
            detail = "rated as a person before and as a judge here, or the other way about"
            raise InvalidRequest.at(pointer, detail, "give judges and people names of their own")


Sheets = Sequence[FactorSheet]
Levels = Mapping[str, int]


def _coefficients(sheets: Sheets, asked: Sequence[str], levels: Levels, work: Workshop) -> Iterator[StatRow]:
    names = [name for name in Coefficient if name.value in asked]
    rows = [row for sheet in sheets for row in compare(sheet, names, levels, work)] if names else []
    yield from rows
    lonely = not any(sheet.people for sheet in sheets)
    yield from _unanswered(names, rows, StatGap.NO_PEOPLE if lonely else StatGap.NO_PAIRS)


def _preferences(sheets: Sheets, asked: Sequence[str], _: Levels, work: Workshop) -> Iterator[StatRow]:
    names = [name for name in PreferenceStatistic if name.value in asked]
    rows = [row for sheet in sheets for row in prefer(sheet, names, work)] if names else []
    yield from rows
    systems = {unit.system for s in sheets for scores in s.raters.values() for unit in scores} - {None}
    yield from _unanswered(names, rows, StatGap.SINGLE_SYSTEM if len(systems) < 2 else StatGap.NO_PEOPLE)


def _couplings(sheets: Sheets, asked: Sequence[str], _: Levels, work: Workshop) -> Iterator[StatRow]:
    names = [name for name in Coupling if name.value in asked]
    rows = list(couple(sheets, names, work)) if names else []
    yield from rows
    yield from _unanswered(names, rows, StatGap.SINGLE_FACTOR if len(sheets) < 2 else StatGap.NO_PAIRS)


def _stability(sheets: Sheets, asked: Sequence[str], _: Levels, work: Workshop) -> Iterator[StatRow]:
    if Stability.MEAN_SCORE.value in asked:
        yield from (row for sheet in sheets for row in means(sheet, work))
    if Stability.REPEAT_SPREAD.value in asked:
        rows = list(spread(sheets, work))
        yield from rows
        yield from _unanswered([Stability.REPEAT_SPREAD], rows, StatGap.NO_REPEATS, StatUnit.POINTS)
    if Stability.LENGTH_CORRELATION.value in asked:
        rows = [row for sheet in sheets for row in length(sheet, work)]
        yield from rows
        yield from _unanswered([Stability.LENGTH_CORRELATION], rows, StatGap.NO_LENGTHS)


def _debates(sheets: Sheets, asked: Sequence[str], _: Levels, work: Workshop) -> Iterator[StatRow]:
    names = [name for name in Rounds if name.value in asked]
    rows = [row for sheet in sheets for row in debate_rows(sheet, names, work)] if names else []
    yield from rows
    yield from _unanswered(names, rows, StatGap.NO_ROUNDS, StatUnit.SHARE)


_FAMILIES = (_coefficients, _preferences, _couplings, _stability, _debates)


def _unanswered(
    names: Sequence[str], rows: Sequence[StatRow], why: StatGap, unit: StatUnit = StatUnit.COEFFICIENT
) -> list[StatRow]:
    """Rows that say why, for statistics that were asked for and gave none."""
    answered = {row.statistic for row in rows}
    return missing([str(name) for name in names if name not in answered], why, unit)


def _remarks(ratings: Sorted) -> Iterator[AgreementRemark]:
    if ratings.duplicates:
        yield AgreementRemark(
            "duplicate_ratings",
            f"{ratings.duplicates} ratings repeat the conversation, system, turn, factor, rater, repeat and "
            "round of another; such ratings were averaged.",
        )
    if any(len(sheet.people) > MOST_PEOPLE for sheet in ratings.sheets):
        yield AgreementRemark(
            "many_people",
            f"Factors with more than {MOST_PEOPLE} human raters compare no two of them; Krippendorff's alpha "
            "speaks for all.",
        )
