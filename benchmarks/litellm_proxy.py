"""Conversations a second beside a LiteLLM proxy: twelve verdicts on a conversation, all cached in one and the same Redis. Once it
is one `/score` of the service. Once it is the twelve calls that it stands for, through the openai SDK and a LiteLLM proxy in
front of the same provider.

    make bench-litellm
    python -m benchmarks.litellm_proxy --litellm .cache/litellm/bin/litellm [--rounds 5]

The proxy runs in a virtual environment of its own (requirements/litellm.txt), one worker, without
debugging, database or keys; the service logs, and traces every request over OTLP. What counts is CPU time of the servers for a conversation, in rounds that
take turns. Writes `benchmarks/results/litellm.md`."""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
import openai

from tests.provider.behaviours import Answer, Status
from tests.provider.server import ProviderServer
from tests.redis_server import RedisServer

from .serving import ROOT, Server, ask_again_and_again, load_now, running, service, serving

TABLE = Path(__file__).parent / "results" / "litellm.md"
LOG = json.loads((ROOT / "examples/logs/good.json").read_text())["log"]
CONVERSATIONS = 8
CALLS = 12
CONNECTIONS = 16
SECONDS = 2.0

Call = Mapping[str, Any]


def log_of(number: int) -> dict[str, Any]:
    """One of several conversations that differ."""
    first = {"role": "user", "content": f"Hello. I look for film number {number}."}
    return {**LOG, "messages": [first, *LOG["messages"][1:]]}


def bodies() -> list[bytes]:
    """Return what the service is asked about the conversations."""
    return [json.dumps({"log": log_of(number)}).encode() for number in range(CONVERSATIONS)]


_numbers = itertools.count()


def new_bodies() -> Iterator[bytes]:
    """The same conversations in bodies that the service has not seen: metadata is part of no prompt."""
    for number in _numbers:
        log = log_of(number % CONVERSATIONS) | {"metadata": {"number": f"{number:09}"}}
        yield json.dumps({"log": log}).encode()


def configuration(provider: ProviderServer, redis: RedisServer) -> dict[str, Any]:
    """The proxy's file: one model, a cache in Redis, nothing else."""
    model = {"model": "openai/gpt-4o-mini", "api_base": provider.openai_url, "api_key": "local"}
    return {
        "model_list": [{"model_name": "gpt-4o-mini", "litellm_params": model}],
        "litellm_settings": {
            "cache": True,
            "cache_params": {"type": "redis", "host": "127.0.0.1", "port": redis.port},
        },
    }


@contextlib.contextmanager
def proxy(litellm: Path, provider: ProviderServer, redis: RedisServer, folder: Path) -> Iterator[Server]:
    """The proxy, once it is alive."""
    file = folder / "litellm.json"  # JSON is YAML
    file.write_text(json.dumps(configuration(provider, redis)))
    environment = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or it would fetch prices
        # No keys on either side; on loopback, for a minute.
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
        "LITELLM_LOG": "ERROR",
        "LITELLM_MODE": "PRODUCTION",
        "NO_DOCS": "True",
        "PYTHONPATH": "",
    }
    command = [str(litellm.absolute()), "--config", str(file), "--host", "127.0.0.1", "--telemetry", "False"]
    with running(command, environment, alive="/health/liveliness", cwd=folder, patience=180) as server:
        yield server


@dataclass(frozen=True)
class Spent:
    """CPU for one conversation in milliseconds: of the server, and of the one who asks."""

    server: float
    client: float


async def through_sdk(server: Server, conversations: Sequence[Sequence[Call]], seconds: float) -> Spent:
    """Ask for whole conversations, twelve calls at once each, some conversations at a time."""
    done = 0
    loop = asyncio.get_running_loop()
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="local", max_retries=0) as client:

        async def converse(mine: Iterator[Sequence[Call]]) -> None:
            nonlocal done
            while loop.time() < until:
                await asyncio.gather(*(client.chat.completions.create(**call) for call in next(mine)))
                done += 1

        before, own = server.cpu_seconds(), os.times().user + os.times().system
        until = loop.time() + seconds
        given = itertools.cycle(conversations)
        await asyncio.gather(*(converse(given) for _ in range(2)))
    own = os.times().user + os.times().system - own
    return Spent((server.cpu_seconds() - before) / done * 1000, own / done * 1000)


def through_service(server: Server, given: Iterator[bytes], seconds: float) -> Spent:
    """Ask for whole conversations, one request each."""
    own = os.times().user + os.times().system
    load = ask_again_and_again(server, given, CONNECTIONS, seconds)
    own = os.times().user + os.times().system - own
    return Spent(load.cpu_milliseconds, own / load.requests * 1000)


def asked_of(provider: ProviderServer, server: Server) -> list[list[Call]]:
    """The calls of each conversation, as the service makes them; its cache has them then."""
    found: list[list[Call]] = []
    for body in bodies():
        provider.received.clear()
        for _ in range(3):
            answer = httpx2.post(
                f"{server.url}/score", content=body, headers={"Content-Type": "application/json"}, timeout=120
            )
        assert answer.headers["cache-status"] == "crs-eval; hit"
        found.append([dict(request.payload) for request in provider.received if request.payload])
    return found


Round = Mapping[str, Spent]
PROXY, SAME, NEW = "LiteLLM proxy, twelve calls", "service, bodies seen before", "service, new bodies"


def measure(litellm: Path, rounds: int) -> tuple[list[Round], float]:
    """All in turns, and the calls of a conversation. Nothing may reach the provider meanwhile."""
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisServer(Path(folder)) as redis,
        ProviderServer(default=lambda payload: Answer() if payload else Status(404)) as provider,
        serving(["benchmarks.sink"], {}) as sink,
        service(
            {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.url},
            UPSTREAM_LOCAL=provider.openai_url,
            JUDGE="local:gpt-4o-mini",
            REDIS_URL=redis.url,
        ) as ours,
        proxy(litellm, provider, redis, Path(folder)) as theirs,
    ):
        conversations = asked_of(provider, ours)
        asyncio.run(through_sdk(theirs, conversations, 3 * SECONDS))
        provider.received.clear()
        found: list[Round] = [
            {
                PROXY: asyncio.run(through_sdk(theirs, conversations, 2 * SECONDS)),
                SAME: through_service(ours, itertools.cycle(bodies()), SECONDS),
                NEW: through_service(ours, new_bodies(), SECONDS),
            }
            for _ in range(rounds)
        ]
        assert not provider.calls, f"{provider.calls} calls were not cached"
        return found, sum(map(len, conversations)) / len(conversations)


def row(name: str, rounds: Sequence[Round]) -> str:
    """A line of the table: medians over the rounds, and the range of what counts."""
    server = median(found[name].server for found in rounds)
    client = median(found[name].client for found in rounds)
    times = [found[PROXY].server / found[name].server for found in rounds]
    return (
        f"| {name} | {server:.2f} ms | {1000 / server:,.0f} | {median(times):,.0f} "
        f"({min(times):,.0f} to {max(times):,.0f}) | {client:.2f} ms |"
    )


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--litellm", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    busy = load_now()
    version = next((given.litellm.parent.parent).glob("lib/*/site-packages/litellm-*.dist-info")).name
    rounds, calls = measure(given.litellm, given.rounds)
    lines = [
        "# Conversations a second beside a LiteLLM proxy",
        "",
        f"`make bench-litellm`: {given.rounds} rounds, {os.cpu_count()} cores, {busy} before anything ran, LiteLLM "
        f"{version.removeprefix('litellm-').removesuffix('.dist-info')}, one process each, one Redis for both. A conversation is",
        f"{calls:.0f} calls, all cached: for the proxy as many through the openai SDK, for the service one `/score`. *Times* is the",
        "proxy's CPU for a conversation over the service's, both of the same round: the median and the range. The service logs,",
        "and traces every request and tells every verdict over OTLP; the proxy does neither.",
        "",
        "| | CPU of the server | conversations a second of one core | times | CPU of the client |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(row(name, rounds) for name in (PROXY, SAME, NEW)),
    ]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
