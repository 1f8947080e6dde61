"""How long a debate and a whole evaluation take beside their ideals: the provider answers every call
after one second, so four rounds of four roles take four seconds at best, and five with the twelve
factors scored first.

    python -m benchmarks.debate_latency [--seconds 1] [--repeats 5]

Goes through the real judges, debaters and stack (single flight, retries, limit, the openai SDK) to a
server on loopback, and writes `benchmarks/results/debate_latency.md`. The rubric comes first in the
prompts: with the log first, one call is made ahead of the others to warm the provider's cache.
"""

import argparse
import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from statistics import median

from service.debate.roles import default_roles, load_roles
from service.debate.rounds import Terms, settle
from service.debate.statement import Debate, Matter, Seat
from service.domain.completion import CacheMode, Call
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Scored
from service.factors import load_factors
from service.judges.inquiry import Case, Inquiry, Layout
from service.llm.stack import Upstream
from service.pipeline.debate import Plan
from service.pipeline.evaluate import Evaluation, evaluate
from service.registry import Registry
from service.store.memory import MemoryStore
from tests.provider.behaviours import Answer, Latency, Payload
from tests.provider.server import ProviderServer

from .debate_tokens import HERE, RATIONALE, read_log

TABLE = HERE / "results" / "debate_latency.md"
MODEL = JudgeName("local", "gpt-4o-mini")
CALL = Call(cache=CacheMode.OFF)
FACTORS = load_factors()
CORE = FACTORS.of(Protocol.CORE)
CASE = Case(read_log(HERE / "debate" / "long.json"))


def answer(payload: Payload) -> str:
    """A verdict, or a statement whose score differs by role, so that no round agrees."""
    system = str(payload["messages"][0]["content"])
    if "panel" not in system:
        return json.dumps({"rationale": RATIONALE, "evidence": [], "arises": True, "score": 2})
    return json.dumps(
        {"statement": "I see it my way, and here is why. " * 12, "score": sum(system.encode()) % 100}
    )


async def debate(seats: tuple[Seat, ...]) -> Debate:
    """Four rounds over verdicts that are at hand."""
    verdicts = [
        Scored(
            factor=f.slug, judge=MODEL, evaluator_revision="0" * 12, score=2.0, level=2, rationale=RATIONALE
        )
        for f in CORE
    ]
    return await settle(Matter.of(CASE, verdicts, FACTORS), seats, Terms(), CALL)


async def whole(seats: tuple[Seat, ...], judges: Registry) -> Debate:
    """Twelve verdicts, four rounds, the metrics."""
    inquiry = Inquiry(CASE, CORE, layout=Layout.FACTOR_FIRST)
    plan = Plan(inquiry, {f.slug: MODEL for f in CORE}, judges.judge, FACTORS, seats, Terms())
    async for step in evaluate(plan, CALL, with_debate=True):
        if isinstance(step, Evaluation) and step.debate:
            return step.debate
    raise AssertionError("the provider answers well, so the debate has an end")


async def timed(run: Callable[[], Awaitable[Debate]], provider: ProviderServer, repeats: int) -> list[float]:
    """Seconds of each run after one, without latency, that opens the connections."""
    latency, provider.latency = provider.latency, Latency(0)
    assert len((await run()).rounds) == 4
    provider.latency = latency
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        await run()
        seconds.append(time.perf_counter() - started)
    return seconds


async def measure(provider: ProviderServer, repeats: int) -> dict[str, tuple[int, int, list[float]]]:
    """For each kind its calls, how many follow one another, and the seconds of each run."""
    upstreams = {"local": Upstream(provider.openai_url)}
    judges = Registry(upstreams, MemoryStore(10_000_000), max_concurrency=100, rationale_tokens=150)
    debater = judges.debater(MODEL)
    seats = tuple(Seat(role, debater) for role in default_roles(load_roles(FACTORS)))
    try:
        return {
            "debate": (16, 4, await timed(lambda: debate(seats), provider, repeats)),
            "evaluate": (28, 5, await timed(lambda: whole(seats, judges), provider, repeats)),
        }
    finally:
        await judges.aclose()


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=5)
    given, load = parser.parse_args(), os.getloadavg()[0]
    with ProviderServer(Answer(answer), Latency(given.seconds)) as provider:
        found = asyncio.run(measure(provider, given.repeats))
    lines = [
        "# Time of a 4 x 4 debate, and of a whole evaluation",
        "",
        f"`python -m benchmarks.debate_latency --seconds {given.seconds:g} --repeats {given.repeats}`: a provider on loopback that",
        f"takes {given.seconds:g} s a call, {given.repeats} runs each; a load of {load:.1f} on {os.cpu_count()} cores before anything ran. What lies above",
        "the ideal is the work of service, client and provider.",
        "",
        "| | calls | one after the other | ideal | fastest | median | fastest / ideal | median / ideal |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (calls, deep, seconds) in found.items():
        ideal = deep * given.seconds
        best, middle = min(seconds), median(seconds)
        lines.append(
            f"| {name} | {calls} | {deep} | {ideal:.2f} s | {best:.3f} s | {middle:.3f} s | {best / ideal:.3f} | "
            f"{middle / ideal:.3f} |"
        )
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
