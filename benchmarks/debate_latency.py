"""How long a debate takes beside its ideal: the provider answers every call after one second, so
four rounds of four roles, each round's calls at once, take four seconds at best.

    python -m benchmarks.debate_latency [--seconds 1] [--repeats 3]

Goes through the real stack (cache, single flight, retries, limit, the openai SDK) to a server on
loopback, and writes `benchmarks/results/debate_latency.md`.
"""

import argparse
import asyncio
import json
import time
from statistics import median

from service.debate.llm import LLMDebater
from service.debate.prompt import DebatePrompts
from service.debate.roles import default_roles, load_roles
from service.debate.rounds import Terms, settle
from service.debate.statement import Matter, Seat
from service.domain.completion import CacheMode, Call
from service.domain.rubric import Protocol
from service.domain.verdict import JudgeName, Scored
from service.factors import load_factors
from service.judges.inquiry import Case
from service.llm.stack import Stack, Upstream
from service.store.memory import MemoryStore
from tests.provider.behaviours import Answer, Latency, Payload
from tests.provider.server import ProviderServer

from .debate_tokens import HERE, read_log

TABLE = HERE / "results" / "debate_latency.md"


def disagreeing(payload: Payload) -> str:
    """A statement whose score differs by role, so that no round agrees."""
    role = str(payload["messages"][0]["content"])
    return json.dumps(
        {"statement": "I see it my way, and here is why. " * 12, "score": sum(role.encode()) % 100}
    )


async def measure(provider: ProviderServer, repeats: int) -> tuple[list[float], int]:
    """Seconds of each debate, after one to warm up, and its rounds."""
    factors = load_factors()
    stack = Stack({"local": Upstream(provider.openai_url)}, MemoryStore(10_000_000))
    debater = LLMDebater(stack, JudgeName("local", "gpt-4o-mini"), provider.openai_url, DebatePrompts(150))
    seats = [Seat(role, debater) for role in default_roles(load_roles(factors))]
    verdicts = [
        Scored(
            factor=f.slug,
            judge=JudgeName("made", "up"),
            evaluator_revision="0" * 12,
            score=2.0,
            level=2,
            rationale="So.",
        )
        for f in factors.of(Protocol.CORE)
    ]
    matter = Matter.of(Case(read_log(HERE / "debate" / "long.json")), verdicts, factors)
    seconds: list[float] = []
    latency, provider.latency = provider.latency, Latency(0)
    for _ in range(1 + repeats):
        started = time.perf_counter()
        held = await settle(matter, seats, Terms(), Call(cache=CacheMode.OFF))
        seconds.append(time.perf_counter() - started)
        provider.latency = latency
    await stack.aclose()
    return seconds[1:], len(held.rounds)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    with ProviderServer(Answer(disagreeing), Latency(given.seconds)) as provider:
        seconds, rounds = asyncio.run(measure(provider, given.repeats))
    ideal = rounds * given.seconds
    lines = [
        "# Time of a 4 x 4 debate",
        "",
        f"`python -m benchmarks.debate_latency`: a provider on loopback that takes {given.seconds:g} s a call.",
        "",
        "| rounds | calls | ideal | median | slowest | median / ideal |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
        f"| {rounds} | {4 * rounds} | {ideal:.2f} s | {median(seconds):.3f} s | {max(seconds):.3f} s | "
        f"{median(seconds) / ideal:.3f} |",
    ]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
