"""Scores of judges as ratings, and their agreement with people."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from ...errors import InvalidRequest
from ...statistics.agreement import measure
from ...statistics.bootstrap import Interval
from ...statistics.ratings import PEOPLE, RaterKind, Rating
from ...statistics.rows import StatRow
from ..exits import CommandError
from ..inputs import Json
from ..names import factors_here
from ..scores import MEAN_OF_FACTORS, OVERALL
from .judgements import JudgeRun
from .sessions import StudySession

INTERVALS = "Low and high: 95 % percentile bootstrap over users."
NO_LABELS = (
    "no --labels: have people rate the logs in the run's folder, and run the same command with their ratings"
)


def ratings(judged: JudgeRun) -> list[Rating]:
    """A judge's scores as ratings: a situation put to each system."""
    found: list[Rating] = []
    for name, record in judged.records.items():
        scored = [verdict for verdict in record.verdicts if verdict["status"] == "scored"]
        scores = {verdict["factor"]: verdict["score"] for verdict in scored}
        if scored:
            ends = [
                (verdict["score"], verdict["scale"]["min"], verdict["scale"]["max"]) for verdict in scored
            ]
            scores[MEAN_OF_FACTORS] = 100 * fmean((score - low) / (high - low) for score, low, high in ends)
        if record.debate:
            scores[OVERALL] = record.debate["overall"]
        session = judged.sessions[name]
        found += [rating(session, factor, judged.judge, score) for factor, score in scores.items()]
    return found


def all_ratings(every: Sequence[JudgeRun]) -> list[Rating]:
    """The scores of all judges as ratings."""
    return [one for judged in every for one in ratings(judged)]


def rating(
    session: StudySession, factor: str, rater: str, score: float, kind: RaterKind = RaterKind.JUDGE
) -> Rating:
    """Rate a session. Whole users are resampled, so a user's seeds are turns of one conversation."""
    return Rating(
        conversation=session.user,
        system=session.system,
        factor=factor,
        rater=rater,
        kind=kind,
        score=score,
        turn=session.seed,
        length=session.words,
    )


def people(labels: Sequence[Json], sessions: Sequence[StudySession]) -> list[Rating]:
    """People's ratings of these sessions. Raises CommandError for one of another conversation, factor or scale."""
    known = {session.id: session for session in sessions}
    found = []
    for label in labels:
        session = known.get(str(label.get("conversation")))
        if session is None:
            raise CommandError(
                f"--labels: {label.get('conversation')!r} is not a session of this run. Label the logs in its folder: "
                "each rating has the id of a log as `conversation`, a `factor`, a `rater` and a `score`."
            )
        factor, score = str(label.get("factor")), label.get("score")
        rater = str(label.get("rater") or "person")
        low, high = _scale(factor)
        if not isinstance(score, int | float) or isinstance(score, bool) or not low <= score <= high:
            raise CommandError(f"--labels: {session.id}: {factor}: a `score` is a number of {low} to {high}.")
        # The factors' mean is compared with people's overall rating as well.
        names = (factor, MEAN_OF_FACTORS) if factor == OVERALL else (factor,)
        found += [rating(session, name, rater, score, RaterKind.HUMAN) for name in names]
    return found


def _scale(factor: str) -> tuple[int, int]:
    """The scale of a factor, of `overall` that of a debate. Raises CommandError for one that no judge rates."""
    if factor == OVERALL:
        return 0, 100
    if (known := factors_here().get(factor)) is None:
        raise CommandError(
            f"--labels: there is no factor {factor!r}: name one of `crs-eval factors`, or {OVERALL}."
        )
    return known.scale.min, known.scale.max


def agreement(given: Sequence[Rating], statistics: Sequence[str]) -> Sequence[StatRow]:
    """The rows of `/agreement` on these ratings, computed here: in full precision, and however long it takes. Raises
    CommandError for a person with a judge's name, and for one called `people`."""
    try:
        return measure(given, statistics=statistics).rows
    except InvalidRequest as wrong:
        raise CommandError(f"These ratings cannot be compared: {wrong.detail}") from None


def with_people(
    judged: Sequence[JudgeRun],
    given: Sequence[Rating],
    statistics: Sequence[str] = ("quadratic_weighted_kappa", "spearman", "kendall_tau_b"),
) -> list[StatRow]:
    """The rows of `/agreement` between each judge and the people."""
    rows = agreement([*all_ratings(judged), *given], statistics)
    return [row for row in rows if row.over == "pooled" and row.other == PEOPLE]


def figure_cells(value: float | None, interval: Interval | None) -> list[Any]:
    """Return a value and the ends of its interval, None where there is none."""
    return [value, interval.low, interval.high] if interval else [value, None, None]


def bounded(row: StatRow | None) -> list[Any]:
    """Return a statistic and the ends of its interval, None for what is undefined."""
    return figure_cells(row.value if row else None, row.interval if row else None)


def with_bounds(name: str) -> list[str]:
    """Return the columns of a statistic and the ends of its interval."""
    return [name, f"{name}, low", f"{name}, high"]


def figures(rows: Sequence[StatRow], rater: str, factor: str, statistics: Sequence[str]) -> list[Any]:
    """Return how many units a rater and the people share on a factor, and each statistic of the two with its interval."""
    found = {row.statistic: row for row in rows if (row.rater, row.factor) == (rater, factor)}
    n = max((found[name].n for name in statistics if name in found), default=0)
    return [n, *(value for name in statistics for value in bounded(found.get(name)))]
