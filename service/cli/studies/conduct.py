"""Conduct a study: the estimate, the steps, the folder's files; stopped and taken up again."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import typer
from rich.console import Console

from ..connection import PREFIX, connected
from ..exits import CommandError, Exit
from ..judge_commands import console
from ..names import check_request
from ..remote import Remote
from ..run import NO_PRICE, Halt
from .costs import paid
from .estimate import check_budget, estimate
from .folder import Folder, json_text
from .options import BUILTIN, StudyOptions
from .papers import pictures
from .report import left_out_lines, methods, page, references
from .sampling import sampling
from .sheets import WRITERS
from .steps import HaltedError, StudyRun
from .study import Findings, Study, StudyPlan

SECONDS = "1200"
"""For one request: a whole session with slow models and a slow recommender."""
CACHE_BYTES = str(1 << 40)
"""No answer of the run leaves the memory that its file is read into."""


def conduct(plan: StudyPlan, run: StudyOptions) -> None:
    """Run a study to its end, or until it is stopped. Ends the command with its exit code."""
    plan.check()
    shown = console()
    folder = Folder(run.out)
    models = [*plan.asked_judges, *filter(None, [plan.user_model])]
    configuration = {
        "study": plan.study.name,
        "crs": [_without_secret(one) for one in run.crs],
        "judges": list(plan.asked_judges),
        "user_model": plan.user_model,
        "catalog": run.catalog,
        "url": run.url,
        **plan.configuration,
    }
    if folder.begin(configuration, fresh=run.fresh):
        shown.print(f"Going on with the run in {run.out}.", highlight=False)
    check_budget(estimate(plan.components(), shown), run.budget, yes=run.yes)
    try:
        with _connection(run, models, folder) as connection:
            findings, asking = asyncio.run(_run(plan, run, models, folder, connection))
    except HaltedError as halted:
        raise typer.Exit(_halted(halted.halt, shown)) from None
    except asyncio.CancelledError:  # the second interrupt
        raise CommandError("Stopped at once. The same command goes on.", Exit.INTERRUPTED) from None
    records = [record for step in asking.steps.values() for record in step]
    findings.sheets += filter(None, map(pictures, plan.study.papers))
    findings.methods += sampling(records)
    _write(plan.study, folder, findings, configuration)
    costs = paid(folder.answers, records, [name for name in models if name != BUILTIN])
    folder.write("costs.json", json_text(costs))
    _summarise(run, findings, shown)
    raise typer.Exit(Exit.FAILED if findings.failures else Exit.PASS)


async def _run(
    plan: StudyPlan, run: StudyOptions, models: Sequence[str], folder: Folder, connection: Any
) -> tuple[Findings, StudyRun]:
    async with Remote(connection.url, connection.key) as remote:
        named = {connection.catalog: None} if connection.catalog else {}
        for judge in dict.fromkeys(models):
            await check_request(remote, {"judge": judge}, named)
        for crs in run.systems:
            await check_request(remote, {"crs": crs}, {})
        asking = StudyRun(
            remote, folder, console(), run.at_once, run.budget, connection.catalog, run.catalog_file
        )
        return await plan.run(asking), asking


def _connection(run: StudyOptions, models: Sequence[str], folder: Folder) -> Any:
    settings = {
        f"{PREFIX}REQUEST_TIMEOUT": os.environ.get(f"{PREFIX}REQUEST_TIMEOUT", SECONDS),
        # One process has the kept answers, and asks for what is missing.
        f"{PREFIX}WORKERS": "0",
    }
    if f"{PREFIX}REDIS_URL" not in os.environ:
        settings |= {
            f"{PREFIX}CACHE_FILE": str(folder.answers.resolve()),
            f"{PREFIX}CACHE_BYTES": CACHE_BYTES,
        }
    addressed = [one for one in run.crs if "=" in one]
    if run.url is not None and addressed:
        raise CommandError(
            f"--crs {addressed[0]}: the service at --url knows its own recommenders, by name alone."
        )
    return connected(
        run.url,
        run.key,
        judges=models,
        catalog=run.catalog,
        crs=",".join(addressed) or None,
        settings=settings,
    )


def _write(study: Study, folder: Folder, findings: Findings, configuration: Mapping[str, Any]) -> None:
    for sheet in findings.sheets:
        for suffix, write in WRITERS.items():
            folder.write(f"tables/{sheet.name}{suffix}", write(sheet))
    for name, svg in findings.figures.items():
        folder.write(f"figures/{name}.svg", svg)
    folder.write("methods.md", methods(study, findings))
    folder.write("references.bib", references(study))
    folder.write("report.html", page(study, findings, configuration))


def _summarise(run: StudyOptions, findings: Findings, shown: Console) -> None:
    for line in left_out_lines(findings):
        shown.print(line, style="dim", markup=False, highlight=False)
    if findings.failures:
        shown.print(
            f"{findings.failures} requests or verdicts failed; they are in no figure. The same command asks for them again.",
            style="red",
            highlight=False,
        )
    shown.print(
        f"{len(findings.sheets)} tables, {len(findings.figures)} figures: {run.out}/report.html",
        highlight=False,
    )


def _halted(halt: Halt, shown: Console) -> Exit:
    if halt is Halt.NO_PRICE:
        raise CommandError(f"Stopped: {NO_PRICE.replace('--max-cost', '--budget')}.")
    shown.print(
        f"Stopped before the end: {halt.value}. The same command goes on where it stopped.", style="yellow"
    )
    return Exit.INTERRUPTED if halt is Halt.INTERRUPTED else Exit.INCONCLUSIVE


def _without_secret(crs: str) -> str:
    name, equals, url = crs.partition("=")
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{name}{equals}{urlunsplit((parts.scheme, host, parts.path, '', ''))}"
