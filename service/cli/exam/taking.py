"""Have judges take an exam over HTTP, one pair at a time, and put their outcomes together."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import typer
from pydantic import TypeAdapter

from ...domain.completion import Usage
from ...domain.plurals import counted
from ...exams.report import ExamReport, report
from ...exams.run import Sitting
from ...faults import load_faults
from ..connection import connected
from ..exits import CommandError
from ..inputs import Json, present
from ..judge_commands import console
from ..names import check_request
from ..options import LoadOptions
from ..remote import Service, ServiceRefusal
from ..run import Job, Runner, halted
from ..studies.conduct import known_prices
from .results import ExamResults, TakenExam

PATH = "/exam"


@dataclass(frozen=True)
class Examiner:
    """Takes judges through an exam. `own` holds pairs of the caller's, each with the place that it was read from, and `body`
    what all requests share: grouping, sample, seed, faults."""

    remote: Service
    own: Sequence[tuple[str, Json]]
    body: Json
    load: LoadOptions

    async def estimate(self, judge: str | None) -> Json:
        """Return the service's estimate for a judge; it checks every pair. Raises CommandError for wrong pairs or judges."""
        await check_request(self.remote, {"judge": judge}, {})
        pairs = [pair for _, pair in self.own] or None
        body = {**self.body, "pairs": pairs, "judge": judge, "estimate": True}
        answer = await self.remote.post(PATH, present(body))
        if isinstance(answer, ServiceRefusal):
            raise answer.error([place for place, _ in self.own])
        estimate: Json = answer["estimate"]
        return estimate

    async def take(self, judge: str | None, ids: Sequence[str], label: str) -> Sitting:
        """Return all outcomes of a judge. Raises CommandError if the judge fails, and typer.Exit at an interrupt or the cost limit."""
        own = {pair["id"]: {"pairs": [pair]} for _, pair in self.own}
        shared = {
            name: value for name, value in self.body.items() if name not in {"sample", "seed", "faults"}
        }
        bodies = {id_: {**shared, **own.get(id_, {"ids": [id_]}), "judge": judge} for id_ in ids}
        jobs = [Job(id_, None, PATH, present(body)) for id_, body in bodies.items()]
        begun, load = time.monotonic(), self.load
        runner = Runner(self.remote, None, load.at_once, console(), label, load.max_cost, every_answer=True)
        outcome = await runner.run(jobs)
        if outcome.halt is not None:
            raise typer.Exit(
                halted(outcome.halt, console(), "The cache keeps the answers that you paid for.")
            )
        reports = [
            TypeAdapter(ExamReport).validate_python((r.answer or {})["report"]) for r in outcome.records
        ]
        return replace(reduce(add, (one.sitting for one in reports)), seconds=time.monotonic() - begun)


def reported(sitting: Sitting) -> ExamReport:
    """Return the report of a sitting. Raises CommandError for faults that only a newer service knows."""
    faults = load_faults()
    if unknown := sorted({one.fault for one in sitting.pairs} - set(faults)):
        raise CommandError(
            f"The service has a fault that this version of crs-eval does not know: {unknown[0]}. Upgrade crs-eval."
        )
    return report(sitting, faults, faults.revision)


def examined(
    judges: Sequence[str | None],
    body: dict[str, Any],
    own: Sequence[tuple[str, Json]],
    load: LoadOptions,
    *,
    only_estimate: bool,
) -> ExamResults | None:
    """Have judges take the exam, or only estimate it. Raises CommandError for wrong pairs or judges."""

    async def run() -> ExamResults | None:
        async with connected(load.url, load.api_key, workers=load.workers) as remote:
            examiner = Examiner(remote, own, body, load)
            estimates = [await examiner.estimate(judge) for judge in judges]
            if only_estimate:
                for judge, found in zip(judges, estimates, strict=True):
                    typer.echo(_estimate_line(judge, found))
                return None
            exams = []
            for number, (judge, found) in enumerate(zip(judges, estimates, strict=True), 1):
                label = f"judge {number} of {len(judges)}" if len(judges) > 1 else "exam"
                sitting = await examiner.take(judge, found["ids"], label)
                name = judge or " + ".join(sorted({one.judge for one in sitting.factors}))
                exams.append(TakenExam(name, found, reported(sitting)))
            return ExamResults(exams)

    return asyncio.run(run())


def _estimate_line(judge: str | None, found: dict[str, Any]) -> str:
    """Return an estimate as a line, with its cost if CRS_EVAL_PRICES has the judge's price."""
    name = judge or "the default judge"
    size = f"{name}: {counted(found['pairs'], 'pair')}, {counted(found['conversations'], 'conversation')}"
    if not found["calls"]:
        return f"{size}, no calls of a language model."
    tokens = found["input_tokens"], found["output_tokens"]
    price = known_prices().of(judge) if judge else None
    cost = "" if price is None else f", cost about {price.of(Usage(*tokens)):.4g}"
    return f"{size}, at most {found['calls']:,} calls, {tokens[0]:,} input and {tokens[1]:,} output tokens{cost}."
