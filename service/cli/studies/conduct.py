"""Conduct a study: the estimate, the steps, the folder's files, what was paid; stopped and taken up again."""

import asyncio
import contextlib
import hashlib
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import typer
from pydantic import TypeAdapter
from rich.console import Console

from ...domain.completion import Usage
from ...errors import ConfigurationError
from ...importing.entries import plain_name
from ...llm.known_models import MILLION, Prices, load_prices
from ..connection import PREFIX, connected
from ..exits import STUDIES, CommandError, Exit, need_extra
from ..file_formats import json_text
from ..files import read_content
from ..inputs import Json
from ..judge_commands import console, print_lines
from ..names import check_request
from ..records import Record, judge_text
from ..remote import Service
from ..run import halted
from ..tables import figures_table
from ..tabulating.formats import WRITERS, differences_of, with_note
from .functions import functions_of
from .report import Findings, methods, page, references, sampling
from .sessions import parsed
from .steps import INPUTS, Folder, HaltedError, StudyRun
from .study import BUILTIN, MIXTURE, Component, StudyOptions, StudyPlan, members

TOKENS: dict[str, tuple[float, float]] = {
    "target": (450, 40),
    "persona": (600, 80),
    "paraphrase": (300, 60),
    "ability": (1250, 380),
    "factor": (1250, 380),
    "statement": (2200, 150),
    "strategy": (1800, 200),
    "review": (300, 60),
}
"""Input and output tokens of a call, by its kind. Input: our prompts on sessions of three rounds with the example recommender, four
characters a token. Output: CoRE's tables 20 and 21 for verdicts and statements."""
TOKEN_COUNTS = ("input_tokens", "output_tokens", "cached_input_tokens")
SECONDS = "1200"
"""For one request: a whole session with slow models and a slow recommender."""
CACHE_BYTES = str(1 << 40)
"""No answer of the run leaves the memory that its file is read into."""
EVALUATORS = (
    "alignment", "comparison", "debates", "factors", "faults", "judges", "prompts", "scoring", "simulators"
)  # fmt: skip
"""The packages whose texts and data decide what is asked, and how answers become scores."""


def estimate(components: Sequence[Component], console: Console) -> float | None:
    """Show what the run may cost, component by component; its sum, None where the price of a model is unknown."""
    prices = known_prices()
    costs: list[float | None] = []
    rows = []
    for one in components:
        for name, calls in _calls(one).items():
            read, written = (calls * tokens for tokens in TOKENS[one.kind])
            price = prices.of(name)
            costs.append(None if price is None else (read * price.input + written * price.output) / MILLION)
            cost = "" if costs[-1] is None else f"{costs[-1]:.4g}"
            rows.append(
                [f"{one.name}, {name}", *(f"{round(count):,}" for count in (calls, read, written)), cost]
            )
    if not rows:
        console.print("No language model is asked: this run costs nothing.")
        return 0.0
    columns = ("component, model", "calls", "input tokens", "output tokens", "cost")
    console.print(figures_table("Estimated before anything is asked", columns, rows))
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    amount = "unknown: CRS_EVAL_PRICES names no price of a model" if total is None else f"about {total:.4g}"
    console.print(f"Cost: {amount}. What the recommenders themselves cost is not in it.", highlight=False)
    return total


def _calls(component: Component) -> dict[str, float]:
    """Return the calls of each language model: all of them for each member of a panel, equal parts for those of a mixture."""
    asked = members([component.judge]) if component.judge else []
    share = len(asked) if component.judge and component.judge.startswith(MIXTURE) else 1
    return {name: component.calls / share for name in asked if name != BUILTIN and component.calls}


def check_budget(cost: float | None, budget: float | None, *, yes: bool) -> None:
    """Ask before a run whose estimate is above the budget. Raises CommandError where nobody can be asked, or says no."""
    if budget is None or yes or (cost is not None and cost <= budget):
        return
    above = "is unknown" if cost is None else f"of {cost:.4g} is above the budget of {budget:.4g}"
    if not sys.stdin.isatty():
        raise CommandError(
            f"The estimated cost {above}. Pass --yes to start anyway; the run stops at the budget."
        )
    if not typer.confirm(f"The estimated cost {above}. Start, and stop at the budget?", err=True):
        raise CommandError("Nothing was asked.", Exit.INCONCLUSIVE)


def paid(answers: Path, records: Sequence[Record], judges: Sequence[str]) -> dict[str, Any]:
    """Calls, tokens and cost by model. From the kept answers where a private service kept them; else what the
    records say, which leaves out what a stop lost. `judges` are those that the run names: their prices hold."""
    if answers.is_file() and (found := _of_answers(answers, judges)):
        return {"counted": "answers of models that are kept in this folder", "models": found}
    usages = [record.usage for record in records]
    tokens = {name: sum(usage.get(name) or 0 for usage in usages) for name in TOKEN_COUNTS[:2]}
    costs = [usage["cost"] for usage in usages if usage.get("cost") is not None]
    return {"counted": "answers of the service", **tokens, "cost": sum(costs) if costs else None}


def _of_answers(answers: Path, judges: Sequence[str]) -> dict[str, Any]:
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for line in answers.read_bytes().splitlines():
        key, text = json.loads(line)
        if key.startswith("reply:"):
            continue
        try:
            answer = json.loads(text)
        except ValueError:  # signed: CRS_EVAL_CACHE_KEY
            return {}
        tokens = {name: answer["usage"][name] for name in TOKEN_COUNTS}
        totals[answer["model"]].update({"calls": 1, **tokens})
    usages = {model: Usage(*(found[name] for name in TOKEN_COUNTS)) for model, found in totals.items()}
    return {model: {**totals[model], "cost": _cost(model, usage, judges)} for model, usage in usages.items()}


def _cost(model: str, usage: Usage, judges: Sequence[str]) -> float | None:
    """The cost by the price of the only judge, or of the one with this model: providers report names of their own."""
    named = [judge for judge in judges if judge.partition(":")[2] == model] or list(judges)
    price = known_prices().of(named[0]) if len(set(named)) == 1 else None
    return None if price is None else price.of(usage)


def known_prices() -> Prices:
    """The prices that CRS_EVAL_PRICES names. Raises CommandError where they cannot be read."""
    path = os.environ.get("CRS_EVAL_PRICES")
    try:
        return load_prices(Path(path)) if path else Prices({})
    except ConfigurationError as error:
        raise CommandError(str(error)) from None


def carry_out(plan: StudyPlan, run: StudyOptions, *, offline: bool = False) -> Exit:
    """Run a study until it ends or stops, and return its exit code. `offline` remakes it from the answers in its folder
    alone. Raises CommandError for input that cannot be used."""
    need_extra(*STUDIES)
    _check(plan)
    shown = console()
    folder = Folder(run.out)
    configuration = _configuration(plan, run)
    if folder.begin(configuration, fresh=run.fresh) and not offline:
        shown.print(f"Going on with the run in {run.out}.", highlight=False)
    # The inputs of the run as read: a bundle remakes its tables from it.
    folder.write(f"{INPUTS}/plan.json", TypeAdapter(type(plan)).dump_json(plan, indent=1).decode())
    if run.catalog_file and not (kept := folder.root / INPUTS / plain_name(run.catalog_file).name).exists():
        kept.write_bytes(read_content(run.catalog_file))
    if not offline:
        check_budget(estimate(plan.components(), shown), run.budget, yes=run.yes)
    try:
        study = asyncio.run(_run(plan, run, folder, offline=offline))
    except HaltedError as stop:
        return halted(stop.halt, shown, limit="--budget")
    except asyncio.CancelledError:  # the second interrupt
        raise CommandError(
            "Stopped at once. Run the same command again to continue.", Exit.INTERRUPTED
        ) from None
    records, findings = study.records, study.findings
    sheets = []
    for sheet in findings.sheets:  # each table, and the differences of its systems behind it
        sheets.append(sheet)
        if sheet.summary is not None and sheet.summary.differences:
            sheets.append(differences_of(sheet.name, sheet.summary))
    findings.sheets = [with_note(sheet, study.failure_note) for sheet in sheets]
    findings.methods += sampling(records)
    if run.catalog_file:
        findings.methods.append(f"The catalogue is {configuration['catalog']}.")
    _write(plan, folder, findings, configuration)
    costs = paid(folder.answers, records, [name for name in plan.asked if name != BUILTIN])
    folder.write("costs.json", json_text(costs, sort_keys=True))
    answering = sorted(costs.get("models", {}))
    folder.finish({"models": answering, "evaluators": _revisions(records), "sent": study.sent})
    if not offline:
        _summarise(run, study, shown)
    return Exit.FAILED if study.failures else Exit.PASS


def _check(plan: StudyPlan) -> None:
    plan.check()
    for one in plan.given:
        parsed(one)


def _configuration(plan: StudyPlan, run: StudyOptions) -> Json:
    """Return what a run is a run of: all that its answers depend on. Keys are in none of it."""
    catalog: str | None = run.catalog
    if run.catalog_file:
        digest = hashlib.sha256(read_content(run.catalog_file)).hexdigest()
        catalog = f"{plain_name(run.catalog_file).name}, SHA-256 {digest}"
    return {
        "study": plan.name,
        "crs": [_without_secret(one) for one in run.crs or ()],
        "catalog": catalog,
        "url": run.url,
        "evaluators": None if run.url else _evaluators(),
        **plan.configuration,
    }


def _evaluators() -> str:
    """16 hex digits over what decides verdicts and messages besides the models."""
    root = Path(str(files(__package__.partition(".")[0])))
    found = hashlib.sha256()
    for file in sorted(one for name in EVALUATORS for one in (root / name).rglob("*") if one.is_file()):
        if file.suffix in (".toml", ".txt", ".py"):
            found.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def _revisions(records: Sequence[Record]) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for record in records:
        for verdict in record.verdicts:
            if verdict["status"] == "scored":
                found[judge_text(verdict["judge"])][verdict["factor"]].add(verdict["evaluator_revision"])
    return {
        judge: {factor: sorted(known) for factor, known in factors.items()}
        for judge, factors in found.items()
    }


async def _run(plan: StudyPlan, run: StudyOptions, folder: Folder, *, offline: bool) -> StudyRun:
    async with _service(run, folder, offline=offline) as remote:
        if not offline:
            named = {remote.catalog: None} if remote.catalog else {}
            for judge in plan.asked:
                await check_request(remote, {"judge": judge}, named)
            for crs in run.systems:
                await check_request(remote, {"crs": crs}, {})
        study = StudyRun(run, remote, folder, console(), remote.catalog, offline)
        await plan.run(study)
        return study


def _service(
    run: StudyOptions, folder: Folder, *, offline: bool
) -> contextlib.AbstractAsyncContextManager[Service]:
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
    url = None if offline else run.url
    addressed = [one for one in run.crs or () if "=" in one and not offline]
    if url is not None and addressed:
        raise CommandError(
            f"--crs {addressed[0]}: with --url, pass only the name of a recommender from the service's settings."
        )
    functions = functions_of(addressed)
    crs = ",".join(one for one in addressed if one.partition("=")[0] not in functions) or None
    return connected(url, run.api_key, catalog=run.catalog, crs=crs, functions=functions, settings=settings)


def _write(plan: StudyPlan, folder: Folder, findings: Findings, configuration: Mapping[str, Any]) -> None:
    for sheet in findings.sheets:
        for suffix, write in WRITERS.items():
            folder.write(f"tables/{sheet.name}{suffix}", write(sheet))
    for name, svg in findings.figures.items():
        folder.write(f"figures/{name}.svg", svg)
    folder.write("methods.md", methods(plan.papers, findings))
    folder.write("references.bib", references(plan.papers))
    folder.write("report.html", page(plan.name, plan.papers, findings, configuration))


def _summarise(run: StudyOptions, study: StudyRun, shown: Console) -> None:
    findings = study.findings
    print_lines(*(f"Left out: {part} ({why})." for part, why in findings.left_out), style="dim", to=shown)
    if study.failures:
        failed = (
            f"{study.failures} requests, sessions or verdicts failed. The same command asks for them again."
        )
        print_lines(f"{failed} {study.failure_note}{study.reason}", style="red", to=shown)
    print_lines(
        f"{len(findings.sheets)} tables, {len(findings.figures)} figures: {run.out}/report.html", to=shown
    )


def _without_secret(crs: str) -> str:
    name, equals, url = crs.partition("=")
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{name}{equals}{urlunsplit((parts.scheme, host, parts.path, '', ''))}"
