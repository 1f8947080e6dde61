"""Judges on sessions: their verdicts, as numbers of systems and users."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..inputs import Json, present
from ..records import Record
from ..run import Job
from ..scores import MEAN_OF_FACTORS, OVERALL, Run
from ..tabulating.summary import Measured, Summary, measured, summarise
from .options import file_name, judge_fields, members
from .sessions import WHOLE, StudySession
from .steps import StudyRun

PERSUASIVENESS = "ievalm-persuasiveness"
OVERALL_ROW = (MEAN_OF_FACTORS, OVERALL)


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
        rows = [name for name in (*factors, *(OVERALL_ROW if whole else ())) if name in present]
        return summarise(title, numbers, self.systems, rows)

    @property
    def datasets(self) -> list[str | None]:
        """Return the datasets that have tables of their own, in their order, behind None for all: that alone where there is but
        one."""
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
    """A judge's verdicts on all sessions. `more` are further fields of the requests; `step` names verdicts
    that the judge gives beside its main ones."""
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
    """Add the verdicts on a factor that is judged from the verdicts on others, and from those that were `computed` of each
    session. A session without an answer gets none."""
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
