"""A cached `/score` of twelve factors beside the least that a FastAPI endpoint can do: validate the same
body and return the same answer. Both under uvicorn, each in its own process, the service with its
logs and metrics on: with Redis, and with the cache in the process. Each also runs while a share of all requests is traced and
every verdict is sent as an event over OTLP. Beside the same body again and again, bodies that are new while the answers to all
their calls are cached.

    python -m benchmarks.cached_score

All servers run at once and are asked in turns, round after round; what counts is the ratio of CPU time
for one answer within a round, which other load on the machine leaves alone. Writes
`benchmarks/results/cached_score.md`."""

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

from .serving import ROOT, Load, Server, ask_again_and_again, load_now, publish, service, serving

LOG = json.loads((ROOT / "examples/logs/good.json").read_text())["log"]
BODY = json.dumps({"log": LOG}).encode()
JSON = {"Content-Type": "application/json"}
ECHO = "the endpoint"
TRACED = {"one request in a hundred": "0.01", "one request in ten": "0.1", "every request": "1"}
ROUNDS, CONNECTIONS = 5, 16
SECONDS, SECONDS_ALONE = 1.5, 0.7


@dataclass(frozen=True)
class Case:
    """A server and what it is asked."""

    server: Server
    bodies: Callable[[], Iterator[bytes]]


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
        sink = stack.enter_context(serving("benchmarks.sink", {}))
        plain = {"UPSTREAM_LOCAL": provider.openai_url, "JUDGE": "local:gpt-4o-mini"}
        shared = stack.enter_context(service(**plain, REDIS_URL=redis_url))
        alone = stack.enter_context(service(**plain))
        otlp = {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.url}
        sampled = {
            f"{name}, {which} traced": stack.enter_context(
                service(
                    otlp
                    | {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": share},
                    **plain,
                    **store,
                )
            )
            for name, store in (("in process", {}), ("Redis", {"REDIS_URL": redis_url}))
            for which, share in TRACED.items()
        }
        for server in (shared, alone, *sampled.values()):
            for _ in range(3):
                last = httpx2.post(f"{server.url}/score", content=BODY, headers=JSON, timeout=60)
            assert last.headers["cache-status"] == "crs-eval; hit"
        answer = stack.enter_context(tempfile.NamedTemporaryFile())
        answer.write(last.content)
        answer.flush()

        given = {"CRS_ECHO_ANSWER": answer.name}
        yield {
            "in process": Case(alone, same),
            "Redis": Case(shared, same),
            **{name: Case(server, same) for name, server in sampled.items()},
            "in process, new bodies": Case(alone, new),
            "Redis, new bodies": Case(shared, new),
            ECHO: Case(stack.enter_context(serving("benchmarks.echo", given)), same),
        }


Round = Mapping[str, tuple[Load, Load]]


def measure(given: Mapping[str, Case]) -> list[Round]:
    """Each case under load, and with one connection alone, in turns."""
    for case in given.values():
        ask_again_and_again(case.server, case.bodies(), CONNECTIONS, 0.5)
    return [
        {
            name: (
                ask_again_and_again(case.server, case.bodies(), CONNECTIONS, SECONDS),
                ask_again_and_again(case.server, case.bodies(), 1, SECONDS_ALONE),
            )
            for name, case in given.items()
        }
        for _ in range(ROUNDS)
    ]


def row(name: str, rounds: list[Round]) -> str:
    """A line of the table: medians over the rounds, and the range of what counts."""
    costs = [found[name][0].cpu_milliseconds for found in rounds]
    waits = [found[name][1].median_milliseconds for found in rounds]
    slower = [found[name][1].median_milliseconds / found[ECHO][1].median_milliseconds for found in rounds]
    shares = [found[ECHO][0].cpu_milliseconds / found[name][0].cpu_milliseconds for found in rounds]
    return (
        f"| {name} | {median(costs):.3f} ms | {1000 / median(costs):,.0f} | {median(shares):.2f} "
        f"({min(shares):.2f} to {max(shares):.2f}) | {median(waits):.2f} ms | {median(slower):.1f} |"
    )


def main() -> None:
    """Measure, print, write."""
    busy = load_now()
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisServer(Path(folder)) as redis,
        cases(redis.url) as all_cases,
    ):
        rounds = measure(all_cases)
        rows = [row(name, rounds) for name in all_cases]
    lines = [
        "# A cached `/score` of twelve factors beside an endpoint that only validates",
        "",
        f"`python -m benchmarks.cached_score`, {ROUNDS} rounds with {CONNECTIONS} connections, "
        f"{os.cpu_count()} cores, {busy} before anything ran. *Share* is an endpoint's CPU for an answer over",
        "the service's, both of the same round: the median of the rounds and their range. Logs and metrics of the service are on. *Traced* also sends spans of that share of requests, and an event for each of the twelve verdicts",
        "of all requests, over OTLP besides. The endpoint has none of this. *New bodies* were never seen before, while the answers",
        "to all their calls are in the cache.",
        "",
        "| | CPU an answer | answers a second of one core | share of the endpoint | p50 at one connection | x the endpoint's |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *rows,
    ]
    publish("cached_score", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
