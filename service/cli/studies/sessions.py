"""Sessions of simulated users with recommenders, logs that take their place, and metrics computed of both."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import ValidationError

from ...catalogue.catalogue import Catalogue
from ...catalogue.file import read_items
from ...computed_metrics import compute
from ...computed_metrics.item_index import Matching
from ...domain.conversation import ConversationLog
from ...domain.plurals import counted
from ...errors import CrsEvalError
from ...importing.entries import plain_name
from ...usecases.wire.metrics import MetricsAnswer, MetricsRequest
from ...usecases.wire.simulate import SessionLog
from ..exits import CommandError, Exit
from ..inputs import Json, Source, grouped, json_digest, present
from ..records import Record
from ..run import Job
from ..tabulating.formats import StudyTable
from ..tabulating.summary import Measured
from .steps import StudyRun, failure_of
from .study import SessionPlan, UsersPlan, check_names, file_name

WHOLE = "all"
"""The dataset of users that name none."""


@dataclass(frozen=True)
class StudySession:
    """A conversation of a user with a system. `situation` is the same for all systems."""

    id: str
    system: str
    user: str
    dataset: str
    seed: int
    log: Json

    @property
    def situation(self) -> str:
        return f"{self.user}#{self.seed}"

    @property
    def words(self) -> float:
        replies = [said for said in self.log["messages"] if said["role"] == "assistant"]
        return fmean(len(str(said.get("content") or "").split()) for said in replies) if replies else 0.0


def check_wanted(users: Sequence[Source]) -> None:
    """Raise CommandError for users who want no item."""
    for user in users:
        if not user.log.get("ground_truth"):
            raise CommandError(
                f"{user.place}: users of this study need a wanted item. Add `ground_truth`, a list of titles."
            )


def dataset_of(log: Json) -> str:
    """Return the dataset that a log belongs to: `metadata.dataset`, else its domain."""
    found = (log.get("metadata") or {}).get("dataset") or log.get("domain")
    return str(found) if found else WHOLE


def parsed(source: Source) -> ConversationLog:
    """Read a log of the contract. Raises CommandError that names the first wrong field."""
    try:
        return SessionLog.model_validate_json(json.dumps(source.log)).value()
    except ValidationError as wrong:
        first = wrong.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise CommandError(f"{source.place}: {at}: {first['msg']}") from None


async def play(
    study: StudyRun,
    plan: SessionPlan,
    users: Sequence[Source],
    simulator: Callable[[int], Json],
    *,
    variant: str = "",
    known: Mapping[str, Json] | None = None,
) -> list[StudySession]:
    """Play every user with every system of a plan under every seed. Tabulate the sessions, and return those that did not fail.
    A `variant` names sessions that are played in another way; their logs are not kept in the folder. `known` holds by user the fields
    that the log of a session has and its simulator has not read.

    Raises CommandError if every session failed."""
    planned = list(product(plan.systems, users, range(plan.seeds)))
    jobs = []
    for system, user, seed in planned:
        name = "/".join(filter(None, [system, user.conversation, str(seed), variant]))
        metadata = {**(user.log.get("metadata") or {}), "user": user.conversation, "seed": str(seed)}
        body = {
            "simulator": present({**simulator(seed), "temperature": plan.temperature}),
            "log": (log := {**user.log, "id": name, "system": system, "metadata": metadata}),
            "crs": system,
            "catalog": study.catalog or user.catalog,
        }
        jobs.append(Job(name, system, "/simulate", present(body), log=json_digest(log)))
    step = f"sessions-{file_name(variant)}" if variant else "sessions"
    records = await study.step(step, jobs)
    played = []
    for (system, user, seed), record in zip(planned, records, strict=True):
        if record.answer is not None and failure_of(record) is None:
            name, dataset = user.conversation, dataset_of(user.log)
            log = {**record.answer["log"], **(known or {}).get(name, {})}
            played.append(StudySession(record.conversation, system, name, dataset, seed, log))
    study.findings.add(ends(records, step, f"Sessions, {variant}" if variant else "Sessions"))
    if not played:
        detail = f"{study.failure_note}{study.reason} Run the same command to repeat them."
        raise CommandError(detail, Exit.FAILED)
    if not variant:
        keep(study, played)
    return played


async def take(study: StudyRun, plan: UsersPlan) -> list[StudySession]:
    """The sessions of a study: played by its users, or taken from logs."""
    if plan.logs:
        return had(study, plan.logs)
    study.folder.write_lines("users.jsonl", [user.log for user in plan.users])
    return await play(study, plan, plan.users, plan.simulator)


def had(study: StudyRun, logs: Sequence[Source]) -> list[StudySession]:
    """Conversations as sessions: a user's further ones with a system count as further seeds."""
    found: list[StudySession] = []
    seen: Counter[tuple[str, str]] = Counter()
    for one in logs:
        system, user = system_of(one), _user_of(one)
        log = {**one.log, "system": system}
        found.append(StudySession(one.conversation, system, user, dataset_of(log), seen[user, system], log))
        seen[user, system] += 1
    keep(study, found)
    return found


def system_of(one: Source) -> str:
    """Return the recommender that a log names, else the name of its file."""
    place = plain_name(Path(one.place.rpartition(":")[0] or one.place)).stem
    return str(one.log.get("system") or place)


def _user_of(one: Source) -> str:
    """The user as the log says it, else its mood, age and wishes, else nobody else's."""
    user = one.log.get("user") or {}
    traits = [user.get("persona"), user.get("age_group"), *sorted(user.get("attributes") or ())]
    return one.user or "-".join(map(str, filter(None, traits))) or one.conversation


def described(plan: SessionPlan, played: Sequence[StudySession], users: int, player: str, how: str) -> str:
    """The first sentence of a methods paragraph: who talked with whom, and how."""
    if plan.logs:
        return f"{len(played)} conversations of {recommenders(logs_by_system(played))} were evaluated."
    seeds = "one seed" if plan.seeds == 1 else f"{plan.seeds} seeds"
    return f"{recommenders(plan.systems)} talked with {users} {player} {how}, {seeds} a user."


def player(plan: SessionPlan, users: str) -> str:
    """Return who plays the users, as a methods paragraph says it."""
    if plan.user_model:
        at = "" if plan.temperature is None else f" at temperature {plan.temperature:g}"
        return f"{users} played by {plan.user_model}{at}"
    return f"rule-based users (a stand-in for {users} that a model plays)"


def keep(study: StudyRun, played: Sequence[StudySession]) -> None:
    """Write the logs of each system into the run's folder. Raises CommandError for names that are one as a file's."""
    check_names("system", list(logs_by_system(played)))
    for system, logs in logs_by_system(played).items():
        study.folder.write_lines(f"logs/{file_name(system)}.jsonl", logs)


def logs_by_system(played: Iterable[StudySession]) -> dict[str, list[Json]]:
    """Return the logs of each system."""
    return grouped((session.system, session.log) for session in played)


def recommenders(systems: Collection[str]) -> str:
    """The recommenders as a methods paragraph names them."""
    return f"{counted(len(systems), 'recommender')} ({', '.join(systems)})"


def ends(records: Sequence[Record], name: str = "sessions", title: str = "Sessions") -> StudyTable:
    """The ends of each system's sessions, and how many replies they have."""
    no_answer: Json = {"outcome": "no answer"}
    by_system = grouped((record.system or "", record.answer or no_answer) for record in records)
    outcomes = sorted({str(answer["outcome"]) for answers in by_system.values() for answer in answers})
    rows = []
    for system, answers in by_system.items():
        counts = Counter(str(answer["outcome"]) for answer in answers)
        logs = [answer["log"]["messages"] for answer in answers if answer.get("log")]
        mean = fmean(sum(said["role"] == "assistant" for said in log) for log in logs) if logs else None
        rows.append([system, len(answers), mean, *(counts[outcome] for outcome in outcomes)])
    return StudyTable(name, title, ("system", "sessions", "mean replies", *outcomes), rows)


async def metrics(study: StudyRun, body: dict[str, Any]) -> Json:
    """Compute metrics here, or ask the service if it alone has the catalogue. Raises CommandError."""
    if study.catalog is not None and study.options.catalog_file is None:
        answer: Json = await study.once("/computational-metrics", {**body, "catalog": study.catalog})
        return answer
    asked = MetricsRequest.model_validate_json(json.dumps(present(body)))
    try:
        report = compute(
            asked.logs,
            verdicts=[[verdict.value() for verdict in each] for each in asked.verdicts or ()],
            reply_pairs=[pair.value() for pair in asked.reply_pairs or ()],
            metrics=asked.metrics,
            k=asked.k,
            turns=asked.turns,
            catalogue=catalogue_of(study.options.catalog_file),
            matching=asked.matching or Matching.STRICT,
        )
    except CrsEvalError as wrong:
        raise CommandError(f"These conversations cannot be measured: {wrong.detail}") from None
    return MetricsAnswer.of(report).model_dump()


@dataclass(frozen=True)
class WantedFigure:
    """A figure of one conversation: of lists cut at `k`, in a scope, of all targets or of a part of them; or of so many turns."""

    metric: str
    scope: str | None = None
    k: int | None = None
    targets: str | None = None
    view: str = "lists"
    turn: int | None = None

    def of(self, rows: Sequence[Json]) -> float | None:
        """Return the figure among the rows of an answer; None where it is undefined."""
        group = {"targets": self.targets} if self.targets else {}
        wanted = {"metric": self.metric, "scope": self.scope, "k": self.k, "turn": self.turn, "group": group}
        found = (
            row["value"] for row in rows if row["view"] in (self.view, None) and wanted.items() <= row.items()
        )
        return next(found, None)


def recalls(cuts: Sequence[int], scope: str, name: str = "Recall@{}") -> dict[str, WantedFigure]:
    """Return recall at each cut, of the last list, of all (`session`), or the mean of turns (`turn`), by its name."""
    return {name.format(k): WantedFigure("recall", scope, k) for k in cuts}


SUCCESS_RATE_RATIO = {"success-rate ratio": WantedFigure("success_rate_ratio")}
"""Share of the turns with a list whose list opens with a target."""


async def measure(
    study: StudyRun, sessions: Iterable[StudySession], wanted: Mapping[str, WantedFigure]
) -> list[Measured]:
    """The wanted figures of each session that are defined, under their names."""
    return [
        Measured(session.system, name, session.user, value)
        for session, values in await measure_each(study, sessions, wanted)
        for name, value in values.items()
    ]


async def measure_each(
    study: StudyRun, sessions: Iterable[StudySession], wanted: Mapping[str, WantedFigure], **more: Any
) -> list[tuple[StudySession, dict[str, float]]]:
    """Each session with its wanted figures that are defined. `more` are further fields of the request."""
    names = sorted({one.metric for one in wanted.values()})
    cuts = sorted({one.k for one in wanted.values() if one.k is not None}) or None
    turns = sorted({one.turn for one in wanted.values() if one.turn is not None}) or None
    found = []
    for session in sessions:
        body = {"logs": [session.log], "metrics": names, "k": cuts, "turns": turns, **more}
        rows = (await metrics(study, body))["rows"]
        values = {name: value for name, one in wanted.items() if (value := one.of(rows)) is not None}
        found.append((session, values))
    return found


@cache
def catalogue_of(path: Path | None) -> Catalogue | None:
    """The catalogue in a file, if there is one."""
    return None if path is None else Catalogue.of(read_items(path), path.stem)
