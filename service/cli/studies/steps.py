"""The steps of a study: requests to a service, each step with its journal in the folder of the run."""

import json
import platform
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from ... import __version__
from ...simulators.recommender import Failure
from ...simulators.session import DEADLINE, SIMULATOR_FAILED
from ..exits import CommandError, Exit
from ..file_formats import json_lines, json_text
from ..inputs import Json, json_digest, present
from ..records import Record, write_atomically, write_records
from ..remote import Service, ServiceRefusal
from ..run import Halt, Job, Journal, Runner
from .report import Findings
from .study import StudyOptions

CONFIGURATION = "study.json"
VERSIONS = "versions.json"
CALLS, ANSWERS = "calls", "answers.jsonl"
INPUTS = "inputs"
_FOLDERS = (CALLS, INPUTS, "tables", "figures", "logs", "verdicts", "pairs")
_FILES = (
    CONFIGURATION, VERSIONS, "costs.json", "methods.md", "references.bib", "report.html", "users.jsonl", "humans.jsonl"
)  # fmt: skip
BROKEN_OFF = frozenset({DEADLINE, SIMULATOR_FAILED, *Failure}) - {Failure.SILENT}
"""Ends of a session that say nothing about its replies. One that falls silent after some is judged by them."""
PARAMETERS = (
    "simulator", "factors", "judge", "panel", "mixture", "catalog", "samples", "variant", "judging", "max_rounds", "to_the_end",
    "method",
)  # fmt: skip
"""Fields of requests that are alike for all conversations of a step."""


@dataclass(frozen=True)
class Folder:
    """A run's folder. `begin` pins what it is a run of."""

    root: Path

    def begin(self, configuration: Mapping[str, Any], *, fresh: bool) -> bool:
        """Note the configuration; whether the run goes on from an earlier stop. `fresh` clears what an earlier run
        left. Raises CommandError for the folder of another study, or of another configuration."""
        wanted = json.loads(json.dumps({**configuration, "version": __version__}))
        place = self.root / CONFIGURATION
        if fresh and place.is_file():
            for name in _FOLDERS:
                shutil.rmtree(self.root / name, ignore_errors=True)
            for file in _FILES:
                (self.root / file).unlink(missing_ok=True)
        if going_on := place.is_file():
            known = _known(place)
            for name in sorted({*wanted, *known}):
                if wanted.get(name) != known.get(name):
                    raise CommandError(
                        f"{self.root} contains a run with other {name.replace('_', ' ')}: {_short(known.get(name))}, not "
                        f"{_short(wanted.get(name))}. Name another folder, or start over with --fresh."
                    )
        elif self.root.is_dir() and any(self.root.iterdir()):
            raise CommandError(
                f"{self.root} is not empty, and not the folder of a study. Name another folder with --out."
            )
        else:
            self.write(CONFIGURATION, json_text(wanted, sort_keys=True))
            self.write(VERSIONS, json_text({"began": _now()}))
        (self.root / CALLS).mkdir(exist_ok=True)
        return going_on

    def finish(self, made_with: Json) -> None:
        began = _known(self.root / VERSIONS)["began"]
        writers = {package: version(package) for package in ("pandas", "matplotlib")}
        own = {"crs-eval": __version__, "python": platform.python_version(), **writers}
        self.write(VERSIONS, json_text({**own, **made_with, "began": began, "ended": _now()}, sort_keys=True))

    def journal(self, step: str) -> Journal:
        journal = Journal(self.root / CALLS / f"{step}.jsonl")
        journal.load(fresh=False)
        return journal

    @property
    def answers(self) -> Path:
        return self.root / CALLS / ANSWERS

    def write(self, name: str, content: str) -> None:
        write_atomically(self.root / name, content)

    def write_lines(self, name: str, values: Iterable[Json]) -> None:
        self.write(name, json_lines(values))


def _known(place: Path) -> Json:
    try:
        known: Json = json.loads(place.read_text(encoding="utf-8"))
    except ValueError:
        raise CommandError(
            f"{place} is not the configuration of a study. Name another folder with --out."
        ) from None
    return known


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


class HaltedError(Exception):
    """The run stopped before its end: interrupted, the budget spent, or no price known."""

    def __init__(self, halt: Halt) -> None:
        super().__init__(halt.value)
        self.halt = halt


@dataclass
class StudyRun:
    """Asks a service, step by step."""

    options: StudyOptions
    remote: Service
    folder: Folder
    console: Console
    catalog: str | None
    """The service's name of the catalogue."""
    offline: bool = False
    """The journals answer everything: nothing is asked again, and nothing that they lack is asked."""
    steps: dict[str, Sequence[Record]] = field(default_factory=dict)
    sent: dict[str, list[Json]] = field(default_factory=dict)
    """The parameters of each step's requests, each combination once."""
    findings: Findings = field(default_factory=Findings)

    async def step(self, name: str, jobs: Sequence[Job]) -> Sequence[Record]:
        """The records of these jobs in their order; those of an earlier run are not asked for again, but for failed sessions.

        Raises HaltedError where the run is to end before them, CommandError where the service refuses them all."""
        journal = self.folder.journal(name)
        records = self._kept(journal, jobs) if self.offline else await self._asked(name, journal, jobs)
        self.steps[name] = records
        settings = [{key: job.body[key] for key in PARAMETERS if key in job.body} for job in jobs]
        self.sent[name] = list({json_digest(one): one for one in settings}.values())
        return records

    async def _asked(self, name: str, journal: Journal, jobs: Sequence[Job]) -> Sequence[Record]:
        journal.known = {key: one for key, one in journal.known.items() if failure_of(one) is None}
        paid = {record.request: record.usage.get("cost") or 0.0 for record in self.records}
        budget = self.options.budget  # of all steps together
        left = None if budget is None else max(0.0, budget - sum(paid.values()))
        runner = Runner(self.remote, journal, self.options.at_once, self.console, name, left)
        outcome = await runner.run(jobs)
        if outcome.halt is not None:
            raise HaltedError(outcome.halt)
        write_records(journal.out, outcome.records)
        journal.remove()
        return outcome.records

    def _kept(self, journal: Journal, jobs: Sequence[Job]) -> Sequence[Record]:
        if missing := [job.conversation for job in jobs if job.digest not in journal.known]:
            raise CommandError(
                f"{journal.out.name} lacks {len(missing)} answers. The first is missing for {missing[0]}.",
                Exit.FAIL,
            )
        found = [(job, journal.known[job.digest]) for job in jobs]
        return [job.record(one.answer, one.failure) for job, one in found]

    @property
    def records(self) -> list[Record]:
        return [record for step in self.steps.values() for record in step]

    @property
    def failures(self) -> int:
        return sum(map(_failures, self.records))

    @property
    def failure_note(self) -> str:
        """Return the line on failed sessions below each table; empty without any."""
        talks: dict[str, Counter[str | None]] = {}
        for record in self.records:
            if record.path == "/simulate":
                talks.setdefault(record.system or "", Counter())[failure_of(record)] += 1
        failed = [
            f"{system} {found.total() - found[None]} of {found.total()} "
            f"({', '.join(f'{end}: {count}' for end, count in sorted(found.items(), key=str) if end)})"
            for system, found in talks.items()
            if found.total() > found[None]
        ]
        return f"Failed sessions and replies, which no figure counts: {'; '.join(failed)}." if failed else ""

    @property
    def reason(self) -> str:
        """Return the sentence on the most frequent reason of failed sessions; empty where none is known."""
        failed = (record.answer for record in self.records if failure_of(record) is not None)
        details = Counter(answer["detail"] for answer in failed if answer and answer.get("detail"))
        return f" Most frequent reason: {details.most_common(1)[0][0]}." if details else ""

    async def once(self, path: str, body: Mapping[str, Any]) -> Any:
        """The answer to a request that computes and asks no model. Raises CommandError for a refusal."""
        answer = await self.remote.post(path, present(body))
        if isinstance(answer, ServiceRefusal):
            raise CommandError(f"{path}: {answer.detail}", Exit.FAILED)
        return answer


def failure_of(record: Record) -> str | None:
    """Return how a session or a reply of `/simulate` failed; None for those that count, and for other requests."""
    if record.path != "/simulate":
        return None
    if (answer := record.answer) is None:
        return "no answer"
    if failed := [str(one["failure"]) for one in answer.get("replies") or () if one["failure"]]:
        return failed[0]
    end, log = str(answer["outcome"]), answer.get("log")
    silent = log is not None and not any(said["role"] == "assistant" for said in log["messages"])
    return end if silent or end in BROKEN_OFF else None


def _failures(record: Record) -> int:
    if record.path == "/simulate":
        return int(failure_of(record) is not None)
    if record.answer is None:
        return 1
    if record.path == "/behavior-alignment":
        return int(record.answer["left_out"]["failed"])
    return len(record.failed) if record.path == "/score" else 0
