"""Many requests, a few at a time, written down as they are answered: a run that was stopped goes on."""

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..domain.plurals import counted
from .exits import CommandError, Exit
from .inputs import Json, json_digest
from .records import Record, stored_records, write_records
from .remote import Service, ServiceRefusal

SECONDS_BETWEEN_LINES = 15.0
AGAIN = "Run the same command again to continue."


@contextlib.contextmanager
def run_progress(
    console: Console, label: str, total: int, done: int = 0
) -> Iterator[Callable[[float | None], None]]:
    """Show how far a run is, of which `done` was done before. Yields what to call with the cost of each conversation."""
    if done:
        console.print(f"Done before: {counted(done, 'conversation', of=total)}.")
    cost = TextColumn("{task.fields[cost]}")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), cost
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total, completed=done, cost="")
        spent, printed = 0.0, time.monotonic()

        def advance(cost: float | None) -> None:
            nonlocal done, spent, printed
            done += 1
            spent += cost or 0.0
            shown = f"cost {spent:.4g}" if spent else ""
            bar.update(task, completed=done, cost=shown)
            if not console.is_terminal and time.monotonic() - printed >= SECONDS_BETWEEN_LINES:
                printed = time.monotonic()
                console.print(f"{label}: {done} of {total}{shown and ', '}{shown}")

        yield advance


class Halt(StrEnum):
    """The reason why a run ended before its last request."""

    INTERRUPTED = "interrupted"
    COST = "the cost limit is reached"
    NO_PRICE = "no price is known"


def halted(halt: Halt, console: Console, again: str = AGAIN, limit: str = "--max-cost") -> Exit:
    """Say why a run ended early and how to go on; how its command ends. Raises CommandError without a price for the `limit`."""
    if halt is Halt.NO_PRICE:
        raise CommandError(
            f"Stopped: the service reports no cost for these answers, so {limit} cannot work: set CRS_EVAL_PRICES, or leave out {limit}."
        )
    console.print(f"Stopped before the end: {halt.value}. {again}", style="yellow")
    return Exit.INTERRUPTED if halt is Halt.INTERRUPTED else Exit.INCONCLUSIVE


@dataclass(frozen=True)
class Job:
    """One request about one conversation. `log` is the `digest` of its record; other fields have the record's names."""

    conversation: str
    system: str | None
    path: str
    body: Json
    position: int | None = None
    log: str | None = None
    replies: int | None = None
    answered: float | None = None
    user: str | None = None

    @cached_property
    def digest(self) -> str:
        """16 hex digits that name the request, here and in the service's log."""
        return json_digest([self.path, self.body])

    def record(self, answer: Json | None, failure: Json | None) -> Record:
        """The record of this job. An equal request may have been answered for another conversation, or in an earlier run."""
        about = (self.position, self.log, self.replies, self.answered, self.user)
        return Record(self.conversation, self.system, self.path, self.digest, answer, failure, *about)


@dataclass
class RunOutcome:
    """The records in the order of the jobs, and why some are missing."""

    records: list[Record]
    halt: Halt | None = None


@dataclass
class Journal:
    """Records on disk beside the file that is to be written: `<out>.partial`."""

    out: Path
    known: dict[str, Record] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.out.with_name(self.out.name + ".partial")

    def load(self, *, fresh: bool) -> None:
        """Take up what stands from earlier; `fresh` leaves it."""
        if not fresh:
            earlier = stored_records(self.out) if self.out.suffix == ".jsonl" else {}
            self.known = {**earlier, **stored_records(self.path)}

    @contextlib.contextmanager
    def writing(self) -> Iterator[TextIO]:
        """A file to append records to. A torn line of a killed run is gone from it."""
        write_records(self.path, self.known.values())
        with self.path.open("a", encoding="utf-8") as lines:
            yield lines

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


@dataclass
class Runner:
    """Runs the jobs that have no complete record."""

    remote: Service
    journal: Journal | None
    at_once: int
    console: Console
    label: str
    max_cost: float | None = None
    every_answer: bool = False
    """True if any refusal ends the run, and not only one that holds for every log."""
    _cost: float = 0.0
    _halt: Halt | None = None

    async def run(self, jobs: Sequence[Job]) -> RunOutcome:
        """Return all jobs' records; equal requests are made once. On an interrupt, running requests finish, and `halt` is set."""
        known = self.journal.known if self.journal else {}
        done = {one.request: one for job in jobs if (one := known.get(job.digest)) and one.complete}
        waiting = list({job.digest: job for job in jobs if job.digest not in done}.values())
        before = sum(job.digest in done for job in jobs)
        self._cost = sum(record.usage.get("cost") or 0.0 for record in done.values())
        with contextlib.ExitStack() as stack:
            lines = stack.enter_context(self.journal.writing()) if self.journal and waiting else None
            advance = stack.enter_context(
                run_progress(self.console, self.label, before + len(waiting), before)
            )
            stack.enter_context(self._interruptible())
            queue = iter(waiting)

            async def work() -> None:
                for job in queue:
                    if self._halt:
                        return
                    record = await self._ask(job)
                    done[job.digest] = record
                    if lines:
                        lines.write(record.line())
                        lines.flush()
                    self._count(record)
                    advance(record.usage.get("cost"))

            await asyncio.gather(*(work() for _ in range(min(self.at_once, len(waiting)))))
        answered = [(job, done[job.digest]) for job in jobs if job.digest in done]
        records = [job.record(one.answer, one.failure) for job, one in answered]
        return RunOutcome(records, self._halt if len(records) < len(jobs) else None)

    async def _ask(self, job: Job) -> Record:
        answer = await self.remote.post(job.path, job.body, job.digest)
        if not isinstance(answer, ServiceRefusal):
            return job.record(answer, None)
        if self.every_answer or answer.holds_for_every_log:
            raise answer.error()
        return job.record(None, answer.failure)

    def _count(self, record: Record) -> None:
        if self.max_cost is None:
            return
        cost = record.usage.get("cost")
        if cost is None and record.usage.get("input_tokens"):
            self._halt = Halt.NO_PRICE
        self._cost += cost or 0.0
        if self._cost >= self.max_cost:
            self._halt = Halt.COST

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()

        def interrupt() -> None:
            if self._halt is Halt.INTERRUPTED and task:
                task.cancel()  # the second time it is meant
                return
            self._halt = Halt.INTERRUPTED
            self.console.print("Stopping after the requests in progress.")

        handled = []
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, interrupt)
                handled.append(number)
        try:
            yield
        finally:
            for number in handled:
                loop.remove_signal_handler(number)
