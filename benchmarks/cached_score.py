"""A cached `/score` of twelve factors beside the least that a FastAPI endpoint can do: validate the same
body and return the same answer. Both under uvicorn, each in a process of its own, the service with its
logs and metrics on: with Redis, with the cache in the process, and with either and every request traced
and every verdict told as an event over OTLP. Those are set beside the bare endpoint, and beside one that
is logged and traced alike. Beside the same body again and again, bodies that are new while the answers to
all their calls are cached.

    python -m benchmarks.cached_score [--rounds 5] [--connections 16]

All servers run at once and are asked in turns, round after round; what counts is the ratio of CPU time
for one answer within a round, which other load on the machine leaves alone. Writes
`benchmarks/results/cached_score.md`."""

import argparse
import contextlib
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx2

from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer

from .serving import ROOT, Load, Server, ask_again_and_again, load_now, service, serving

TABLE = Path(__file__).parent / "results" / "cached_score.md"
LOG = json.loads((ROOT / "examples/logs/good.json").read_text())["log"]
BODY = json.dumps({"log": LOG}).encode()
ECHO, WATCHED, SAMPLED = (
    "the endpoint",
    "the endpoint, logged and traced",
    "the endpoint, logged, one in a hundred traced",
)
ONE_IN_A_HUNDRED = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"}
SECONDS, SECONDS_ALONE = 1.5, 0.7


@dataclass(frozen=True)
class Case:
    """A server, what it is asked, and the name of the endpoint that is logged and traced as it is."""

    server: Server
    bodies: Callable[[], Iterator[bytes]]
    alike: str | None = None


def same() -> Iterator[bytes]:
    """One body again and again."""
    return itertools.repeat(BODY)


_numbers = itertools.count()


def new() -> Iterator[bytes]:
    """Bodies of which none was seen before, of a log that was: metadata is part of no prompt."""
    for number in _numbers:
        yield json.dumps({"log": LOG | {"metadata": {"number": f"{number:09}"}}}).encode()


@contextlib.contextmanager
def cases(redis_url: str) -> Iterator[Mapping[str, Case]]:
    """All servers, their caches filled, the endpoint with the answer that the service gave."""
    with contextlib.ExitStack() as stack:
        provider = stack.enter_context(ProviderServer())
        sink = stack.enter_context(serving(["benchmarks.sink"], {}))
        plain = {"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}
        shared = stack.enter_context(service(**plain, REDIS_URL=redis_url))
        alone = stack.enter_context(service(**plain))
        otlp = {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.url}
        traced = stack.enter_context(service(otlp, **plain))
        shared_traced = stack.enter_context(service(otlp, **plain, REDIS_URL=redis_url))
        sampled = stack.enter_context(service(otlp | ONE_IN_A_HUNDRED, **plain))
        for server in (shared, alone, traced, shared_traced, sampled):
            answers = [httpx2.post(f"{server.url}/score", content=BODY, timeout=60) for _ in range(3)]
            assert answers[-1].headers["cache-status"] == "crs-eval; hit"
        answer = stack.enter_context(tempfile.NamedTemporaryFile())
        answer.write(answers[-1].content)
        answer.flush()

        def endpoint(**more: str) -> Case:
            given = {"CRS_ECHO_ANSWER": answer.name, **more}
            return Case(stack.enter_context(serving(["benchmarks.echo"], given)), same)

        yield {
            "in process": Case(alone, same),
            "Redis": Case(shared, same),
            "in process, every request traced": Case(traced, same, WATCHED),
            "Redis, every request traced": Case(shared_traced, same, WATCHED),
            "in process, one in a hundred traced": Case(sampled, same, SAMPLED),
            "in process, new bodies": Case(alone, new),
            "Redis, new bodies": Case(shared, new),
            ECHO: endpoint(),
            WATCHED: endpoint(**otlp),
            SAMPLED: endpoint(**otlp, **ONE_IN_A_HUNDRED),
        }


Round = Mapping[str, tuple[Load, Load]]


def measure(given: Mapping[str, Case], rounds: int, connections: int) -> list[Round]:
    """Each case under load, and with one connection alone, in turns."""
    for case in given.values():
        ask_again_and_again(case.server, case.bodies(), connections, 0.5)
    return [
        {
            name: (
                ask_again_and_again(case.server, case.bodies(), connections, SECONDS),
                ask_again_and_again(case.server, case.bodies(), 1, SECONDS_ALONE),
            )
            for name, case in given.items()
        }
        for _ in range(rounds)
    ]


def row(name: str, alike: str | None, rounds: list[Round]) -> str:
    """A line of the table: medians over the rounds, and the range of what counts."""
    costs = [found[name][0].cpu_milliseconds for found in rounds]
    waits = [found[name][1].median_milliseconds for found in rounds]
    slower = [found[name][1].median_milliseconds / found[ECHO][1].median_milliseconds for found in rounds]
    return (
        f"| {name} | {median(costs):.3f} ms | {1000 / median(costs):,.0f} | {_share(name, ECHO, rounds)} | "
        f"{_share(name, alike, rounds) if alike else ''} | {median(waits):.2f} ms | {median(slower):.1f} |"
    )


def _share(name: str, reference: str, rounds: list[Round]) -> str:
    found = [one[reference][0].cpu_milliseconds / one[name][0].cpu_milliseconds for one in rounds]
    return f"{median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=16)
    given = parser.parse_args()
    busy = load_now()
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisServer(Path(folder)) as redis,
        cases(redis.url) as all_cases,
    ):
        rounds = measure(all_cases, given.rounds, given.connections)
        rows = [row(name, case.alike, rounds) for name, case in all_cases.items()]
    lines = [
        "# A cached `/score` of twelve factors beside an endpoint that only validates",
        "",
        f"`python -m benchmarks.cached_score --rounds {given.rounds} --connections {given.connections}`, "
        f"{os.cpu_count()} cores, {busy} before anything ran. *Share* is an endpoint's CPU for an answer over",
        "the service's, both of the same round: the median of the rounds and their range. Logs and metrics of the",
        "service are on; *traced* sends spans, and an event for each of twelve verdicts, over OTLP besides. The bare",
        "endpoint has none of this; the one *alike* has the log line, the measurement and the span, and no events.",
        "*New bodies* were never seen before, while the answers to all their calls are in the cache.",
        "",
        "| | CPU an answer | answers a second of one core | share of the bare endpoint | share of the one alike | p50 at one connection | x the bare endpoint's |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *rows,
    ]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
