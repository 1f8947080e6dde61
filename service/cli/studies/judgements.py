"""Judges on sessions: their verdicts, as numbers of systems and users, and as ratings that are compared with people's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from ...errors import InvalidRequest
from ...statistics.agreement import measure
from ...statistics.bootstrap import Interval
from ...statistics.ratings import PEOPLE, RaterKind, Rating
from ...statistics.rows import StatRow
from ..exits import CommandError
from ..inputs import Json, present
from ..names import factors_here
from ..records import Record
from ..run import Job
from ..scores import MEAN_OF_FACTORS, OVERALL, Run
from ..tabulating.summary import Measured, Summary, measured, summarise
from .sessions import WHOLE, StudySession
from .steps import StudyRun
from .study import file_name, judge_fields, members

PERSUASIVENESS = "ievalm-persuasiveness"


@dataclass
class JudgeRun:
    """A judge's verdicts on sessions, by the sessions' ids."""

    judge: str
    sessions: Mapping[str, StudySession]
    records: dict[str, Record]
    """Answers with verdicts, and with the debate on them where one was held."""

    @property
    def file(self) -> str:
        return file_name(self.judge)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(session.system for session in self.sessions.values()))

    @property
    def verdicts(self) -> Iterator[tuple[StudySession, Json]]:
        for name, record in self.records.items():
            for verdict in record.verdicts:
                if verdict["status"] == "scored":
                    yield self.sessions[name], verdict

    @property
    def scored(self) -> list[str]:
        return list(dict.fromkeys(session.id for session, _ in self.verdicts))

    def jobs(self, path: str, body: Json, computed: Mapping[str, Sequence[Json]] | None = None) -> list[Job]:
        """Return a request on the verdicts of each session that has a scored one; `computed` are further verdicts by session."""
        found = []
        for name in self.scored:
            record = self.records[name]
            given = [*record.verdicts, *(computed or {}).get(name, ())]
            whole = present({"log": self.sessions[name].log, "verdicts": given, **body})
            found.append(Job(name, record.system, path, whole))
        return found

    def add(self, name: str, fields: Json) -> None:
        """Add fields to the answer on a session, in place of earlier ones."""
        record = self.records[name]
        self.records[name] = replace(record, answer={**(record.answer or {}), **fields})

    def numbers(self, dataset: str | None = None) -> list[Measured]:
        """The scores of one dataset, or of all; `overall` is that of debates, 0-100, where there are any."""
        users = {name: one.user for name, one in self.sessions.items() if dataset in (None, one.dataset)}
        run = Run(self.judge, [self.records[name] for name in users if name in self.records])
        return [number for own in run.by_system.values() for number in measured(own, users)]

    def summary(
        self, title: str, factors: Sequence[str], dataset: str | None = None, *, whole: bool = True
    ) -> Summary:
        """The table of these factors; of the `whole` with their mean, on 0-4, and the debate's score where there are any."""
        numbers = self.numbers(dataset)
        present = {one.factor for one in numbers}
        rows = [
            name for name in (*factors, *((MEAN_OF_FACTORS, OVERALL) if whole else ())) if name in present
        ]
        return summarise(title, numbers, self.systems, rows)

    @property
    def datasets(self) -> list[str | None]:
        """Return None for all datasets together, then, if there are several, each dataset."""
        found = list(dict.fromkeys(session.dataset for session in self.sessions.values()))
        return [None] if len(found) < 2 else [None, *found]


async def judge(
    study: StudyRun,
    name: str,
    sessions: Sequence[StudySession],
    factors: Sequence[str],
    more: Mapping[str, Any],
    *,
    step: str = "",
) -> JudgeRun:
    """A judge's verdicts on all sessions. `more` are further fields of the requests; `step` names additional verdicts."""
    body = present({"factors": list(factors), **judge_fields(name), "catalog": study.catalog, **more})
    jobs = [Job(one.id, one.system, "/score", {"log": one.log, **body}, user=one.user) for one in sessions]
    records = await _verdicts(study, "-".join(filter(None, [file_name(name), step])), jobs)
    return JudgeRun(name, {one.id: one for one in sessions}, records)


async def judge_whole(
    study: StudyRun,
    judged: JudgeRun,
    factor: str,
    more: Mapping[str, Any],
    computed: Mapping[str, Sequence[Json]],
) -> None:
    """Add verdicts on a factor that is judged from others and from `computed` ones. Sessions without an answer get none."""
    body = {"factors": [factor], **judge_fields(judged.judge), "catalog": study.catalog, **more}
    jobs = judged.jobs("/score", body, computed)
    for name, found in (await _verdicts(study, f"{judged.file}-{factor}", jobs)).items():
        judged.add(name, {"verdicts": [*judged.records[name].verdicts, *found.verdicts]})


async def _verdicts(study: StudyRun, file: str, jobs: Sequence[Job]) -> dict[str, Record]:
    records = await study.step(f"verdicts-{file}", jobs)
    study.folder.write(f"verdicts/{file}.jsonl", "".join(record.line() for record in records))
    return {record.conversation: record for record in records}


async def debate(study: StudyRun, judged: JudgeRun, rounds: int, *, stop: bool) -> None:
    """A debate on the verdicts of each session, all roles by the judge itself, or the first of several. It stops when all agree, if it is to `stop`."""
    speaker, to_the_end = members([judged.judge])[0], None if stop else True
    body = {"judge": speaker, "max_rounds": rounds, "to_the_end": to_the_end, "catalog": study.catalog}
    for one in await study.step(f"debates-{judged.file}", judged.jobs("/debate", body)):
        failure = None if one.answer else {"code": "no_answer"}
        judged.add(one.conversation, {"debate": one.answer, "debate_failure": failure})


def read_as(variant: str | None) -> list[str]:
    """The sentence of a methods paragraph on how models read their instructions."""
    if variant != "published":
        return []
    return ["Instructions of models follow the paper's own readings (variant published)."]


def title_of(dataset: str | None) -> str:
    """Return a dataset as titles name it."""
    return "" if dataset in (None, WHOLE) else f", {dataset}"


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
