"""The steps of a study: requests to a service, each step with a journal of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from ..exits import CommandError, Exit
from ..inputs import Json
from ..records import Record, write_records
from ..remote import Remote, ServiceRefusal
from ..run import Halt, Job, Runner
from .folder import Folder


class HaltedError(Exception):
    """The run stopped before its end: interrupted, the budget spent, or no price known."""

    def __init__(self, halt: Halt) -> None:
        super().__init__(halt.value)
        self.halt = halt


@dataclass
class StudyRun:
    """Asks a service, step by step. `budget` bounds what all steps cost together."""

    remote: Remote
    folder: Folder
    console: Console
    at_once: int
    budget: float | None
    catalog: str | None
    catalog_file: Path | None = None
    """The file of that catalogue, unless the service alone has it."""
    spent: float = 0.0
    steps: dict[str, Sequence[Record]] = field(default_factory=dict)

    async def step(self, name: str, jobs: Sequence[Job]) -> Sequence[Record]:
        """The records of these jobs in their order; those of an earlier run are not asked for again.

        Raises HaltedError where the run is to end before them, CommandError where the service refuses them all."""
        journal = self.folder.journal(name)
        left = None if self.budget is None else max(0.0, self.budget - self.spent)
        runner = Runner(self.remote, journal, self.at_once, self.console, name, left)
        outcome = await runner.run(jobs)
        if outcome.halt is not None:
            raise HaltedError(outcome.halt)
        requests = {record.request: record for record in outcome.records}
        self.spent += sum(record.usage.get("cost") or 0.0 for record in requests.values())
        write_records(journal.out, outcome.records)
        journal.remove()
        self.steps[name] = outcome.records
        return outcome.records

    async def once(self, path: str, body: Mapping[str, Any]) -> Any:
        """The answer to a request that computes and asks no model. Raises CommandError for a refusal."""
        answer = await self.remote.post(path, present(body))
        if isinstance(answer, ServiceRefusal):
            raise CommandError(f"{path}: {answer.detail}", Exit.FAILED)
        return answer


def present(body: Mapping[str, Any]) -> Json:
    """Return the fields of a body that have a value."""
    return {name: value for name, value in body.items() if value is not None}


def unanswered(records: Iterable[Record]) -> int:
    """Count the requests without an answer."""
    return sum(record.answer is None for record in records)
