"""Conversations through one route of a service, one request each: shared by score, evaluate, debate and simulate."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from ..domain.plurals import counted
from ..domain.verdict import UNSUPPORTED_LANGUAGE
from ..text.unanswered import answered_share, is_answer
from ..usecases.wire.log import Log
from .configuration import load_configuration
from .connection import connected
from .exits import CommandError, Exit
from .file_formats import by_suffix
from .files import check_outputs
from .inputs import Json, Source, format_faults, grouped, present, read_logs
from .judge_commands import console as standard_error
from .judge_commands import print_lines, split
from .judges import scoring_fields
from .names import check_request
from .options import JudgeOptions, RunOptions
from .outputs import WRITERS, write_results
from .records import CACHE_MISS, Record
from .remote import UNPROCESSABLE
from .run import AGAIN, Job, Journal, Runner, RunOutcome, halted
from .scores import Run
from .tables import print_overview

if TYPE_CHECKING:
    from .provider_batch import ProviderBatch  # loads the service

OTHER_FIELDS = "no such field"
"""Part of the service's answer about a log with fields that it does not know."""
IMPORT_LABELS = (
    "If your logs have labels or other fields, convert them with: crs-eval import FILE -o logs.jsonl. It writes the labels "
    "to a separate file."
)
NOTHING_TO_DEBATE = "/problems/nothing-to-debate"
"""A sound log about which roles have nothing to say: too little is known, and nobody did wrong."""


@dataclass(frozen=True)
class Request:
    """A request about every log: questions, judges, and the place of the answers."""

    path: str
    logs: Sequence[str]
    running: RunOptions
    body: Mapping[str, Any] = field(default_factory=dict)
    """Fields beside `log`; None is not sent."""
    catalog: str | None = None
    crs: str | None = None
    outs: Sequence[Path] = ()
    """Files of the results. The journal of a run that stops lies beside the first."""
    prepare: Callable[[Source], Mapping[str, Any]] | None = None
    """Fields of one log's body that depend on the log."""
    batch: "ProviderBatch | None" = None
    """Batches of providers that models are asked through; None asks them at once."""


def run_request(request: Request, console: Console) -> RunOutcome:
    """Send a request for every log and write the results. Raises CommandError if nothing could be sent."""
    for path in request.outs:
        by_suffix(path, WRITERS)
    check_outputs(request.outs, request.logs)
    notes: list[str] = []
    running = request.running
    sources, faults = read_logs(
        request.logs, skip_unreadable=running.skip_unreadable, repeats=True, notes=notes, reading=running
    )
    print_lines(*notes, *([f"Left out:\n{format_faults(faults)}"] if faults else []), to=console)
    journal = Journal(request.outs[0]) if request.outs else None
    if journal:
        journal.out.parent.mkdir(parents=True, exist_ok=True)
        journal.load(fresh=running.fresh)

    def ask() -> RunOutcome:
        try:
            return asyncio.run(_asked(request, sources, journal, console))
        except asyncio.CancelledError:  # the second interrupt
            raise CommandError("Stopped at once.", Exit.INTERRUPTED) from None

    outcome = request.batch.run(ask, console) if request.batch else ask()
    if outcome.halt is None:
        for path in request.outs:
            write_results(path, outcome.records)
        if journal:
            journal.remove()
    return outcome


async def _asked(
    request: Request, sources: Sequence[Source], journal: Journal | None, console: Console
) -> RunOutcome:
    """Connect to a service and ask about every log. Raises CommandError where nothing could be asked."""
    running = request.running
    async with connected(
        running.url, running.api_key,
        catalog=request.catalog, crs=request.crs, workers=running.workers,
        settings=request.batch.settings if request.batch else None,
    ) as remote:  # fmt: skip
        jobs = [_job(request, source, remote.catalog) for source in sources]
        places = {one.catalog: one.place for one in reversed(sources) if one.catalog is not None}
        await check_request(remote, jobs[0].body, {remote.catalog: None} if remote.catalog else places)
        label = request.path.strip("/")
        runner = Runner(remote, journal, running.at_once, console, label, running.max_cost)
        return await runner.run(jobs)


def _job(request: Request, source: Source, catalog: str | None) -> Job:
    body: dict[str, Any] = {"log": source.log, **request.body, "catalog": catalog or source.catalog}
    if request.prepare:
        body |= request.prepare(source)
    about = source.position, source.digest, *replies_in(source.log), source.user
    return Job(source.conversation, source.system, request.path, present(body), *about)


def replies_in(log: Json) -> tuple[int | None, float | None]:
    """Return the number of a log's replies, and the share of requests that got one; None for a log that the service refuses."""
    try:
        read = Log.model_validate(log).value()
    except ValidationError:
        return None, None
    return sum(map(is_answer, read.messages)), answered_share(read)


def finish(outcome: RunOutcome, request: Request, console: Console, *, piped: bool = True) -> Exit:
    """Tell what came out, print the results where no file was named and `piped` wants them, and say how the command ends."""
    if piped and not request.outs and not sys.stdout.isatty():
        for record in outcome.records:
            sys.stdout.write(record.line())
    for path in request.outs:
        if outcome.halt is None:
            console.print(f"Results are in {path}.")
    _tell_failures(outcome.records, console)
    _tell_language(outcome.records, console)
    if outcome.halt is not None:
        return halted(outcome.halt, console, AGAIN if request.outs else "With --out, you could continue it.")
    return exit_of(outcome.records)


def exit_of(records: Sequence[Record]) -> Exit:
    """Return how a complete run ends: refused logs are wrong usage, other failures are not; an unread language is inconclusive."""
    refused = [record.failure or {} for record in records if record.answer is None]
    statuses = [failure.get("status") for failure in refused if failure.get("type") != NOTHING_TO_DEBATE]
    if any(status in UNPROCESSABLE for status in statuses):
        return Exit.USAGE
    codes = [verdict["reason"]["code"] for record in records for verdict in record.failed]
    if statuses or any(code != CACHE_MISS for code in codes):
        return Exit.FAILED
    verdicts = [verdict for record in records for verdict in record.verdicts]
    unread = bool(verdicts) and all(
        (one["reason"] or {}).get("code") == UNSUPPORTED_LANGUAGE for one in verdicts
    )
    return Exit.INCONCLUSIVE if codes or refused or unread else Exit.PASS


def _tell_language(records: Sequence[Record], console: Console) -> None:
    unread = sum(any(warning["code"] == "language" for warning in record.warnings) for record in records)
    if unread:
        remark = (
            f"{counted(unread, 'log', of=len(records))} {'is' if unread == 1 else 'are'} not in English, the only language that "
            "the embedded judge (builtin) reads. Name a language model: --judge openai:gpt-4o-mini"
        )
        console.print(remark, style="yellow", soft_wrap=True)


def _tell_failures(records: Sequence[Record], console: Console) -> None:
    missing = grouped((_cause(one.failure or {}), one.conversation) for one in records if one.answer is None)
    for detail, names in islice(missing.items(), 10):
        more = f" and {counted(len(names) - 1, 'more', 'more')}" if len(names) > 1 else ""
        console.print(f"{names[0]}{more}: {detail}", style="red", markup=False)
    if len(missing) > 10:
        left = sum(map(len, missing.values())) - sum(map(len, islice(missing.values(), 10)))
        console.print(f"... and {left} more without an answer", style="red")
    if any(OTHER_FIELDS in detail for detail in missing):
        console.print(IMPORT_LABELS, style="yellow")
    failed = sum(len(record.failed) for record in records)
    if failed:
        remark = (
            f"Failed: {counted(failed, 'verdict')}, left out of all means. Run the same command to try again."
        )
        console.print(remark, style="red")
    keys = {record.comparison_key for record in records if record.comparison_key}
    if len(keys) > 1 and not failed:
        remark = f"These answers have {len(keys)} comparison keys, so not all of them can be compared. Use --fresh to judge all of them again."
        console.print(remark, style="yellow")


def _cause(failure: Json) -> str:
    return f"{failure.get('detail')}{f' ({status})' if (status := failure.get('status')) else ''}"


def scoring_request(
    path: str,
    logs: Sequence[str],
    judging: JudgeOptions,
    running: RunOptions,
    *,
    out: Sequence[Path] | None,
    config: Path | None,
    **extra: Any,
) -> Request:
    """The request that a command's options make, over what `crs-eval.toml` says. `extra` are further fields of it."""
    said = load_configuration(config).score.model_dump(exclude_none=True)
    catalog = said.pop("catalog", None)
    body = {
        **scoring_fields(vars(judging), said),
        "factors": split(judging.factors) or list(said.get("factors", ())) or None,
        **extra,
    }
    return Request(path, logs, running, body, judging.catalog or catalog, outs=out or ())


def by_batch(request: Request) -> Request:
    """The same request through providers' batches. Raises CommandError for options that contradict them."""
    from .provider_batch import ProviderBatch

    if not request.outs:
        raise CommandError(
            "--provider-batch requires --out: the state of its batches is stored next to that file."
        )
    contradicting = {
        "--url": request.running.url,
        "--max-cost": request.running.max_cost,
        "--cache": request.body.get("cache") not in (None, "use"),
    }
    for option, given in contradicting.items():
        if given:
            raise CommandError(f"--provider-batch cannot be combined with {option}.")
    batch = ProviderBatch(request.outs[0])
    if batch.book.exists():
        Journal(batch.out).remove()  # an earlier run judged without some answers
    return replace(request, batch=batch)


def judge(request: Request) -> None:
    """Ask about every log, and show the means. Ends the command."""
    shown = standard_error()
    outcome = run_request(request, shown)
    print_overview(shown, Run("this run", outcome.records))
    raise typer.Exit(finish(outcome, request, shown))
