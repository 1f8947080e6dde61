"""Conduct a study: the estimate, the steps, the folder's files; stopped and taken up again."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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
from .estimate import BUILTIN, check_budget, estimate
from .folder import Folder
from .papers import pictures
from .report import left_out_lines, methods, page, references
from .sampling import sampling
from .sheets import WRITERS
from .steps import Asking, HaltedError
from .study import Component, Findings, Study

SECONDS = "1200"
"""For one request: a whole session with slow models and a slow recommender."""
CACHE_BYTES = str(1 << 40)
"""No answer of the run leaves the memory that its file is read into."""


@dataclass(frozen=True)
class Setup:
    """Options of every study. `crs` are `NAME=URL`, or names that the service knows."""

    out: Path
    crs: Sequence[str] = ()
    judges: Sequence[str] = (BUILTIN,)
    user_model: str | None = None
    catalog: str | None = None
    budget: float | None = None
    yes: bool = False
    fresh: bool = False
    at_once: int = 8
    url: str | None = None
    key: str | None = None
    files: Mapping[str, Any] = field(default_factory=dict)
    """The entries of `configuration` for this study alone."""

    @property
    def recommenders(self) -> list[str]:
        """Return the names of the recommenders. Raises CommandError for two of one name."""
        names = [one.partition("=")[0].strip() for one in self.crs]
        for name in names:
            if not name or names.count(name) > 1:
                raise CommandError(
                    f"--crs {name}: recommenders need names of their own, as in mine=http://..."
                )
        return names

    @property
    def catalog_file(self) -> Path | None:
        """Return the catalogue's file; None for one that a service knows by name."""
        file = Path(self.catalog) if self.catalog else None
        return file if file and file.is_file() else None

    @property
    def configuration(self) -> dict[str, Any]:
        """Return what the run is of, as the folder keeps it: no keys, no passwords in addresses."""
        return {
            "crs": [_without_secret(one) for one in self.crs],
            "judges": list(self.judges),
            "user_model": self.user_model,
            "catalog": self.catalog,
            "url": self.url,
            **self.files,
        }


Work = Callable[[Asking], Awaitable[Findings]]


def conduct(study: Study, setup: Setup, components: Sequence[Component], work: Work) -> None:
    """Run a study to its end, or until it is stopped. Ends the command with its exit code."""
    shown = console()
    folder = Folder(setup.out)
    configuration = {"study": study.name, **setup.configuration}
    if folder.begin(configuration, fresh=setup.fresh):
        shown.print(f"Going on with the run in {setup.out}.", highlight=False)
    check_budget(estimate(components, shown), setup.budget, yes=setup.yes)
    try:
        with _connection(setup, folder) as connection:
            findings, asking = asyncio.run(_asked(setup, folder, shown, connection, work))
    except HaltedError as halted:
        raise typer.Exit(_told_halt(halted.halt, shown)) from None
    except asyncio.CancelledError:  # the second interrupt
        raise CommandError("Stopped at once. The same command goes on.", Exit.INTERRUPTED) from None
    records = [record for step in asking.steps.values() for record in step]
    findings.sheets += filter(None, map(pictures, study.papers))
    findings.methods += sampling(records)
    _write(study, folder, findings, configuration)
    models = [name for name in (*setup.judges, setup.user_model) if name and name != BUILTIN]
    costs = paid(folder.answers, records, models)
    folder.write("costs.json", _json(costs))
    _tell(setup, findings, shown)
    raise typer.Exit(Exit.FAILED if findings.failures else Exit.PASS)


async def _asked(
    setup: Setup, folder: Folder, shown: Console, connection: Any, work: Work
) -> tuple[Findings, Asking]:
    async with Remote(connection.url, connection.key) as remote:
        named = {connection.catalog: None} if connection.catalog else {}
        for judge in dict.fromkeys([*setup.judges, *filter(None, [setup.user_model])]):
            await check_request(remote, {"judge": judge}, named)
        for crs in setup.recommenders:
            await check_request(remote, {"crs": crs}, {})
        asking = Asking(
            remote, folder, shown, setup.at_once, setup.budget, connection.catalog, setup.catalog_file
        )
        return await work(asking), asking


def _connection(setup: Setup, folder: Folder) -> Any:
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
    addressed = [one for one in setup.crs if "=" in one]
    if setup.url is not None and addressed:
        raise CommandError(
            f"--crs {addressed[0]}: the service at --url knows its own recommenders, by name alone."
        )
    return connected(
        setup.url,
        setup.key,
        judges=[*setup.judges, *filter(None, [setup.user_model])],
        catalog=setup.catalog,
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


def _tell(setup: Setup, findings: Findings, shown: Console) -> None:
    for line in left_out_lines(findings):
        shown.print(line, style="dim", markup=False, highlight=False)
    if findings.failures:
        told = f"{findings.failures} requests or verdicts failed; they are in no figure. The same command asks for them again."
        shown.print(told, style="red", highlight=False)
    shown.print(
        f"{len(findings.sheets)} tables, {len(findings.figures)} figures: {setup.out}/report.html",
        highlight=False,
    )


def _told_halt(halt: Halt, shown: Console) -> Exit:
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


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
